// cp.async of 4, 8 and 16 bytes a lane from global to shared memory, through L1 (.ca) and past it
// (.cg, 16 bytes only): latency, and bandwidth over bytes in flight.
//
// Latency: one warp copies 32 x width contiguous bytes, commits and waits for the group, again and
// again; two lengths differenced, cycles a copy. From L2 each copy takes the next lines, which L1
// has never seen; from L1 the same 16 copies come round.
// Bandwidth: each warp keeps `depth` groups of one copy in flight (wait_group depth - 1); bytes /
// cycles of each warp in a window of SM cycles, added up: all SMs with one block each, over a
// quarter of L2 through which each warp walks as a whole; L1: one SM, 4 KiB.
// Little's law: bandwidth an SM x unloaded latency / bytes in flight is 1 as long as latency binds.
// At its end each warp compares what lies in its slots with the source.
//
// Expect on an H200: no public value for this GPU. From L2 the latency of a load (280 cycles) plus
// the write to shared memory and the wait, 300 to 350 cycles; all SMs at most l2.bandwidth.read /
// SMs, 37 byte/cycle/SM; 4-byte copies are bound by their instructions, since a copy of 128 B takes
// as many as one of 512 B.
//
// Pitfalls: .ca with a footprint inside L1 measures L1; a warp's copy of 512 B is four lines, so
// that its latency is more than a single lane's; a wait covers all copies of the group. Shared
// memory takes L1's place, so L1 runs with a small block.
//
// ENTRY: async_copy.ca4.l2.latency | metric | cycle | cp.async.ca of 4 B a lane, one warp, out of L2, copy by copy
// ENTRY: async_copy.ca8.l2.latency | metric | cycle | cp.async.ca of 8 B a lane, one warp, out of L2, copy by copy
// ENTRY: async_copy.ca16.l2.latency | metric | cycle | cp.async.ca of 16 B a lane, one warp, out of L2, copy by copy
// ENTRY: async_copy.cg16.l2.latency | metric | cycle | cp.async.cg of 16 B a lane, one warp, out of L2, copy by copy
// ENTRY: async_copy.ca4.l1.latency | metric | cycle | cp.async.ca of 4 B a lane, one warp, out of L1, copy by copy
// ENTRY: async_copy.ca8.l1.latency | metric | cycle | cp.async.ca of 8 B a lane, one warp, out of L1, copy by copy
// ENTRY: async_copy.ca16.l1.latency | metric | cycle | cp.async.ca of 16 B a lane, one warp, out of L1, copy by copy
// ENTRY: async_copy.ca4.l1.bandwidth | metric | byte/cycle/SM | cp.async.ca of 4 B a lane out of L1, 16 warps
// ENTRY: async_copy.ca8.l1.bandwidth | metric | byte/cycle/SM | cp.async.ca of 8 B a lane out of L1, 16 warps
// ENTRY: async_copy.ca16.l1.bandwidth | metric | byte/cycle/SM | cp.async.ca of 16 B a lane out of L1, 16 warps
// ENTRY: async_copy.ca4.bandwidth.over_bytes_in_flight | curve | byte/cycle/SM over byte | cp.async.ca of 4 B a lane out of L2, all SMs, over bytes in flight an SM
// ENTRY: async_copy.ca8.bandwidth.over_bytes_in_flight | curve | byte/cycle/SM over byte | cp.async.ca of 8 B a lane out of L2, all SMs, over bytes in flight an SM
// ENTRY: async_copy.ca16.bandwidth.over_bytes_in_flight | curve | byte/cycle/SM over byte | cp.async.ca of 16 B a lane out of L2, all SMs, over bytes in flight an SM
// ENTRY: async_copy.cg16.bandwidth.over_bytes_in_flight | curve | byte/cycle/SM over byte | cp.async.cg of 16 B a lane out of L2, all SMs, over bytes in flight an SM
// ENTRY: async_copy.cg16.littles_law | curve | 1 over byte | bandwidth an SM of cp.async.cg x its latency / bytes in flight, over bytes in flight
#include "micro/text.hpp"

#include <stdexcept>

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/global_access.cuh"
#include "micro/microbenchmark.hpp"
#include "micro/ring_copy.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr int copy_unroll = 16;  ///< copies a trip
constexpr int most_warps = 32;

template <int Width, LoadPath Path>
__device__ __forceinline__ void copy_async([[maybe_unused]] unsigned to,
                                           [[maybe_unused]] unsigned long long from) {
  static_assert(Path == LoadPath::l1 || Width == 16);
#if __CUDA_ARCH__ >= 800
  if constexpr (Path == LoadPath::l2)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(Width)
                 : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int Pending>
__device__ __forceinline__ void wait_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
#endif
}

// SASS: kernel=copy_chain_kernel LDGSTS=16 DEPBAR.LE=16 LDGDEPBAR=16 other<=40 spill=0 sm>=80
// SASS: kernel=copy_chain_kernel.*Li4EL LDGSTS.32=16 spill=0 sm>=80
// SASS: kernel=copy_chain_kernel.*Li8EL LDGSTS.64=16 spill=0 sm>=80
// SASS: kernel=copy_chain_kernel.*Li16ELNS0_8LoadPathE0 LDGSTS.128=16 spill=0 sm>=80
// SASS: kernel=copy_chain_kernel.*Li16ELNS0_8LoadPathE1 LDGSTS.BYPASS.128=16 spill=0 sm>=80
/// `step`: bytes from one trip's copies to the next's: 0 comes back to the same lines.
template <int Width, LoadPath Path>
__global__ void copy_chain_kernel(long long* cycles, const unsigned char* buffer, unsigned step,
                                  int trips) {
  __shared__ __align__(16) unsigned char slot[copy_unroll * 32 * Width];
  const unsigned to = shared_address(slot) + threadIdx.x * Width;
  unsigned long long from = __cvta_generic_to_global(buffer) + threadIdx.x * Width;
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < copy_unroll; ++i) {
      copy_async<Width, Path>(to + i * 32 * Width, from + i * 32 * Width);
      wait_copies<0>();
    }
    from += step;
  }
  if (threadIdx.x == 0) cycles[0] = cycle_counter() - start;
}

struct CopyPlan {
  const unsigned char* buffer;
  unsigned footprint;  ///< a multiple of copy_unroll x 32 x width
  long long warm_cycles, window_cycles;
};

// SASS: kernel=copy_window_kernel LDGSTS=16 DEPBAR.LE=16 LDGDEPBAR=16 other<=48 spill=0 sm>=80
/// Sums: bytes_per_cycle; gave_up counts lanes whose last word differs from its source.
template <int Width, LoadPath Path, int Depth>
__global__ void __launch_bounds__(32 * most_warps)
    copy_window_kernel(CopyPlan plan, RingSums* sums) {
  extern __shared__ __align__(128) unsigned char arena[];
  constexpr unsigned copy_bytes = 32 * Width, trip_bytes = copy_unroll * copy_bytes;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned to = shared_address(arena) + warp * Depth * copy_bytes + lane * Width;
  const unsigned places = plan.footprint / trip_bytes;
  const unsigned warps = gridDim.x * blockDim.x / 32, me = blockIdx.x * blockDim.x / 32 + warp;
  unsigned offset =
      static_cast<unsigned>(static_cast<unsigned long long>(me) * places / warps) * trip_bytes;
  const unsigned long long base = __cvta_generic_to_global(plan.buffer) + lane * Width;
  long long start = cycle_counter(), now = start;
  long long deadline = start + plan.warm_cycles;
  unsigned trips = 0, last = offset;
#pragma unroll 1
  for (int phase = 0; phase < 2; ++phase) {
    start = now;
    trips = 0;
#pragma unroll 1
    do {
      const unsigned long long from = base + offset;
#pragma unroll
      for (int i = 0; i < copy_unroll; ++i) {
        copy_async<Width, Path>(to + i % Depth * copy_bytes, from + i * copy_bytes);
        wait_copies<Depth - 1>();
      }
      last = offset;
      offset += trip_bytes;
      if (offset == plan.footprint) offset = 0;
      ++trips;
      now = cycle_counter();
    } while (now < deadline);
    deadline = now + plan.window_cycles;
  }
  wait_copies<0>();
  unsigned word[1];
  load_shared<4>(word, to + (copy_unroll - 1) % Depth * copy_bytes);
  const auto* source = plan.buffer + last + (copy_unroll - 1) * copy_bytes + lane * Width;
  if (word[0] != *reinterpret_cast<const unsigned*>(source)) atomicAdd(&sums->gave_up, 1u);
  if (lane == 0)
    atomicAdd(&sums->bytes_per_cycle,
              static_cast<double>(trips) * trip_bytes / static_cast<double>(now - start));
}

class CopyBench {
 public:
  explicit CopyBench(Context& context)
      : context_(context),
        cycles_(1),
        sums_(1),
        // A multiple of the largest trip.
        buffer_(std::max(std::size_t{1} << 20,
                         static_cast<std::size_t>(context.device().properties().l2CacheSize) / 4 /
                             8192 * 8192)) {
    fill_random(context, buffer_);
  }

  template <int Width, LoadPath Path>
  Repetitions latency(bool from_l1) {
    const unsigned step = from_l1 ? 0 : copy_unroll * 32 * Width;
    const auto launch = [&](int trips) {
      copy_chain_kernel<Width, Path>
          <<<1, 32, 0, context_.stream()>>>(cycles_.data(), buffer_.data(), step, trips);
      check_launch("copy_chain_kernel");
    };
    // 40 trips of 8 KiB: less than the smallest footprint, so that no line comes twice.
    return context_.repeat(
        [&] { return differenced(cycles_, context_.stream(), launch, 8, 40) / copy_unroll; });
  }

  /// byte/cycle/SM; `footprint` 0: all of the buffer.
  template <int Width, LoadPath Path, int Depth>
  Repetitions bandwidth(int warps, int blocks, unsigned footprint) {
    const auto kernel = copy_window_kernel<Width, Path, Depth>;
    const std::size_t needed = static_cast<std::size_t>(warps) * Depth * 32 * Width;
    // More than half of what a block may have, so that two blocks do not share an SM.
    const std::size_t shared =
        footprint != 0 ? needed : std::max(needed, context_.shared_bytes_per_block() / 2 + 4096);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared)),
          "cudaFuncSetAttribute");
    const CopyPlan plan{buffer_.data(),
                        footprint != 0 ? footprint : static_cast<unsigned>(buffer_.size()), 60'000,
                        240'000};
    return context_.repeat([&] {
      check(cudaMemsetAsync(sums_.data(), 0, sums_.size_bytes(), context_.stream()),
            "cudaMemsetAsync");
      kernel<<<blocks, 32 * warps, shared, context_.stream()>>>(plan, sums_.data());
      check_launch("copy_window_kernel");
      check(cudaStreamSynchronize(context_.stream()), "copy_window_kernel");
      RingSums sums{};
      sums_.download(&sums, 1);
      if (sums.gave_up != 0)
        throw std::runtime_error(text("cp.async of {} B: {} words are wrong", Width, sums.gave_up));
      return sums.bytes_per_cycle / blocks;
    });
  }

  template <int Width, LoadPath Path>
  std::vector<CurvePoint> over_bytes_in_flight() {
    std::vector<CurvePoint> points;
    const auto add = [&](int warps, int depth, const auto& time) {
      const int in_flight = warps * depth * 32 * Width;
      if (static_cast<std::size_t>(in_flight) > context_.shared_bytes_per_block()) return;
      throw_if_interrupted();
      points.push_back({static_cast<double>(in_flight), time()});
    };
    for (const int warps : {1, 2, 4})
      add(warps, 1, [&] { return bandwidth<Width, Path, 1>(warps, context_.sm_count(), 0); });
    for (const int warps : {1, 2, 4, 8, 16, 32})
      add(warps, 8, [&] { return bandwidth<Width, Path, 8>(warps, context_.sm_count(), 0); });
    return points;
  }

  std::size_t footprint() const { return buffer_.size(); }

 private:
  Context& context_;
  BlockCycles cycles_;
  DeviceBuffer<RingSums> sums_;
  DeviceBuffer<unsigned char> buffer_;
};

template <int Width, LoadPath Path>
void one_kind(Context& context, CopyBench& bench, const std::string& id) {
  const char* chain = "one warp, all lanes, each copy waited for by wait_group 0";
  context.metric(id + ".l2.latency", bench.latency<Width, Path>(false), "median of differences",
                 text("{}, lines that L1 has not seen", chain));
  const std::vector<CurvePoint> points = bench.over_bytes_in_flight<Width, Path>();
  context.curve(id + ".bandwidth.over_bytes_in_flight", points,
                text("one block an SM, warps x depth = 1 x 1 to 4 x 1, 1 x 8 to 32 x 8, footprint "
                     "{} B, window of SM cycles",
                     bench.footprint()));
  if constexpr (Path == LoadPath::l2) {
    const double latency = context.value(id + ".l2.latency");
    context.curve(id + ".littles_law", littles_law(points, latency),
                  text("all SMs, unloaded latency {:.0f} cycles: 1 where the latency binds, less "
                       "where bandwidth does",
                       latency));
  } else {
    context.metric(id + ".l1.latency", bench.latency<Width, Path>(true), "median of differences",
                   text("{}, the same {} copies over and over", chain, copy_unroll));
    context.metric(id + ".l1.bandwidth",
                   bench.bandwidth<Width, Path, 8>(16, 1, copy_unroll * 32 * Width), "median",
                   text("one SM, 16 warps, 8 copies in flight a warp, footprint {} B",
                        copy_unroll * 32 * Width));
  }
}

void run(Context& context) {
  const cudaDeviceProp& gpu = context.device().properties();
  if (gpu.major < 8)
    return context.close(
        State::skipped,
        text("cp.async needs compute capability 8.0, this GPU has {}.{}", gpu.major, gpu.minor));
  CopyBench bench(context);
  one_kind<4, LoadPath::l1>(context, bench, "async_copy.ca4");
  one_kind<8, LoadPath::l1>(context, bench, "async_copy.ca8");
  one_kind<16, LoadPath::l1>(context, bench, "async_copy.ca16");
  one_kind<16, LoadPath::l2>(context, bench, "async_copy.cg16");
}

const Register registered{{"async_copy", "cp.async from L1 and L2", 0.6, run}};

}  // namespace
}  // namespace rooftile::micro
