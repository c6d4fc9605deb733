// A load held on the whole GPU for a time: its rate, the SM clock inside it, board power,
// temperature, and how long the clock took to settle. Shared by the clock and the tensor-core
// microbenchmarks.
//
// A launch lasts about 10 ms and reports the cycles and nanoseconds between the same two points of
// each block; rate = work / nanoseconds and SM clock = cycles / nanoseconds, both of the slowest
// block, so that no launch overhead and no race with a host-side reading is in either. The next
// launch is always queued before the last one ends: the GPU does not pause. NVML is read once a
// launch. What falls into the settling time is not counted.
//
// A load that runs into the power limit (`sw_power_cap`) has its steady state there, which is what
// is asked for: it stays `ok`, and the method says in how many launches the limit held. Thermal and
// hardware slowdowns, and a clock that still drifts, make it `suspect`.
//
// Pitfalls: NVML renews its power reading less often than once a launch, so that readings repeat
// and their spread is understated; temperature follows over minutes and is only stated.
#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <optional>

#include "gpu/cuda/select.hpp"
#include "gpu/interrupt.hpp"
#include "gpu/nvml.hpp"
#include "gpu/runner.hpp"
#include "micro/context.hpp"
#include "micro/text.hpp"
#include "micro/timing.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {

/// What one block saw: its cycles, and the nanoseconds in between the same two points.
struct BlockTimes {
  long long cycles;
  long long nanoseconds;
};

struct HoldOptions {
  double settle_s, hold_s;

  /// `settle_s` of each round, `hold_s` of all rounds together.
  static HoldOptions of(const Context& context, double settle_s, double hold_s) {
    if (context.quick()) return {settle_s / 3, hold_s / 5};
    return {settle_s, hold_s / characterize_rounds};
  }
};

struct HeldLoad {
  Repetitions rate, clock_hz, power_w, temperature_c;
  double steady_after_s = 0;  ///< start of the load to the last clock off the steady one by 0.5 %
  std::string method;         ///< how it was held, where the power reading is from, power limit
};

class LoadHolder {
 public:
  /// `launch(times, trips)` starts the kernel with `blocks` blocks, each of which stores its times.
  LoadHolder(Context& context, int blocks, std::function<void(BlockTimes*, int)> launch)
      : context_(context),
        launch_(std::move(launch)),
        nvml_(device_uuid(context.device().properties())) {
    for (Slot& slot : slots_)
      slot.times = DeviceBuffer<BlockTimes>(static_cast<std::size_t>(blocks));
  }

  /// `work_per_trip`: of the whole GPU in one loop trip, in the unit of `rate` times seconds.
  HeldLoad hold(double work_per_trip, const HoldOptions& options) {
    calibrate();
    HeldLoad found;
    std::vector<std::pair<double, double>> clocks;  // seconds since the start, Hz
    const double start = now_s();
    enqueue(0);
    for (int i = 0;; ++i) {
      throw_if_interrupted();
      enqueue(i + 1);
      const DeviceCondition condition = context_.device().condition();
      const std::optional<double> watts = nvml_.power_now_w();
      const BlockTimes times = finish(i);
      const double since = now_s() - start;
      const double seconds = 1e-9 * static_cast<double>(times.nanoseconds);
      clocks.emplace_back(since, static_cast<double>(times.cycles) / seconds);
      if (since < options.settle_s) continue;
      found.rate.values.push_back(work_per_trip * trips_ / seconds);
      found.clock_hz.values.push_back(clocks.back().second);
      observe(found, condition, watts);
      if (since >= options.settle_s + options.hold_s) break;
    }
    check(cudaStreamSynchronize(context_.stream()), "held load");
    conclude(found, clocks, options);
    return found;
  }

 private:
  static constexpr double launch_s = 0.01;

  struct Slot {
    DeviceBuffer<BlockTimes> times;
    Event done;
  };

  static double now_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  void enqueue(int i) {
    Slot& slot = slots_[static_cast<std::size_t>(i % 2)];
    launch_(slot.times.data(), trips_);
    check_launch("held load");
    slot.done.record(context_.stream());
  }

  /// The slowest block of launch `i`, once that has ended.
  BlockTimes finish(int i) {
    Slot& slot = slots_[static_cast<std::size_t>(i % 2)];
    slot.done.synchronize();
    std::vector<BlockTimes> times(slot.times.size());
    slot.times.download(times.data(), times.size());
    return *std::max_element(
        times.begin(), times.end(),
        [](const BlockTimes& x, const BlockTimes& y) { return x.nanoseconds < y.nanoseconds; });
  }

  /// Trips for a launch of `launch_s`. The first launch also loads the kernel.
  void calibrate() {
    trips_ = 16;
    for (int i = 0; i < 2; ++i) {
      enqueue(0);
      const double seconds = 1e-9 * static_cast<double>(std::max(1LL, finish(0).nanoseconds));
      trips_ = std::clamp(static_cast<int>(trips_ * launch_s / seconds), 1, 1 << 24);
    }
  }

  void observe(HeldLoad& found, const DeviceCondition& condition, std::optional<double> watts) {
    ++readings_;
    if (watts) ++instant_;
    const double power = watts.value_or(condition.available ? condition.power_w : 0);
    if (power > 0) found.power_w.values.push_back(power);
    if (condition.available && condition.temperature_c > 0)
      found.temperature_c.values.push_back(condition.temperature_c);
    for (const std::string& reason : condition.throttle_reasons) {
      if (reason == "sw_power_cap")
        ++capped_;
      else if (is_throttling(reason) && found.clock_hz.reason.find(reason) == std::string::npos)
        found.clock_hz.reason += (found.clock_hz.reason.empty() ? "throttled: " : ", ") + reason;
    }
  }

  void conclude(HeldLoad& found, const std::vector<std::pair<double, double>>& clocks,
                const HoldOptions& options) const {
    const std::vector<double>& counted = found.clock_hz.values;
    if (counted.size() < 2) return;
    const auto half = counted.begin() + static_cast<std::ptrdiff_t>(counted.size() / 2);
    const double steady = median(std::vector<double>(half, counted.end()));
    const double before = median(std::vector<double>(counted.begin(), half));
    for (const auto& [since, clock] : clocks)
      if (std::abs(clock - steady) > 0.005 * steady) found.steady_after_s = since;
    if (std::abs(before - steady) > 0.02 * steady && found.clock_hz.reason.empty())
      found.clock_hz.reason =
          text("the SM clock still drifted: {:.0f}, then {:.0f} MHz", before / 1e6, steady / 1e6);
    for (Repetitions* each : {&found.rate, &found.power_w, &found.temperature_c})
      each->reason = found.clock_hz.reason;
    if (!found.clock_hz.reason.empty())
      for (Repetitions* each : {&found.rate, &found.clock_hz, &found.power_w, &found.temperature_c})
        each->state = State::suspect;
    found.method = text("held {:.2f} s after {:.2f} s of settling, launches of about {:.0f} ms",
                        options.hold_s, options.settle_s, 1e3 * launch_s);
    found.method +=
        instant_ == readings_ ? "; NVML power now" : "; NVML power, an average of up to 1 s";
    if (capped_ > 0)
      found.method += text("; at the power limit in {} of {} launches", capped_, readings_);
  }

  Context& context_;
  std::function<void(BlockTimes*, int)> launch_;
  Nvml nvml_;
  std::array<Slot, 2> slots_;
  int trips_ = 1;
  int readings_ = 0, instant_ = 0, capped_ = 0;
};

/// `<id>` may be absent where NVML reports nothing.
inline void publish_reading(Context& context, const std::string& id, const Repetitions& readings,
                            const std::string& method) {
  if (readings.values.empty())
    context.skip(id, "NVML does not report it here");
  else
    context.metric(id, readings, "median of launches", method);
}

/// `<id>` = the rate, `<id>.clock` and `<id>.power` beside it.
inline void publish_rate(Context& context, const std::string& id, const HeldLoad& load,
                         const std::string& what) {
  const std::string method = what + "; slowest block; " + load.method;
  context.metric(id, load.rate, "median of launches", method);
  context.metric(id + ".clock", load.clock_hz, "median of launches",
                 "clock64 over globaltimer inside the load: " + method);
  publish_reading(context, id + ".power", load.power_w, method);
}

}  // namespace rooftile::micro
