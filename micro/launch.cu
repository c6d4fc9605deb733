// What a launch costs: from a stream, from a graph, with programmatic dependence; and what an event
// costs.
//
// launch.overhead: events around one empty kernel: the floor of every event-timed measurement.
// launch.event_pair: the time between two events with nothing in between: what part of that floor
//   the events are; launch.event_interval: time an event takes in a stream, over many.
// launch.interval: a delay kernel holds the stream while empty kernels queue up behind it, so that
//   the host is out of the picture; (time from before the first to after the last) / launches.
// launch.gap: what is left of that where kernels do something: kernels of a block on each SM that
//   wait c cycles, in a row; 2 seconds(c) - seconds(2 c), which takes off the wait at any clock.
// launch.programmatic.interval: the same with programmatic stream serialization: each kernel lets
//   the next one start at its own first instruction and waits for the one before.
// launch.graph.node: one graph launch behind the delay, chains of 64 and of 320 empty kernels:
//   (seconds(320) - seconds(64)) / 256. launch.graph.start: seconds(64) less 64 nodes.
//
// Expect on an H200: overhead 2-6 us, interval 1-2 us, the gap no more than that, graph node about
// 1 us or less; the programmatic interval below the interval. No public value but NVIDIA's
// statement that graphs and programmatic launches cost less.
//
// Pitfalls: without the delay the interval is the host's launch rate; a queue deeper than about
// 1000 launches blocks the host; the event's resolution is about 0.5 us, so single launches
// scatter.
//
// ENTRY: launch.overhead | metric | s | event-timed duration of an empty kernel
// ENTRY: launch.event_pair | metric | s | time between two events with nothing in between
// ENTRY: launch.event_interval | metric | s | time that an event record takes in a stream
// ENTRY: launch.interval | metric | s | time between back-to-back empty kernels of one stream
// ENTRY: launch.gap | metric | s | time between back-to-back kernels of one stream beyond what their blocks wait, a block on each SM
// ENTRY: launch.programmatic.interval | metric | s | time between back-to-back empty kernels of one stream with programmatic dependence
// ENTRY: launch.graph.node | metric | s | time between back-to-back empty kernels of one graph, a chain
// ENTRY: launch.graph.start | metric | s | event-timed start and end of a graph launch, its nodes taken off
#include "micro/text.hpp"

#include "gpu/cuda/probe.hpp"
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/timing.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

__global__ void empty_kernel() {}

__global__ void waiting_kernel(long long cycles) {
  const long long start = cycle_counter();
  while (cycle_counter() - start < cycles) {
  }
}

__global__ void programmatic_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

constexpr int queued = 256;
constexpr unsigned delay_ns = 4'000'000;  // longer than the host needs to queue the launches

void overhead(Context& context) {
  const auto launch = [](cudaStream_t stream) {
    empty_kernel<<<1, 32, 0, stream>>>();
    check_launch("empty_kernel");
  };
  context.metric("launch.overhead", context.durations(launch, 0.5), "median",
                 "events around one empty kernel of one warp");
}

/// Seconds of what `enqueue` puts into the stream behind a delay.
class Queue {
 public:
  explicit Queue(Context& context) : context_(context) {}

  template <class Enqueue>
  double seconds(const Enqueue& enqueue) {
    const cudaStream_t stream = context_.stream();
    launch_delay(delay_ns, stream);
    start_.record(stream);
    enqueue(stream);
    stop_.record(stream);
    check_launch("empty kernels");
    stop_.synchronize();
    return stop_.seconds_since(start_);
  }

 private:
  Context& context_;
  Event start_, stop_;
};

void events(Context& context, Queue& queue) {
  context.metric("launch.event_pair",
                 context.repeat([&] { return queue.seconds([](cudaStream_t) {}); }), "median",
                 "two events behind a delay kernel");
  Event event;
  context.metric("launch.event_interval", context.repeat([&] {
    return queue.seconds([&](cudaStream_t stream) {
      for (int i = 0; i < queued; ++i) event.record(stream);
    }) / queued;
  }),
                 "median", text("{} records of one event queued behind a delay kernel", queued));
}

void interval(Context& context, Queue& queue) {
  context.metric("launch.interval", context.repeat([&] {
    return queue.seconds([](cudaStream_t stream) {
      for (int i = 0; i < queued; ++i) empty_kernel<<<1, 32, 0, stream>>>();
    }) / queued;
  }),
                 "median", text("{} empty kernels queued behind a delay kernel", queued));
}

void gap(Context& context, Queue& queue) {
  constexpr int threads = 256;
  constexpr long long wait_cycles = 8000;
  const int sms = context.sm_count();
  const auto each = [&](long long cycles) {
    return queue.seconds([&](cudaStream_t stream) {
      for (int i = 0; i < queued; ++i) waiting_kernel<<<sms, threads, 0, stream>>>(cycles);
    }) / queued;
  };
  context.metric("launch.gap",
                 context.repeat([&] { return 2 * each(wait_cycles) - each(2 * wait_cycles); }),
                 "median of differences",
                 text("{} kernels of a block of {} threads on each of {} SMs that wait {} and {} "
                      "cycles, queued behind a delay kernel",
                      queued, threads, sms, wait_cycles, 2 * wait_cycles));
}

void programmatic(Context& context, Queue& queue) {
  const cudaDeviceProp& gpu = context.device().properties();
  if (gpu.major < 9)
    return context.skip("launch.programmatic.interval",
                        text("programmatic dependence needs compute capability 9.0, this GPU has "
                             "{}.{}",
                             gpu.major, gpu.minor));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 32;
  config.stream = context.stream();
  config.attrs = &attribute;
  config.numAttrs = 1;
  context.metric("launch.programmatic.interval", context.repeat([&] {
    return queue.seconds([&](cudaStream_t) {
      for (int i = 0; i < queued; ++i)
        check(cudaLaunchKernelEx(&config, programmatic_kernel), "cudaLaunchKernelEx");
    }) / queued;
  }),
                 "median",
                 text("{} kernels that allow the next to start and wait for the one before, queued "
                      "behind a delay kernel",
                      queued));
}

/// A chain of `nodes` empty kernels.
class ChainGraph {
 public:
  explicit ChainGraph(int nodes) {
    check(cudaGraphCreate(&graph_, 0), "cudaGraphCreate");
    cudaKernelNodeParams parameters{};
    parameters.func = reinterpret_cast<void*>(empty_kernel);
    parameters.gridDim = 1;
    parameters.blockDim = 32;
    cudaGraphNode_t last = nullptr;
    for (int i = 0; i < nodes; ++i) {
      const cudaGraphNode_t before = last;
      check(cudaGraphAddKernelNode(&last, graph_, &before, i == 0 ? 0 : 1, &parameters),
            "cudaGraphAddKernelNode");
    }
    check(cudaGraphInstantiate(&executable_, graph_, 0), "cudaGraphInstantiate");
  }
  ~ChainGraph() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
  }
  ChainGraph(const ChainGraph&) = delete;
  ChainGraph& operator=(const ChainGraph&) = delete;

  void launch(cudaStream_t stream) const {
    check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch");
  }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

void graph(Context& context, Queue& queue) {
  constexpr int few = 64, many = 320;
  const ChainGraph shorter(few), longer(many);
  Repetitions node, start;
  node = context.repeat([&] {
    const double low = queue.seconds([&](cudaStream_t stream) { shorter.launch(stream); });
    const double high = queue.seconds([&](cudaStream_t stream) { longer.launch(stream); });
    const double each = (high - low) / (many - few);
    start.values.push_back(low - few * each);
    return each;
  });
  start.values.erase(start.values.begin());  // of the untimed call
  const std::string method = text(
      "chains of {} and {} empty kernels, each one graph launch behind "
      "a delay kernel",
      few, many);
  context.metric("launch.graph.node", node, "median of differences", method);
  context.metric("launch.graph.start", start, "median of differences", method);
}

void run(Context& context) {
  overhead(context);
  Queue queue(context);
  events(context, queue);
  interval(context, queue);
  gap(context, queue);
  programmatic(context, queue);
  graph(context, queue);
}

const Register registered{{"launch", "launches by stream and graph, events", 1.2, run}};

}  // namespace
}  // namespace rooftile::micro
