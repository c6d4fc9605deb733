// What a launch costs and what a block costs.
//
// launch.overhead: events around one empty kernel: the floor of every event-timed measurement.
// launch.interval: a delay kernel holds the stream while empty kernels queue up behind it, so that
// the
//   host is out of the picture; (time from before the first to after the last) / launches.
// launch.block_cost: empty blocks of 256 threads whose shared memory leaves room for one block an
// SM,
//   with W and 5W waves; cycles = seconds(5W) - seconds(W) over 4W, times the SM clock: what an SM
//   slot needs to retire a block and start the next.
//
// Expect on an H200: overhead 2-6 us, interval 1-2 us, block cost some hundred to a thousand
// cycles.
//
// Pitfalls: without the delay the interval is the host's launch rate; a queue deeper than about
// 1000 launches blocks the host; the event's resolution is about 0.5 us, so single launches
// scatter.
//
// ENTRY: launch.overhead | metric | s | event-timed duration of an empty kernel
// ENTRY: launch.interval | metric | s | time between back-to-back empty kernels of one stream
// ENTRY: launch.block_cost | metric | cycle | time an SM slot needs to retire an empty block and start the next
#include "micro/text.hpp"

#include "gpu/cuda/probe.hpp"
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

__global__ void empty_kernel() {}

constexpr int queued = 256;
constexpr unsigned delay_ns = 4'000'000;  // longer than the host needs to queue the launches
constexpr int block_threads = 256;

void overhead(Context& context) {
  const auto launch = [](cudaStream_t stream) {
    empty_kernel<<<1, 32, 0, stream>>>();
    check_launch("empty_kernel");
  };
  context.metric("launch.overhead", context.durations(launch, 0.5), "median",
                 "events around one empty kernel of one warp");
}

void interval(Context& context) {
  Event start, stop;
  const cudaStream_t stream = context.stream();
  const Repetitions found = context.repeat([&] {
    launch_delay(delay_ns, stream);
    start.record(stream);
    for (int i = 0; i < queued; ++i) empty_kernel<<<1, 32, 0, stream>>>();
    stop.record(stream);
    check_launch("empty_kernel");
    stop.synchronize();
    return stop.seconds_since(start) / queued;
  });
  context.metric("launch.interval", found, "median",
                 text("{} empty kernels queued behind a delay kernel", queued));
}

/// Event-timed seconds of `waves` blocks on every SM, one at a time.
double waves_s(Context& context, Event& start, Event& stop, int waves, std::size_t shared_bytes) {
  const cudaStream_t stream = context.stream();
  start.record(stream);
  empty_kernel<<<context.sm_count() * waves, block_threads, shared_bytes, stream>>>();
  stop.record(stream);
  check_launch("empty_kernel");
  stop.synchronize();
  return stop.seconds_since(start);
}

void block_cost(Context& context) {
  const std::size_t shared_bytes = context.shared_bytes_per_block();
  check(cudaFuncSetAttribute(empty_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes)),
        "cudaFuncSetAttribute");
  constexpr int waves = 200;
  Event start, stop;
  const double clock_hz = context.device().sm_clock_hz();
  const Repetitions found = context.repeat([&] {
    const double low = waves_s(context, start, stop, waves, shared_bytes);
    return (waves_s(context, start, stop, 5 * waves, shared_bytes) - low) / (4 * waves) * clock_hz;
  });
  context.metric("launch.block_cost", found, "median of differences",
                 text("empty blocks of {} threads with {} B of shared memory, one an SM, {} "
                      "and {} waves differenced, at {:.0f} MHz",
                      block_threads, shared_bytes, waves, 5 * waves, clock_hz / 1e6));
}

void run(Context& context) {
  overhead(context);
  interval(context);
  block_cost(context);
}

const Register registered{{"launch", "launch overhead, launch interval, block cost", 0.4, run}};

}  // namespace
}  // namespace rooftile::micro
