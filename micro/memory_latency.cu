// Latency of dependent global loads over the footprint: the staircase L1, L2 near, L2 far, DRAM.
//
// One thread follows a random cycle over the footprint's 128-byte lines (random_cycle.cuh). Each
// line holds the address of the next, so that the loaded register is the next address: no
// arithmetic. Two lengths are differenced: first misses of TLB and instruction cache cancel.
//   inside 2 x L2: the block first touches all lines in chain order, in parallel, twice, and the
//   chain
//     starts at its beginning: the state that a full traversal would have left;
//   beyond: each repetition starts at another random place of the cycle, after a flush of L2, so
//   that no
//     line is visited twice: every load misses.
//
// Expect on an H200: L1 32.6 cycles up to about 10 KB, 47 at 190 KB; L2 282 through the L1 path up
// to about 22 MB (near partition; ld.cg 287-294), 513 from 37 to 48 MB; DRAM 659 from 150 MB on,
// 697 at 1 GB (address translation).
//
// Pitfalls: near and far L2 partitions differ per SM, and this is one SM's view; a chain in address
// order lets the prefetcher in; a C++ index chase adds its address arithmetic (6 cycles or so a
// step); with the default carve-out L1 is smaller than it could be, so shared memory is set to its
// least.
//
// ENTRY: memory.latency.over_footprint | curve | cycle over byte | dependent loads on a random cycle over the footprint
// ENTRY: l1.latency | metric | cycle | footprint of 16 KiB
// ENTRY: l2.latency | metric | cycle | footprint well inside the near L2 partition, L1 bypassed
// ENTRY: dram.latency | metric | cycle | footprint several times L2
#include "micro/text.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/random_cycle.cuh"
#include "micro/timing.cuh"

namespace rooftile::micro {
namespace {

constexpr std::size_t line_bytes = 128;
constexpr int chase_unroll = 32;
constexpr int chase_threads = 1024;  // touch in parallel; one of them follows the chain

struct alignas(line_bytes) Line {
  Line* next;
  unsigned char rest[line_bytes - sizeof(Line*)];
};

__global__ void build_cycle_kernel(Line* lines, Permutation permutation) {
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < permutation.size; k += stride) {
    const unsigned after = k + 1 == permutation.size ? 0 : k + 1;
    lines[permutation(k)].next = &lines[permutation(after)];
  }
}

template <bool BypassL1>
__device__ __forceinline__ Line* follow(const Line* line) {
  Line* next;
  if constexpr (BypassL1)
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(line) : "memory");
  else
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(next) : "l"(line) : "memory");
  return next;
}

/// Reads `count` words, to push all else out of L2 without leaving dirty lines there.
__global__ void flush_kernel(const unsigned* words, unsigned long long count, unsigned* sink) {
  unsigned sum = 0;
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i =
           static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += stride)
    sum ^= words[i];
  if (sum == 0x9e3779b9u) *sink = sum;
}

struct Chase {
  Line* lines;
  Permutation permutation;
  unsigned start;    ///< place in the cycle
  unsigned touched;  ///< lines touched in chain order before, from `start`; 0 for none
};

// SASS: kernel=chase_kernel.*Lb0E LDG.64>=32 other<=8 spill=0
// SASS: kernel=chase_kernel.*Lb1E LDG.64>=32 other<=8 spill=0
template <bool BypassL1>
__global__ void __launch_bounds__(chase_threads)
    chase_kernel(long long* cycles, unsigned* sink, Chase chase, int trips) {
  unsigned long long seen = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (unsigned k = threadIdx.x; k < chase.touched; k += blockDim.x)
      seen ^= reinterpret_cast<unsigned long long>(
          follow<BypassL1>(&chase.lines[chase.permutation(k)]));
    __syncthreads();
  }
  if (seen == 1) *sink = 1;
  if (threadIdx.x != 0) return;
  Line* line = &chase.lines[chase.permutation(chase.start)];
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < chase_unroll; ++i) line = follow<BypassL1>(line);
  }
  const long long stop = cycle_counter();
  if (line == nullptr) *sink = 2;
  cycles[0] = stop - start;
}

class LatencyMeter {
 public:
  LatencyMeter(Context& context, std::size_t most_bytes)
      : context_(context),
        lines_(most_bytes / line_bytes),
        flush_(2 * l2_bytes() / sizeof(unsigned)),
        cycles_(1),
        sink_(1) {
    flush_.fill_bytes(0);
    for (const auto kernel : {chase_kernel<false>, chase_kernel<true>})
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                 cudaSharedmemCarveoutMaxL1),
            "cudaFuncSetAttribute");
  }

  std::size_t l2_bytes() const {
    return static_cast<std::size_t>(context_.device().properties().l2CacheSize);
  }

  /// Cycles a load on a fresh random cycle over `footprint_bytes`, for each repetition.
  Repetitions latency(std::size_t footprint_bytes, bool bypass_l1);

 private:
  double once(const Permutation& permutation, bool cached, bool bypass_l1);

  Context& context_;
  DeviceBuffer<Line> lines_;
  DeviceBuffer<unsigned> flush_;
  BlockCycles cycles_;
  DeviceBuffer<unsigned> sink_;
  unsigned seed_ = 1;
};

Repetitions LatencyMeter::latency(std::size_t footprint_bytes, bool bypass_l1) {
  const auto count = static_cast<std::uint32_t>(footprint_bytes / line_bytes);
  const bool cached = footprint_bytes <= 2 * l2_bytes();
  Repetitions result;
  for (int i = 0; i < context_.repetitions(); ++i) {
    throw_if_interrupted();
    const Permutation permutation = Permutation::of(count, ++seed_);
    build_cycle_kernel<<<8 * context_.sm_count(), 256, 0, context_.stream()>>>(lines_.data(),
                                                                               permutation);
    check_launch("build_cycle_kernel");
    result.values.push_back(once(permutation, cached, bypass_l1));
  }
  return result;
}

double LatencyMeter::once(const Permutation& permutation, bool cached, bool bypass_l1) {
  // Two thousand steps fill the address translation of a gigabyte of 2 MiB pages before the rest
  // counts.
  const int shorter = 2048 / chase_unroll, longer = 4 * shorter;
  Chase chase{lines_.data(), permutation, 0, cached ? permutation.size : 0};
  const auto launch = [&](int trips) {
    if (!cached) {
      chase.start = hash32(++seed_) % permutation.size;
      flush_kernel<<<8 * context_.sm_count(), 512, 0, context_.stream()>>>(
          flush_.data(), flush_.size(), sink_.data());
      check_launch("flush_kernel");
    }
    const auto kernel = bypass_l1 ? chase_kernel<true> : chase_kernel<false>;
    kernel<<<1, chase_threads, 0, context_.stream()>>>(cycles_.data(), sink_.data(), chase, trips);
    check_launch("chase_kernel");
  };
  return differenced(cycles_, context_.stream(), launch, shorter, longer) / chase_unroll;
}

/// 16 KiB to `most`, `per_octave` points an octave, whole lines.
std::vector<std::size_t> footprints(std::size_t most, int per_octave) {
  std::vector<std::size_t> result;
  for (int i = 0;; ++i) {
    const double bytes = 16384 * std::exp2(static_cast<double>(i) / per_octave);
    const auto whole = static_cast<std::size_t>(bytes / line_bytes + 0.5) * line_bytes;
    if (whole > most) return result;
    result.push_back(whole);
  }
}

void run(Context& context) {
  constexpr std::size_t gibibyte = std::size_t{1} << 30;
  const std::size_t most = std::min(gibibyte, context.free_bytes() / 2 / line_bytes * line_bytes);
  LatencyMeter meter(context, most);
  const std::size_t l2_bytes = meter.l2_bytes();
  const std::string how =
      "one thread, random cycle over 128 B lines, 2048 and 8192 loads differenced";

  context.metric("l1.latency", meter.latency(16384, false), "median of differences",
                 how + ", ld.ca, footprint 16 KiB");
  const std::size_t near_bytes = l2_bytes / 8 / line_bytes * line_bytes;
  context.metric("l2.latency", meter.latency(near_bytes, true), "median of differences",
                 text("{}, ld.cg (L1 bypassed), footprint {} B, an eighth of L2", how, near_bytes));
  const std::size_t far_bytes = 4 * l2_bytes / line_bytes * line_bytes;
  if (far_bytes <= most)
    context.metric(
        "dram.latency", meter.latency(far_bytes, true), "median of differences",
        text("{}, footprint {} B, four times L2, never the same line twice", how, far_bytes));
  else
    context.skip("dram.latency",
                 text("needs {} B of device memory, {} B are free", 2 * far_bytes, 2 * most));

  std::vector<CurvePoint> points;
  for (const std::size_t bytes : footprints(most, context.quick() ? 2 : 4))
    points.push_back({static_cast<double>(bytes), meter.latency(bytes, false)});
  context.curve("memory.latency.over_footprint", points, how + ", ld.ca through L1");
}

const Register registered{{"memory_latency", "load latency over the footprint", 4, run}};

}  // namespace
}  // namespace rooftile::micro
