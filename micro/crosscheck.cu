// Cross-checks: the same quantity by two ways that share nothing, as a ratio that should be 1.
//
// crosscheck.time: seconds of a kernel between two events / (its cycles by clock64 on the slowest
//   SM / SM clock of the probe). Events, clock64 and globaltimer are three clocks.
// crosscheck.ffma: FFMA counted by the hardware / FFMA that the kernel's loops hold.
// crosscheck.dram_read, .dram_write: bytes counted at the memory chips / bytes of a stream far
//   larger than L2. Below 1 something was cached, merged or compressed.
// crosscheck.l2_read: bytes that SMs asked of L2 / bytes of ld.cg reads that stay inside L2, and
//   crosscheck.l1_hit, the share of those that L1 answered, which should be 0; the same for the
//   launch behind l2.bandwidth.read: crosscheck.l1_hit.window.
//
// Expect on an H200: all ratios within 1 % of 1 (time 1.000-1.005: the launch is in it), L1 hits
// below 0.01. No public suite states these.
//
// Pitfalls: counters need permission (rooftile doctor), without it their entries are skipped.
// Collecting replays the launch and disturbs what runs beside it, so that this microbenchmark comes
// once, after all rounds of the others.
//
// ENTRY: crosscheck.time | metric | 1 | event-timed seconds over cycles / SM clock of one kernel
// ENTRY: crosscheck.ffma | metric | 1 | FFMA by counter over FFMA of the kernel
// ENTRY: crosscheck.dram_read | metric | 1 | DRAM bytes read by counter over bytes of the stream
// ENTRY: crosscheck.dram_write | metric | 1 | DRAM bytes written by counter over bytes of the stream
// ENTRY: crosscheck.l2_read | metric | 1 | L2 bytes read by counter over bytes of ld.cg reads
// ENTRY: crosscheck.l1_hit | metric | 1 | share of ld.cg reads that L1 answers, by counter
// ENTRY: crosscheck.l1_hit.window | metric | 1 | share of the reads behind l2.bandwidth.read that L1 answers, by counter
#include "gpu/cuda/counters.hpp"
#include "micro/context.hpp"
#include "micro/ffma_kernel.cuh"
#include "micro/microbenchmark.hpp"
#include "micro/stream_access.cuh"
#include "micro/text.hpp"
#include "micro/window_read.cuh"

namespace rooftile::micro {
namespace {

constexpr int warps = 8, trips = 4000;

void launch_ffma(Context& context, DeviceBuffer<LoadTimes>& times, DeviceBuffer<float>& sink) {
  ffma_throughput_kernel<<<context.sm_count(), 32 * warps, 0, context.stream()>>>(
      times.data(), sink.data(), 1u, trips);
  check_launch("ffma_throughput_kernel");
}

void time_ratio(Context& context, DeviceBuffer<LoadTimes>& times, DeviceBuffer<float>& sink) {
  const auto once = [&] {
    EventTimedCase timed(context.device(),
                         [&](cudaStream_t) { launch_ffma(context, times, sink); });
    const double seconds = timed.sample();
    const double clock_hz = context.device().sm_clock_hz();
    const auto cycles = static_cast<double>(slowest(times, context.stream()).cycles);
    return seconds * clock_hz / cycles;
  };
  context.metric("crosscheck.time", context.repeat(once), "median of ratios",
                 text("{} trips of the FFMA load on every SM, {} warps an SM; the probe reads the "
                      "clock right after",
                      trips, warps));
}

/// One counter of a launch over what the launch should have done.
class CounterCheck {
 public:
  explicit CounterCheck(Context& context)
      : context_(context), counters_(make_counters(context.device().index())) {}

  /// (id, counter's name, expected count); all of the same launch.
  struct Expected {
    const char* id;
    const char* counter;
    double count;
  };
  void operator()(std::initializer_list<Expected> all, const std::string& method,
                  const std::function<void()>& launch) {
    const CounterSet set = counters_->collect(launch);
    for (const Expected& expected : all) {
      const auto found = std::find_if(set.values.begin(), set.values.end(), [&](const auto& value) {
        return value.first == expected.counter;
      });
      if (found != set.values.end())
        context_.exact(expected.id, found->second / expected.count, "counter over computed",
                       text("{} of one launch; {}", expected.counter, method));
      else
        context_.skip(expected.id, set.reason.empty()
                                       ? text("this GPU has no counter {}", expected.counter)
                                       : set.reason);
    }
  }

 private:
  Context& context_;
  std::unique_ptr<Counters> counters_;
};

void check_streams(Context& context, CounterCheck& check_counter) {
  const auto l2_bytes = static_cast<std::size_t>(context.device().properties().l2CacheSize);
  const std::size_t bytes =
      std::min(std::size_t{2} << 30, context.free_bytes() / 4) / chunk_bytes * chunk_bytes;
  DeviceBuffer<unsigned char> buffer(bytes);
  DeviceBuffer<unsigned> sink(1);
  fill_random(context, buffer);
  const auto chunks = static_cast<unsigned>(bytes / chunk_bytes);
  const auto read = [&](unsigned blocks, unsigned footprint) {
    stream_read_kernel<<<blocks, stream_threads, 0, context.stream()>>>(buffer.data(), 0u,
                                                                        footprint, sink.data());
    check_launch("stream_read_kernel");
  };
  const auto total = static_cast<double>(bytes);
  check_counter({{"crosscheck.dram_read", "dram.read_bytes", total}}, text("reads of {} B", bytes),
                [&] { read(chunks, chunks); });
  check_counter({{"crosscheck.dram_write", "dram.write_bytes", total}},
                text("writes of {} B; what L2 still holds at the end is missing", bytes), [&] {
                  stream_write_kernel<<<chunks, stream_threads, 0, context.stream()>>>(
                      buffer.data(), chunks, 1u);
                  check_launch("stream_write_kernel");
                });
  const auto inside = static_cast<unsigned>(l2_bytes / 4 / chunk_bytes);
  check_counter(
      {{"crosscheck.l2_read", "l2.read_bytes", total}, {"crosscheck.l1_hit", "l1.hit_rate", 1}},
      text("{} B of ld.cg reads round {} B", bytes, inside * chunk_bytes),
      [&] { read(chunks, inside); });
  WindowReader reader(context, buffer);
  check_counter({{"crosscheck.l1_hit.window", "l1.hit_rate", 1}},
                text("the launch of l2.bandwidth.read over {} B", inside * chunk_bytes),
                [&] { reader.once(inside * chunk_bytes, context.sm_count(), 200'000, 400'000); });
}

void run(Context& context) {
  DeviceBuffer<LoadTimes> times(static_cast<std::size_t>(context.sm_count()));
  DeviceBuffer<float> sink(1);
  time_ratio(context, times, sink);
  CounterCheck check_counter(context);
  const double ffma = static_cast<double>(ffma_per_trip) * trips * warps * context.sm_count();
  check_counter({{"crosscheck.ffma", "instructions.ffma", ffma}}, "the FFMA load",
                [&] { launch_ffma(context, times, sink); });
  check_streams(context, check_counter);
}

const Register registered{
    {"crosscheck", "the same quantity by two independent ways", 2, run, true}};

}  // namespace
}  // namespace rooftile::micro
