// What the step from one tile to the next costs in a persistent loop: static stride against a work
// counter in L2.
//
// Blocks of 256 threads, one an SM, step from tile to tile; each step ends with one block barrier,
// as a tile does. Static: tile += blocks. Counter: thread 0 takes the next tile by an atomic
// addition and hands it over through shared memory. Counter ahead: it asks before the tile's work
// and looks at the answer after it. Two lengths differenced, median over blocks; work: a chain of
// 512 dependent FFMA, about 2100 cycles.
//   persistent_step.static, .counter: a step without work.
//   persistent_step.counter.extra, .counter_ahead.extra: a step with work less a static step with
//     the same work: what the counter adds to a tile.
//
// Expect on an H200: static 30 to 40 cycles, nearly all of it the barrier; the counter the latency
// of an atomic more (atomics.global.latency) and the way through shared memory, 600 to 800; ahead,
// some tens of cycles. No public value.
//
// Pitfalls: all blocks use one address: at hundreds of blocks and no work the L2 slice that owns it
// serializes, hence the curve over blocks; with work of some microseconds it does not. Atomics on
// one address by one lane are left as they are by the compiler (SASS).
//
// ENTRY: persistent_step.static | metric | cycle | step by a static stride, with a block barrier and no work
// ENTRY: persistent_step.counter | metric | cycle | step by a work counter in L2, with a block barrier and no work, one block an SM
// ENTRY: persistent_step.counter.over_blocks | curve | cycle over count | the same over the blocks that use the counter
// ENTRY: persistent_step.counter.extra | metric | cycle | what a work counter adds to a tile of 2000 cycles
// ENTRY: persistent_step.counter_ahead.extra | metric | cycle | what a work counter asked one tile ahead adds to a tile of 2000 cycles
#include "micro/text.hpp"

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/timing.cuh"

namespace rooftile::micro {
namespace {

constexpr int step_threads = 256;
constexpr int work_trips = 8, work_unroll = 64;  ///< dependent FFMA of a tile: trips x unroll
enum class Step { fixed, counter, ahead };

__device__ __forceinline__ unsigned take(unsigned* counter) {
  unsigned tile;
  asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(tile) : "l"(counter) : "memory");
  return tile;
}

// SASS: kernel=step_kernel.*StepE0ELb0E BAR.SYNC=1 ATOM|ATOMG=0 other<=12 spill=0
// SASS: kernel=step_kernel.*StepE1ELb0E BAR.SYNC=1 ATOM|ATOMG=1 STS=1 LDS=1 other<=40 spill=0
// SASS: kernel=step_kernel.*ELb1E FFMA=64 other<=6 spill=0
// SASS: kernel=step_kernel.*StepE0ELb1E FFMA=64 BAR.SYNC=1 ATOM|ATOMG=0 other<=24 nested=1
// SASS: kernel=step_kernel.*StepE1ELb1E FFMA=64 BAR.SYNC=1 ATOM|ATOMG=1 other<=48 nested=1
// SASS: kernel=step_kernel.*StepE2ELb1E FFMA=64 BAR.SYNC=1 ATOM|ATOMG=1 other<=48 nested=1
template <Step S, bool Work>
__global__ void __launch_bounds__(step_threads)
    step_kernel(long long* cycles, unsigned* counter, float* sink, float factor, unsigned limit,
                int trips) {
  __shared__ unsigned next[2];
  unsigned tile = blockIdx.x;
  float value = factor;
  __syncthreads();
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips && tile < limit; ++trip) {
    unsigned fetched = 0;
    if (S == Step::ahead && threadIdx.x == 0) fetched = take(counter);
    if constexpr (Work) {
      // A loop: straight code would be moved up, before the branch that asks for the next tile.
#pragma unroll 1
      for (int j = 0; j < work_trips; ++j) {
#pragma unroll
        for (int i = 0; i < work_unroll; ++i)
          asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(value) : "f"(factor));
      }
    }
    if (S == Step::counter && threadIdx.x == 0) fetched = take(counter);
    // Two places in turn: one barrier keeps the readers of one apart from the next writer of it.
    if (S != Step::fixed && threadIdx.x == 0) next[trip & 1] = fetched;
    __syncthreads();
    tile = S == Step::fixed ? tile + gridDim.x : next[trip & 1];
  }
  const long long stop = cycle_counter();
  if (value == 12345.0f) *sink = value;
  if (threadIdx.x == 0) cycles[blockIdx.x] = stop - start;
}

class StepBench {
 public:
  explicit StepBench(Context& context) : context_(context), counter_(1), sink_(1) {}

  /// Cycles a step of one launch pair, median over `blocks` blocks, one an SM.
  template <Step S, bool Work>
  double once(int blocks) {
    const auto kernel = step_kernel<S, Work>;
    // More than half of what a block may have, so that two blocks do not share an SM.
    const std::size_t shared_bytes = context_.shared_bytes_per_block() / 2 + 4096;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)),
          "cudaFuncSetAttribute");
    const BlockCycles cycles(blocks);
    const auto launch = [&](int trips) {
      check(cudaMemsetAsync(counter_.data(), 0, counter_.size_bytes(), context_.stream()),
            "cudaMemsetAsync");
      kernel<<<blocks, step_threads, shared_bytes, context_.stream()>>>(
          cycles.data(), counter_.data(), sink_.data(), 0.5f, 0xffffffffu, trips);
      check_launch("step_kernel");
    };
    return differenced(cycles, context_.stream(), launch, 64, 576);
  }

 private:
  Context& context_;
  DeviceBuffer<unsigned> counter_;
  DeviceBuffer<float> sink_;
};

void without_work(Context& context, StepBench& bench) {
  const char* method = "one block of 256 threads an SM, no work but a block barrier";
  const int sms = context.sm_count();
  context.metric("persistent_step.static",
                 context.repeat([&] { return bench.once<Step::fixed, false>(sms); }),
                 "median of differences", method);
  std::vector<CurvePoint> points;
  for (int blocks = 1;; blocks = std::min(2 * blocks, sms)) {
    throw_if_interrupted();
    points.push_back({static_cast<double>(blocks),
                      context.repeat([&] { return bench.once<Step::counter, false>(blocks); })});
    if (blocks == sms) break;
  }
  context.metric("persistent_step.counter", points.back().y, "median of differences", method);
  context.curve("persistent_step.counter.over_blocks", points, method);
}

/// Pairs of launches next to each other: a step with the counter less a static one.
template <Step S>
void extra(Context& context, StepBench& bench, const char* id) {
  const int sms = context.sm_count();
  context.metric(
      id, context.repeat([&] {
        const double fixed = bench.once<Step::fixed, true>(sms);
        return bench.once<S, true>(sms) - fixed;
      }),
      "median of differences",
      text("one block of 256 threads an SM, {} dependent FFMA a tile", work_trips * work_unroll));
}

void run(Context& context) {
  StepBench bench(context);
  without_work(context, bench);
  extra<Step::counter>(context, bench, "persistent_step.counter.extra");
  extra<Step::ahead>(context, bench, "persistent_step.counter_ahead.extra");
}

const Register registered{{"persistent_step", "step of a persistent loop", 0.3, run}};

}  // namespace
}  // namespace rooftile::micro
