// The real SM clock under light load and under full FFMA load, and the board power beside it.
//
// SM clock = clock64 over globaltimer, both read by the kernel that makes the load: no sampling
// race with a host-side reading. Light load: a one-thread probe. FFMA load: one block of 16 warps
// on every SM (ffma_kernel.cuh) in launches of about 20 ms without gaps for at least a second, of
// which the second half counts; NVML is read while a launch runs.
//
// Expect on an H200: 1980 MHz light, about 1968 MHz under FFMA; idle 345 MHz, so the first
// milliseconds after a pause are slow, hence the warm-up.
//
// Pitfalls: the driver lowers the clock with power and temperature over seconds, so short loads
// flatter; zeros as operands draw less power than random data; NVML power is a running average of
// up to 1 s.
//
// ENTRY: clock.light | metric | Hz | SM clock under light load
// ENTRY: clock.ffma | metric | Hz | SM clock under full FFMA load
// ENTRY: clock.ffma.power | metric | W | board power under full FFMA load
#include "micro/text.hpp"

#include <chrono>
#include <cmath>

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/ffma_kernel.cuh"
#include "micro/microbenchmark.hpp"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr int load_warps = 8;
constexpr double launch_s = 0.02;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Reads the probe until two reads agree to 0.1 %, at most for half a second.
void settle(Context& context) {
  const double end = now_s() + 0.5;
  double previous = context.device().sm_clock_hz();
  while (now_s() < end) {
    const double clock = context.device().sm_clock_hz();
    if (std::abs(clock - previous) < 1e-3 * clock) return;
    previous = clock;
  }
}

void light(Context& context) {
  settle(context);
  const Repetitions found = context.repeat([&] { return context.device().sm_clock_hz(); });
  context.metric("clock.light", found, "median",
                 "probe kernel of one thread: clock64 over globaltimer");
}

struct Load {
  Repetitions clock_hz, power_w;
};

class FfmaLoad {
 public:
  explicit FfmaLoad(Context& context)
      : context_(context), times_(static_cast<std::size_t>(context.sm_count())), sink_(1) {
    trips_ = 256;
    const LoadTimes probe = launch_and_wait(nullptr);
    trips_ = std::max(
        1, static_cast<int>(trips_ * launch_s * 1e9 / static_cast<double>(probe.nanoseconds)));
  }

  /// One launch; reads NVML while it runs when `condition` is given.
  LoadTimes launch_and_wait(DeviceCondition* condition) {
    ffma_throughput_kernel<<<context_.sm_count(), 32 * load_warps, 0, context_.stream()>>>(
        times_.data(), sink_.data(), 7u, trips_);
    check_launch("ffma_throughput_kernel");
    if (condition != nullptr) *condition = context_.device().condition();
    return slowest(times_, context_.stream());
  }

 private:
  Context& context_;
  DeviceBuffer<LoadTimes> times_;
  DeviceBuffer<float> sink_;
  int trips_ = 1;
};

Load load_for(Context& context, double duration_s) {
  FfmaLoad load(context);
  Load found;
  const double start = now_s();
  for (double now = start; now < start + duration_s; now = now_s()) {
    throw_if_interrupted();
    DeviceCondition condition;
    const LoadTimes times = load.launch_and_wait(&condition);
    if (now < start + duration_s / 2) continue;
    found.clock_hz.values.push_back(1e9 * static_cast<double>(times.cycles) /
                                    static_cast<double>(times.nanoseconds));
    if (condition.available && condition.power_w > 0)
      found.power_w.values.push_back(condition.power_w);
    for (const std::string& reason : condition.throttle_reasons)
      if (found.clock_hz.reason.find(reason) == std::string::npos)
        found.clock_hz.reason += (found.clock_hz.reason.empty() ? "throttled: " : ", ") + reason;
  }
  if (!found.clock_hz.reason.empty()) found.clock_hz.state = State::suspect;
  return found;
}

void run(Context& context) {
  light(context);
  const double duration_s = context.quick() ? 0.6 : 2.0;
  const Load found = load_for(context, duration_s);
  const std::string method =
      text("8x16 outer products on random data, {} warps on every SM, second half of {} s",
           load_warps, duration_s);
  context.metric("clock.ffma", found.clock_hz, "median of launches",
                 "clock64 over globaltimer inside the load: " + method);
  if (found.power_w.values.empty())
    context.skip("clock.ffma.power", "NVML does not report power here");
  else
    context.metric("clock.ffma.power", found.power_w, "median", "NVML during the load: " + method);
}

const Register registered{{"clock", "SM clock under light and FFMA load", 2.3, run}};

}  // namespace
}  // namespace rooftile::micro
