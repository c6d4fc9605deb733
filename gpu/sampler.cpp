// The sampling loop. The interval of the median is that of order statistics
// (model/stats/robust.hpp): it assumes nothing of the distribution, and needs 6 samples for 95 %.
#include "gpu/sampler.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/interrupt.hpp"
#include "model/stats/robust.hpp"

namespace rooftile {
namespace {

constexpr std::size_t fewest_samples = 3;
constexpr double largest_clock_move = 0.02;
constexpr double largest_half_width = 0.05;

double relative_half_width(const std::vector<double>& samples) {
  const auto interval = median_interval(samples);
  return (interval.hi - interval.lo) / 2 / median(samples);
}

/// Fewest samples whose extremes enclose the median with 95 %.
bool interval_covers(std::size_t n) { return n > 0 && median_ranks(n).coverage >= 0.95; }

class Sampling {
 public:
  Sampling(TimedCase& timed, const SampleOptions& options)
      : timed_(timed), options_(options), started_s_(timed.wall_s()) {}

  SampleResult run() {
    observe(result_.start);
    warm_up();
    result_.clocks_hz.push_back(timed_.sm_clock_hz());
    while (!finished()) take_block();
    result_.end = last_;
    return std::move(result_);
  }

 private:
  double elapsed_s() { return timed_.wall_s() - started_s_; }

  double take() {
    throw_if_interrupted();
    return timed_.sample();
  }

  void observe(DeviceCondition& condition) {
    condition = timed_.condition();
    for (const auto& reason : condition.throttle_reasons) {
      auto& all = result_.throttle_reasons;
      if (std::find(all.begin(), all.end(), reason) == all.end()) all.push_back(reason);
    }
  }

  /// Load until two consecutive clock reads agree. An unknown clock (0) agrees with itself.
  void warm_up() {
    double before = timed_.sm_clock_hz();
    for (;;) {
      const double round_started_s = timed_.wall_s();
      do {
        take();
        ++result_.warmup_samples;
      } while (timed_.wall_s() - round_started_s < options_.warmup_round_s && !warmup_over());
      const double now = timed_.sm_clock_hz();
      if (std::abs(now - before) <= options_.steady_clock * now || warmup_over()) return;
      before = now;
    }
  }

  bool warmup_over() { return elapsed_s() >= std::min(options_.warmup_cap_s, options_.wall_cap_s); }

  bool full() const {
    return result_.samples_s.size() >= static_cast<std::size_t>(std::max(1, options_.max_samples));
  }
  bool capped() {
    return full() ||
           (result_.samples_s.size() >= fewest_samples && elapsed_s() >= options_.wall_cap_s);
  }

  void take_block() {
    for (int i = 0; i < std::max(1, options_.block) && !capped(); ++i)
      result_.samples_s.push_back(take());
    result_.clocks_hz.push_back(timed_.sm_clock_hz());
    observe(last_);
  }

  bool finished() {
    const auto n = result_.samples_s.size();
    result_.converged = n >= static_cast<std::size_t>(std::max(1, options_.min_samples)) &&
                        interval_covers(n) &&
                        relative_half_width(result_.samples_s) <= options_.target_half_width;
    return result_.converged || capped();
  }

  TimedCase& timed_;
  const SampleOptions& options_;
  double started_s_;
  DeviceCondition last_;
  SampleResult result_;
};

std::vector<double> known_clocks(const std::vector<double>& clocks) {
  std::vector<double> known;
  std::copy_if(clocks.begin(), clocks.end(), std::back_inserter(known),
               [](double clock) { return clock > 0; });
  return known;
}

/// Largest over smallest clock, minus 1; 0 when unknown.
double clock_move(const std::vector<double>& clocks) {
  const auto known = known_clocks(clocks);
  if (known.empty()) return 0;
  const auto [least, most] = std::minmax_element(known.begin(), known.end());
  return *most / *least - 1;
}

void append(std::string& text, const std::string& part) {
  text += (text.empty() ? "" : "; ") + part;
}

}  // namespace

bool is_throttling(std::string_view reason) {
  constexpr std::array<std::string_view, 3> harmless = {"gpu_idle", "applications_clocks_setting",
                                                        "display_clock_setting"};
  return std::find(harmless.begin(), harmless.end(), reason) == harmless.end();
}

TimeSummary SampleResult::summary() const {
  TimeSummary summary;
  summary.median = median(samples_s);
  summary.mad = median_absolute_deviation(samples_s);
  summary.p5 = quantile(samples_s, 0.05);
  summary.p95 = quantile(samples_s, 0.95);
  summary.n = static_cast<int>(samples_s.size());
  summary.ci95 = median_interval(samples_s);
  summary.converged = converged;
  return summary;
}

double SampleResult::clock_hz() const {
  const auto known = known_clocks(clocks_hz);
  return known.empty() ? 0 : median(known);
}

State SampleResult::state() const { return reason().empty() ? State::ok : State::suspect; }

std::string SampleResult::reason() const {
  std::string text, throttled;
  for (const auto& name : throttle_reasons)
    if (is_throttling(name)) throttled += (throttled.empty() ? "" : ", ") + name;
  if (!throttled.empty()) append(text, "throttled: " + throttled);
  if (const double move = clock_move(clocks_hz); move > largest_clock_move)
    append(text, fmt::format("the SM clock moved by {:.1f} %", 100 * move));
  if (samples_s.empty()) return text;
  if (const double width = relative_half_width(samples_s); width > largest_half_width)
    append(text, fmt::format("noisy: the median of {} samples is known to {:.1f} % only",
                             samples_s.size(), 100 * width));
  return text;
}

SampleResult sample(TimedCase& timed, const SampleOptions& options) {
  return Sampling(timed, options).run();
}

}  // namespace rooftile
