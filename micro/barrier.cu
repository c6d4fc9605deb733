// Latency of bar.sync over the warps of a block: all warps arrive together, nothing else to do.
//
// One block of w warps executes a run of bar.sync; cycles a barrier = two lengths differenced over
// their barriers.
//
// Expect on an H200: about 15-20 cycles for few warps, rising with the warps, since each sub-core
// issues its warps' barriers one after another.
//
// Pitfall: __syncthreads() of a block known to have one warp compiles to a warp barrier; the PTX
// form does not.
//
// ENTRY: barrier.latency | metric | cycle | bar.sync of a block of 256 threads, all warps arriving together
// ENTRY: barrier.latency.over_warps | curve | cycle over count | bar.sync over the warps of the block
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/timing.cuh"

namespace rooftile::micro {
namespace {

constexpr int barrier_unroll = 32;

// SASS: kernel=barrier_kernel BAR.SYNC>=32 other<=40 spill=0
__global__ void barrier_kernel(long long* cycles, int trips) {
  asm volatile("bar.sync 0;" ::: "memory");
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < barrier_unroll; ++i) asm volatile("bar.sync 0;" ::: "memory");
  }
  const long long stop = cycle_counter();
  if (threadIdx.x == 0) cycles[0] = stop - start;
}

void run(Context& context) {
  BlockCycles cycles(1);
  std::vector<CurvePoint> points;
  for (const int warps : {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32}) {
    const auto launch = [&](int trips) {
      barrier_kernel<<<1, 32 * warps, 0, context.stream()>>>(cycles.data(), trips);
      check_launch("barrier_kernel");
    };
    points.push_back({static_cast<double>(warps), context.repeat([&] {
                        return differenced(cycles, context.stream(), launch, 8, 72) /
                               barrier_unroll;
                      })});
    if (warps == 8)
      context.metric("barrier.latency", points.back().y, "median of differences",
                     "one block of 256 threads, bar.sync back to back");
  }
  context.curve("barrier.latency.over_warps", points, "one block, bar.sync back to back");
}

const Register registered{{"barrier", "bar.sync over the warps of a block", 0.1, run}};

}  // namespace
}  // namespace rooftile::micro
