// Reads by some or all SMs for a fixed window of SM cycles: the kernel behind the bandwidth of
// L2 and over the active SMs.
//
// One block of 32 warps runs on each of n SMs: those that the hardware gives to the first n blocks
// (their %smid is recorded), or n SMs at a fixed distance by %smid (the other blocks end at once).
// Each warp reads 4 KiB pieces (8 x 16 B x 32 lanes in flight, L1 bypassed by ld.cg) for
// `warm_cycles`, then for `window_cycles` counts what it reads, and adds its bytes / cycles to a
// sum. So no SM waits for a slower one, there is no tail and no launch overhead in the number, and
// every SM's rate is taken in its own cycles while the others run.
//
// Mapping: in step s warp w reads piece (w + s x warps) mod pieces. The number of pieces is made
// coprime to the number of warps, so that each warp, hence each SM, walks through the whole
// footprint: both partitions of a partitioned L2 serve every SM, as in a GEMM whose panels all SMs
// share. A fixed share for each SM would be kept in the near partition alone and look better than a
// GEMM can. A private footprint (`private_bytes`) is such a share, wanted where L1 is in question:
// each block walks its own pieces, and nobody else's.
//
// Pitfalls: warps of one launch start within a few us of each other; `warm_cycles` must be longer.
// A footprint smaller than warps x 4 KiB has several warps on one piece at a time. Warps drift
// apart, so that reuse distances scatter: not for footprints near the capacity of L2
// (stream_access.cuh).
#pragma once

#include <cmath>
#include <numeric>

#include "micro/context.hpp"
#include "micro/global_access.cuh"
#include "micro/random_fill.cuh"
#include "micro/timing.cuh"

namespace rooftile::micro {

constexpr int window_threads = 1024;
constexpr int window_loads = 8;                           ///< 16-byte loads in flight a thread
constexpr unsigned piece_bytes = window_loads * 16 * 32;  ///< read by a warp in one step

// Each file that includes this has its own kernels, hence must have its own class: an inline member
// shared by two files would set the attributes of one file's kernels and launch the other's.
namespace {

/// What a warp read in its window.
struct WindowCount {
  unsigned steps;  ///< of Loads x 512 B
  unsigned mixed;  ///< of the words, so that the loads are not dropped
  double cycles, cycles_per_ns;
};

/// Which pieces of Loads x 512 B a warp reads, for how long.
struct WindowWalk {
  unsigned long long base;  ///< of this lane
  unsigned piece, pieces, step;
  long long warm_cycles, window_cycles;
};

/// Reads for the warm-up, then counts for the window. Each step waits for all of its loads.
template <int Loads, LoadPath Path>
__device__ __forceinline__ WindowCount walk_window(WindowWalk walk) {
  unsigned mixed = 0, steps = 0;
  long long now = cycle_counter(), start = now, deadline = now + walk.warm_cycles;
  unsigned long long start_ns = 0;
#pragma unroll 1
  for (int phase = 0; phase < 2; ++phase) {
    start = now;
    start_ns = nanosecond_counter();
    steps = 0;
#pragma unroll 1
    do {
      unsigned words[Loads][4];
      const unsigned long long address =
          walk.base + static_cast<unsigned long long>(walk.piece) * Loads * 512;
#pragma unroll
      for (int i = 0; i < Loads; ++i) load_global<16, Path>(words[i], address + i * 512);
#pragma unroll
      for (int i = 0; i < Loads; ++i)
        mixed ^= words[i][0] ^ words[i][1] ^ words[i][2] ^ words[i][3];
      // The compiler must not move the wait for the loads behind the clock read.
      asm volatile("" : "+r"(mixed)::"memory");
      walk.piece += walk.step;
      if (walk.piece >= walk.pieces) walk.piece -= walk.pieces;
      ++steps;
      now = cycle_counter();
    } while (now < deadline);
    deadline = now + walk.window_cycles;
  }
  const auto cycles = static_cast<double>(now - start);
  return {steps, mixed, cycles, cycles / static_cast<double>(nanosecond_counter() - start_ns)};
}

/// The largest number of pieces of `piece` bytes in `bytes` that is coprime to `warps`.
inline unsigned coprime_pieces(std::size_t bytes, std::size_t piece, unsigned warps) {
  auto pieces = static_cast<unsigned>(bytes / piece);
  while (std::gcd(pieces, warps) != 1) --pieces;
  return pieces;
}

struct WindowPlan {
  const unsigned char* buffer;
  unsigned pieces;
  unsigned first;                    ///< piece that warp 0 begins with
  unsigned step;                     ///< pieces that a warp advances: warps mod pieces
  unsigned long long private_bytes;  ///< 0: one footprint for all; else block b's begins at b times
  unsigned sm_distance;  ///< 0: every block reads; d: those on SMs 0, d, 2d ... below `sm_end`
  unsigned sm_end;
  long long warm_cycles, window_cycles;
};

/// Sums over warps; zeroed before the launch.
struct WindowSums {
  double bytes_per_cycle;
  double cycles_per_ns;  ///< of block 0
};

// SASS: kernel=window_read_kernel LDG.128=8 CS2R|CS2UR|S2UR=1 other<=60 spill=0
// SASS: kernel=window_read_kernel.*LoadPathE1 LDG.128.STRONG.GPU=8 spill=0 sm>=80
template <LoadPath Path>
__global__ void __launch_bounds__(window_threads, 1)
    window_read_kernel(WindowSums* sums, unsigned* sm_of_block, unsigned* sink, WindowPlan plan) {
  const unsigned sm = sm_id();
  if (threadIdx.x == 0) sm_of_block[blockIdx.x] = sm;
  if (plan.sm_distance != 0 && (sm >= plan.sm_end || sm % plan.sm_distance != 0)) return;
  const bool shares = plan.private_bytes == 0;
  const unsigned warp = ((shares ? blockIdx.x * blockDim.x : 0) + threadIdx.x) / 32;
  const unsigned long long base = reinterpret_cast<unsigned long long>(plan.buffer) +
                                  blockIdx.x * plan.private_bytes + 16 * (threadIdx.x % 32);
  const WindowCount count =
      walk_window<window_loads, Path>({base, (plan.first + warp) % plan.pieces, plan.pieces,
                                       plan.step, plan.warm_cycles, plan.window_cycles});
  if (count.mixed == 0x9e3779b9u) *sink = count.mixed;
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&sums->bytes_per_cycle, static_cast<double>(count.steps) * piece_bytes / count.cycles);
  if (warp == 0 && blockIdx.x == 0) sums->cycles_per_ns = count.cycles_per_ns;
}

/// Rate of one launch.
struct WindowRate {
  double bytes_per_cycle = 0;
  double bytes_per_second = 0;
};

class WindowReader {
 public:
  /// `buffer` outlives this.
  WindowReader(Context& context, const DeviceBuffer<unsigned char>& buffer)
      : context_(context),
        buffer_(buffer),
        sums_(1),
        sm_of_block_(static_cast<std::size_t>(context.sm_count())),
        sink_(1) {
    check(cudaFuncSetAttribute(window_read_kernel<LoadPath::l1>,
                               cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutMaxL1),
          "cudaFuncSetAttribute");
  }

  /// `footprint_bytes` <= the buffer's size, `sms` blocks of which each has an SM to itself.
  WindowRate once(std::size_t footprint_bytes, int sms, long long warm_cycles,
                  long long window_cycles) {
    return launch(shared_plan(footprint_bytes, sms, warm_cycles, window_cycles), sms);
  }
  /// Every SM reads its own `private_bytes`, whole pieces, through `path`.
  WindowRate apart(std::size_t private_bytes, LoadPath path, long long warm_cycles,
                   long long window_cycles);
  /// byte/cycle of `sms` SMs whose %smid are 0, distance, 2 distance ...
  double spaced(std::size_t footprint_bytes, int sms, int distance, long long warm_cycles,
                long long window_cycles) {
    WindowPlan plan = shared_plan(footprint_bytes, context_.sm_count(), warm_cycles, window_cycles);
    plan.sm_distance = static_cast<unsigned>(distance);
    plan.sm_end = static_cast<unsigned>(distance * sms);
    return launch(plan, context_.sm_count()).bytes_per_cycle;
  }
  /// %smid of each block of the last launch, in block order; the first `blocks` are its own.
  std::vector<unsigned> sm_ids(int blocks) const {
    std::vector<unsigned> ids(sm_of_block_.size());
    sm_of_block_.download(ids.data(), ids.size());
    ids.resize(static_cast<std::size_t>(blocks));
    return ids;
  }

 private:
  WindowPlan shared_plan(std::size_t footprint_bytes, int blocks, long long warm_cycles,
                         long long window_cycles);
  WindowRate launch(const WindowPlan& plan, int blocks, LoadPath path = LoadPath::l2);

  Context& context_;
  const DeviceBuffer<unsigned char>& buffer_;
  int launches_ = 0;
  DeviceBuffer<WindowSums> sums_;
  DeviceBuffer<unsigned> sm_of_block_, sink_;
};

inline WindowPlan WindowReader::shared_plan(std::size_t footprint_bytes, int blocks,
                                            long long warm_cycles, long long window_cycles) {
  const unsigned warps = static_cast<unsigned>(blocks) * (window_threads / 32);
  const unsigned pieces =
      coprime_pieces(std::min(footprint_bytes, buffer_.size()), piece_bytes, warps);
  // Another place each time, a golden section further on: what the last launch left in L2 is not
  // read.
  const double turns = 0.6180339887498949 * ++launches_;
  const auto first = static_cast<unsigned>((turns - std::floor(turns)) * pieces);
  return {buffer_.data(), pieces, first, warps % pieces, 0, 0, 0, warm_cycles, window_cycles};
}

inline WindowRate WindowReader::apart(std::size_t private_bytes, LoadPath path,
                                      long long warm_cycles, long long window_cycles) {
  const auto pieces = static_cast<unsigned>(private_bytes / piece_bytes);
  const WindowPlan plan{buffer_.data(), pieces, 0, window_threads / 32 % pieces,
                        private_bytes,  0,      0, warm_cycles,
                        window_cycles};
  return launch(plan, context_.sm_count(), path);
}

inline WindowRate WindowReader::launch(const WindowPlan& plan, int blocks, LoadPath path) {
  check(cudaMemsetAsync(sums_.data(), 0, sums_.size_bytes(), context_.stream()), "cudaMemsetAsync");
  const auto kernel =
      path == LoadPath::l1 ? window_read_kernel<LoadPath::l1> : window_read_kernel<LoadPath::l2>;
  kernel<<<blocks, window_threads, 0, context_.stream()>>>(sums_.data(), sm_of_block_.data(),
                                                           sink_.data(), plan);
  check_launch("window_read_kernel");
  check(cudaStreamSynchronize(context_.stream()), "window_read_kernel");
  WindowSums sums{};
  sums_.download(&sums, 1);
  return {sums.bytes_per_cycle, sums.bytes_per_cycle * sums.cycles_per_ns * 1e9};
}

}  // namespace
}  // namespace rooftile::micro
