// Block barriers: bar.sync over the warps of a block, and named barriers.
//
// barrier.latency: one block of w warps executes a run of bar.sync, all warps arriving together;
//   cycles a barrier.
// barrier.named.latency.over_groups: g groups of four warps, each on its own named barrier: what
//   the groups cost each other. One group is four warps of bar.sync over part of a block.
// barrier.named.round_trip: two groups of four warps hand a token back and forth (bar.arrive on
//   one barrier, bar.sync on the other), as a producer and a consumer do: cycles there and back.
// All: two lengths differenced over their barriers.
//
// Expect on an H200: about 15-20 cycles for few warps, rising with the warps, since each sub-core
// issues its warps' barriers one after another; the named ones like bar.sync of four warps as long
// as the groups do not compete; the round trip about twice that. No public value.
//
// Pitfalls: __syncthreads() of a block known to have one warp compiles to a warp barrier; the PTX
// form does not. The number of a named barrier is in a register here, as in a kernel whose groups
// run the same code: an immediate may be faster.
//
// ENTRY: barrier.latency | metric | cycle | bar.sync of a block of 256 threads, all warps arriving together
// ENTRY: barrier.latency.over_warps | curve | cycle over count | bar.sync over the warps of the block
// ENTRY: barrier.named.latency.over_groups | curve | cycle over count | named barrier of four warps, over the groups that use one each at the same time
// ENTRY: barrier.named.round_trip | metric | cycle | two groups of four warps signal each other in turn by bar.arrive and bar.sync
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/timing.cuh"

namespace rooftile::micro {
namespace {

constexpr int barrier_unroll = 32;
constexpr int group_threads = 128;

// SASS: kernel=14barrier_kernel BAR.SYNC=32 other<=8 spill=0
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

__device__ __forceinline__ void sync_named(unsigned barrier, unsigned threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

__device__ __forceinline__ void arrive_named(unsigned barrier, unsigned threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// SASS: kernel=named_barrier_kernel BAR.SYNC=32 other<=8 spill=0
__global__ void named_barrier_kernel(long long* cycles, int trips) {
  const unsigned barrier = 1 + threadIdx.x / group_threads;
  __syncthreads();
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < barrier_unroll; ++i) sync_named(barrier, group_threads);
  }
  const long long stop = cycle_counter();
  if (threadIdx.x == 0) cycles[0] = stop - start;
}

// Both groups run the same loop: wait for the other's token on one barrier, give it on the other.
// The first wait of group 0 is for a token that group 1 gives before the loop, and the last token
// has no taker: the counts of bar.arrive and bar.sync stay equal through the closing bar.sync.
// SASS: kernel=token_kernel BAR.SYNC=16 BAR.ARV=16 other<=8 spill=0
__global__ void token_kernel(long long* cycles, int trips) {
  const bool first = threadIdx.x < group_threads;
  const unsigned take = first ? 1 : 2, give = first ? 2 : 1;
  constexpr unsigned threads = 2 * group_threads;
  __syncthreads();
  if (!first) arrive_named(give, threads);
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < barrier_unroll / 2; ++i) {
      sync_named(take, threads);
      arrive_named(give, threads);
    }
  }
  const long long stop = cycle_counter();
  if (first) sync_named(take, threads);
  if (threadIdx.x == 0) cycles[0] = stop - start;
}

using Kernel = void (*)(long long*, int);

Repetitions time(Context& context, Kernel kernel, const char* name, int threads, int barriers) {
  const BlockCycles cycles(1);
  const auto launch = [&](int trips) {
    kernel<<<1, threads, 0, context.stream()>>>(cycles.data(), trips);
    check_launch(name);
  };
  return context.repeat(
      [&] { return differenced(cycles, context.stream(), launch, 8, 72) / barriers; });
}

void over_warps(Context& context) {
  std::vector<CurvePoint> points;
  for (const int warps : {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32}) {
    points.push_back({static_cast<double>(warps),
                      time(context, barrier_kernel, "barrier_kernel", 32 * warps, barrier_unroll)});
    if (warps == 8)
      context.metric("barrier.latency", points.back().y, "median of differences",
                     "one block of 256 threads, bar.sync back to back");
  }
  context.curve("barrier.latency.over_warps", points, "one block, bar.sync back to back");
}

void named(Context& context) {
  std::vector<CurvePoint> points;
  for (const int groups : {1, 2, 3, 4, 6, 8})
    points.push_back(
        {static_cast<double>(groups), time(context, named_barrier_kernel, "named_barrier_kernel",
                                           group_threads * groups, barrier_unroll)});
  context.curve("barrier.named.latency.over_groups", points,
                "one block, groups of four warps, each on its own barrier, back to back");
  context.metric("barrier.named.round_trip",
                 time(context, token_kernel, "token_kernel", 2 * group_threads, barrier_unroll / 2),
                 "median of differences",
                 "two groups of four warps, bar.sync on one barrier and bar.arrive on the other");
}

void run(Context& context) {
  over_warps(context);
  named(context);
}

const Register registered{{"barrier", "bar.sync over warps, named barriers", 0.2, run}};

}  // namespace
}  // namespace rooftile::micro
