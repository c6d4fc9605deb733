// Barrier of a whole grid: cooperative groups' grid.sync(), and a barrier on one counter.
//
// A cooperative launch of n blocks of 256 threads synchronizes again and again; cycles a barrier
// seen by block 0, two lengths differenced. The counter barrier: __syncthreads, one thread adds 1
// to a counter in L2 and polls it until all blocks of this round have come, __syncthreads.
//
// Expect on an H200: no public value; at least an atomic and a load from L2 (600 cycles), of the
// order of 2000 cycles for all SMs: 1 to 1.5 us.
//
// Pitfalls: a grid that is not resident as a whole would never end: the launch is cooperative, so
// the driver refuses it. The counter barrier gives up after 2^24 cycles. More blocks than SMs make
// several blocks of an SM arrive in turn.
//
// ENTRY: grid_sync.latency | metric | cycle | grid.sync() of one block of 256 threads on each SM
// ENTRY: grid_sync.latency.over_blocks | curve | cycle over count | grid.sync() over the blocks of the grid
// ENTRY: grid_sync.counter.latency.over_blocks | curve | cycle over count | barrier on one counter in L2 over the blocks of the grid
#include <cooperative_groups.h>

#include "micro/text.hpp"

#include <stdexcept>

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/timing.cuh"

namespace rooftile::micro {
namespace {

constexpr int grid_threads = 256;
constexpr long long give_up_cycles = 1 << 24;

// grid.sync: an arrival by an atomic, a loop that polls, two block barriers.
// SASS: kernel=grid_sync_kernel ATOM|ATOMG>=1 BAR.SYNC>=2 nested=1 spill=0
__global__ void grid_sync_kernel(long long* cycles, int trips) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  grid.sync();
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) grid.sync();
  const long long stop = cycle_counter();
  if (threadIdx.x == 0 && blockIdx.x == 0) cycles[0] = stop - start;
}

/// The counter never falls within a launch: round r is complete when it has reached (r + 1) blocks.
__device__ bool counter_barrier(unsigned* counter, unsigned target) {
  __syncthreads();
  bool arrived = true;
  if (threadIdx.x == 0) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
    const long long begin = cycle_counter();
    unsigned seen;
    do {
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
      arrived = seen >= target;
    } while (!arrived && cycle_counter() - begin < give_up_cycles);
  }
  return __syncthreads_and(arrived) != 0;
}

// SASS: kernel=counter_barrier_kernel RED.ADD|REDG.ADD=1 BAR.SYNC=1 BAR.RED=1 LDG|LD=1 nested=1 spill=0
__global__ void counter_barrier_kernel(long long* cycles, unsigned* counter, unsigned* gave_up,
                                       int trips) {
  unsigned target = gridDim.x;
  bool arrived = counter_barrier(counter, target);
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips && arrived; ++trip) {
    target += gridDim.x;
    arrived = counter_barrier(counter, target);
  }
  const long long stop = cycle_counter();
  if (threadIdx.x != 0) return;
  if (!arrived) atomicAdd(gave_up, 1u);
  if (blockIdx.x == 0) cycles[0] = stop - start;
}

class GridBench {
 public:
  explicit GridBench(Context& context) : context_(context), cycles_(1), words_(2) {
    words_.fill_bytes(0);
  }

  Repetitions grid_sync(int blocks) {
    return time([&](int trips) {
      long long* cycles = cycles_.data();
      void* arguments[] = {&cycles, &trips};
      cooperative(reinterpret_cast<const void*>(grid_sync_kernel), blocks, arguments);
    });
  }

  Repetitions counter(int blocks) {
    const Repetitions found = time([&](int trips) {
      long long* cycles = cycles_.data();
      unsigned *counter = words_.data(), *gave_up = words_.data() + 1;
      check(cudaMemsetAsync(counter, 0, sizeof(unsigned), context_.stream()), "cudaMemsetAsync");
      void* arguments[] = {&cycles, &counter, &gave_up, &trips};
      cooperative(reinterpret_cast<const void*>(counter_barrier_kernel), blocks, arguments);
    });
    unsigned words[2] = {};
    words_.download(words, 2);
    if (words[1] != 0)
      throw std::runtime_error("counter_barrier_kernel: a wait gave up after 2^24 cycles");
    return found;
  }

 private:
  Repetitions time(const std::function<void(int)>& launch) {
    throw_if_interrupted();
    return context_.repeat([&] { return differenced(cycles_, context_.stream(), launch, 8, 72); });
  }
  void cooperative(const void* kernel, int blocks, void** arguments) {
    check(
        cudaLaunchCooperativeKernel(kernel, blocks, grid_threads, arguments, 0, context_.stream()),
        "cudaLaunchCooperativeKernel");
  }

  Context& context_;
  BlockCycles cycles_;
  DeviceBuffer<unsigned> words_;  ///< counter, blocks that gave up
};

/// 1, 2, 4 ... below the SMs, then 1, 2 and 4 blocks an SM.
std::vector<int> block_counts(int sms) {
  std::vector<int> result;
  for (int blocks = 1; blocks < sms; blocks *= 2) result.push_back(blocks);
  for (const int an_sm : {1, 2, 4}) result.push_back(an_sm * sms);
  return result;
}

void run(Context& context) {
  if (context.device().attribute(cudaDevAttrCooperativeLaunch) == 0)
    return context.close(State::skipped, "this GPU has no cooperative launch");
  GridBench bench(context);
  std::vector<CurvePoint> cooperative, counter;
  for (const int blocks : block_counts(context.sm_count())) {
    cooperative.push_back({static_cast<double>(blocks), bench.grid_sync(blocks)});
    counter.push_back({static_cast<double>(blocks), bench.counter(blocks)});
    if (blocks == context.sm_count())
      context.metric("grid_sync.latency", cooperative.back().y, "median of differences",
                     "grid.sync() of cooperative groups, one block of 256 threads an SM");
  }
  context.curve("grid_sync.latency.over_blocks", cooperative,
                "grid.sync() of cooperative groups, blocks of 256 threads");
  context.curve("grid_sync.counter.latency.over_blocks", counter,
                "one counter in L2, one thread of a block adds and polls, blocks of 256 threads");
}

const Register registered{{"grid_sync", "barrier of a whole grid", 0.3, run}};

}  // namespace
}  // namespace rooftile::micro
