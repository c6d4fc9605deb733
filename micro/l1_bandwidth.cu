// L1 bandwidth and the cost of strided loads that hit L1.
//
// Every SM runs one block of 16 warps that reads the same few KiB again and again (ld.global.ca).
// bandwidth: lane i reads element i of 4, 8 or 16 bytes; byte/cycle/SM = 32 x width x instructions
//   / cycles, the best width, the median SM.
// stride: lane i reads word i x stride; cycles a warp load at saturation.
//
// Expect on an H200: 124 byte/cycle/SM for 4-byte loads; strides 1: 1.03, 2: 2.0, 3: 1.4, 4: 4.0,
// 5: 2.0, 8: 8.0, 9: 3.0 cycles. Even strides conflict in the 32 banks; odd strides cost the
// 128-byte lines they touch, about four a cycle.
//
// Cycles run from the first start to the last stop over the SM's warps, after an untimed trip that
// fills L1, so that the number can only fall short of the limit of 128, by the last latency over
// the length: 0.04 % or less.
//
// Pitfalls: differencing two lengths, each with its own cold misses and start skew, gave 128.06;
// the compiler turns loads of const data into the read-only path and hoists what does not change,
// hence PTX and an address that toggles by a run-time 0; L1 keeps what fits beside the carve-out
// for shared memory, which is set to its least.
//
// ENTRY: l1.bandwidth | metric | byte/cycle/SM | coalesced loads that hit L1
// ENTRY: l1.stride | curve | cycle/inst over count | cycles a warp load that hits L1 over the stride in words
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/global_access.cuh"
#include "micro/microbenchmark.hpp"
#include "micro/timing.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr int l1_unroll = 16;
constexpr int l1_threads = 512;
constexpr int bank_row_bytes = 128;
constexpr std::size_t arena_bytes = 16384;

// SASS: kernel=l1_load_kernel.*Li4E LDG.32=16 other<=16 spill=0
// SASS: kernel=l1_load_kernel.*Li8E LDG.64=16 other<=24 spill=0
// SASS: kernel=l1_load_kernel.*Li16E LDG.128=16 other<=40 spill=0
template <int Width>
__global__ void __launch_bounds__(l1_threads)
    l1_load_kernel(long long* cycles, unsigned* sink, const unsigned char* arena, int stride_bytes,
                   unsigned long long toggle, int trips) {
  unsigned long long address = reinterpret_cast<unsigned long long>(arena) +
                               static_cast<unsigned>(stride_bytes) * (threadIdx.x % 32);
  __shared__ unsigned long long first, last;
  if (threadIdx.x == 0) {
    first = ~0ull;
    last = 0;
  }
  unsigned sum = 0;
  long long start = 0;
#pragma unroll 1
  for (int phase = 0; phase < 2; ++phase) {  // the first fills L1
    const int count = phase == 0 ? 1 : trips;
    __syncthreads();
    start = cycle_counter();
#pragma unroll 1
    for (int trip = 0; trip < count; ++trip) {
      unsigned words[l1_unroll][Width / 4];
#pragma unroll
      for (int i = 0; i < l1_unroll; ++i)
        load_global<Width, LoadPath::l1>(words[i], address + i * bank_row_bytes);
#pragma unroll
      for (int i = 0; i < l1_unroll; ++i) {
#pragma unroll
        for (int j = 0; j < Width / 4; ++j) sum ^= words[i][j];
      }
      address ^= toggle;
    }
  }
  const long long stop = cycle_counter();
  if (sum == 0x9e3779b9u) *sink = sum;
  if (threadIdx.x % 32 == 0) {
    atomicMin(&first, static_cast<unsigned long long>(start));
    atomicMax(&last, static_cast<unsigned long long>(stop));
  }
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = static_cast<long long>(last - first);
}

/// Cycles a warp load, per repetition.
template <int Width>
Repetitions cycles_per_load(Context& context, const DeviceBuffer<unsigned char>& arena,
                            int stride_bytes) {
  BlockCycles cycles(context.sm_count());
  DeviceBuffer<unsigned> sink(1);
  check(cudaFuncSetAttribute(l1_load_kernel<Width>, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxL1),
        "cudaFuncSetAttribute");
  constexpr int trips = 1024;
  const double loads = 1.0 * trips * l1_unroll * (l1_threads / 32);
  return context.repeat([&] {
    l1_load_kernel<Width><<<context.sm_count(), l1_threads, 0, context.stream()>>>(
        cycles.data(), sink.data(), arena.data(), stride_bytes, 0ull, trips);
    check_launch("l1_load_kernel");
    return median(cycles.read(context.stream())) / loads;
  });
}

template <int Width>
Repetitions bandwidth(Context& context, const DeviceBuffer<unsigned char>& arena) {
  Repetitions result = cycles_per_load<Width>(context, arena, Width);
  for (double& value : result.values) value = 32 * Width / value;
  return result;
}

void run(Context& context) {
  DeviceBuffer<unsigned char> arena(arena_bytes);
  arena.fill_bytes(0x5a);
  const Repetitions by_width[] = {bandwidth<4>(context, arena), bandwidth<8>(context, arena),
                                  bandwidth<16>(context, arena)};
  int best = 0;
  double medians[3];
  for (int i = 0; i < 3; ++i) {
    medians[i] = median(by_width[i].values);
    if (medians[i] > medians[best]) best = i;
  }
  context.metric("l1.bandwidth", by_width[best], "median of launches",
                 text("loads of {} B, the best of 4 B: {:.1f}, 8 B: {:.1f} and 16 B: {:.1f}; one "
                      "block of {} threads an SM, first start to last stop of its warps, median SM",
                      4 << best, medians[0], medians[1], medians[2], l1_threads));

  std::vector<CurvePoint> points;
  for (const int stride : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 32})
    points.push_back({static_cast<double>(stride), cycles_per_load<4>(context, arena, 4 * stride)});
  context.curve("l1.stride", points,
                "4 B loads of words i x stride that hit L1, rows of 128 B apart, 16 warps an SM");
}

const Register registered{{"l1_bandwidth", "L1 bandwidth and strided loads", 0.3, run}};

}  // namespace
}  // namespace rooftile::micro
