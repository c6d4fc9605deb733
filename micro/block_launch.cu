// What it costs an SM to retire a block and start the next, over the block's size and its shared
// memory.
//
// launch.block_cost: empty blocks of 256 threads whose shared memory leaves room for one block an
//   SM, with W and 5W waves; cycles = seconds(5W) - seconds(W) over 4W, times the SM clock: what an
//   SM's slot needs to retire a block and start the next.
// launch.block_cost.over_threads: the same over the threads of a block.
// launch.block_interval.over_threads: blocks without shared memory, as many resident as fit; cycles
//   an SM between two blocks: what all slots together reach.
// launch.block_interval.over_smem: the same over the shared memory of a block of 256 threads.
//
// Expect on an H200: some hundred to a thousand cycles for one slot; with many slots the interval
// falls to what the work distributor can start. No public value.
//
// Pitfalls: the blocks do nothing, not even a barrier, so warps end as they come; shared memory is
// not cleared between blocks of one kernel, so its size matters by the residency alone, unless the
// curve says otherwise. The clock is the probe's, before the timing, and the kernels draw little
// power.
//
// ENTRY: launch.block_cost | metric | cycle | time an SM slot needs to retire an empty block of 256 threads and start the next
// ENTRY: launch.block_cost.over_threads | curve | cycle over count | the same over the threads of a block
// ENTRY: launch.block_interval.over_threads | curve | cycle over count | cycles an SM between empty blocks at full residency, over the threads of a block
// ENTRY: launch.block_interval.over_smem | curve | cycle over byte | cycles an SM between empty blocks of 256 threads at full residency, over the shared memory of a block
#include "micro/text.hpp"

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"

namespace rooftile::micro {
namespace {

constexpr int cost_threads = 256;

__global__ void empty_block_kernel() {}

class BlockBench {
 public:
  explicit BlockBench(Context& context)
      : context_(context), clock_hz_(context.device().sm_clock_hz()) {
    check(cudaFuncSetAttribute(empty_block_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(context.shared_bytes_per_block())),
          "cudaFuncSetAttribute");
    // The same split of L1 and shared memory for all sizes: no change of it between launches, and
    // the residency that the calculator gives.
    check(cudaFuncSetAttribute(empty_block_kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutMaxShared),
          "cudaFuncSetAttribute");
  }

  /// SM cycles for one of `blocks` blocks an SM, differenced with 5 times as many.
  Repetitions cycles_a_block(int threads, std::size_t shared_bytes, int blocks) {
    throw_if_interrupted();
    return context_.repeat([&] {
      const double low = seconds(threads, shared_bytes, blocks);
      return (seconds(threads, shared_bytes, 5 * blocks) - low) / (4 * blocks) * clock_hz_;
    });
  }

  double clock_hz() const { return clock_hz_; }

 private:
  double seconds(int threads, std::size_t shared_bytes, int blocks_an_sm) {
    const cudaStream_t stream = context_.stream();
    start_.record(stream);
    empty_block_kernel<<<context_.sm_count() * blocks_an_sm, threads, shared_bytes, stream>>>();
    stop_.record(stream);
    check_launch("empty_block_kernel");
    stop_.synchronize();
    return stop_.seconds_since(start_);
  }

  Context& context_;
  double clock_hz_;
  Event start_, stop_;
};

std::vector<int> block_sizes() { return {32, 64, 128, 256, 384, 512, 768, 1024}; }

void over_threads(Context& context, BlockBench& bench) {
  constexpr int waves = 200, many = 1600;
  const std::size_t all = context.shared_bytes_per_block();
  std::vector<CurvePoint> cost, interval;
  for (const int threads : block_sizes()) {
    const auto x = static_cast<double>(threads);
    cost.push_back({x, bench.cycles_a_block(threads, all, waves)});
    interval.push_back({x, bench.cycles_a_block(threads, 0, many)});
    if (threads == cost_threads)
      context.metric("launch.block_cost", cost.back().y, "median of differences",
                     text("empty blocks of {} threads with {} B of shared memory, one an SM, {} "
                          "and {} waves differenced, at {:.0f} MHz",
                          threads, all, waves, 5 * waves, bench.clock_hz() / 1e6));
  }
  context.curve("launch.block_cost.over_threads", cost,
                text("empty blocks with {} B of shared memory, one an SM, {} and {} waves "
                     "differenced, at {:.0f} MHz",
                     all, waves, 5 * waves, bench.clock_hz() / 1e6));
  context.curve("launch.block_interval.over_threads", interval,
                text("empty blocks, {} and {} an SM differenced, at {:.0f} MHz", many, 5 * many,
                     bench.clock_hz() / 1e6));
}

void over_shared_memory(Context& context, BlockBench& bench) {
  constexpr int blocks = 800;
  std::vector<CurvePoint> points;
  std::string residency;
  for (const int share : {32, 16, 8, 6, 4, 3, 2, 1}) {
    const std::size_t bytes =
        context.shared_bytes_per_block() / static_cast<std::size_t>(share) / 128 * 128;
    int resident = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, empty_block_kernel, cost_threads,
                                                        bytes),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    residency += text(" {}", resident);
    points.push_back(
        {static_cast<double>(bytes), bench.cycles_a_block(cost_threads, bytes, blocks)});
  }
  context.curve("launch.block_interval.over_smem", points,
                text("empty blocks of {} threads, resident an SM:{}; {} and {} an SM differenced, "
                     "at {:.0f} MHz",
                     cost_threads, residency, blocks, 5 * blocks, bench.clock_hz() / 1e6));
}

void run(Context& context) {
  BlockBench bench(context);
  over_threads(context, bench);
  over_shared_memory(context, bench);
}

const Register registered{{"block_launch", "cost of a block launch", 0.6, run}};

}  // namespace
}  // namespace rooftile::micro
