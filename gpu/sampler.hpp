// The sampler that every timing of rooftile goes through (microbenchmarks and GEMM alike). Plain
// C++: it sees the device only through TimedCase, so that tests drive it with a synthetic clock.
//
// Method: warm up until the clock is steady, then take samples in blocks until the 95 % confidence
// half-width of the median is below the target or the wall cap is reached. Samples are never
// dropped; the SM clock is read before and after each block. Pitfall: a case shorter than the
// timer's resolution must repeat inside (TimedCase::repetitions).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile/device_profile.hpp"
#include "model/record/run.hpp"

namespace rooftile {

struct SampleOptions {
  double target_half_width = 0.005;  ///< of the median, relative
  double wall_cap_s = 1.0;           ///< for one case, warm-up included
  int min_samples = 7;
  int max_samples = 1000;
  int block = 7;                ///< samples between two looks at the clock
  double steady_clock = 0.005;  ///< warm-up ends when two consecutive clock reads agree to this
  double warmup_cap_s = 0.3;
  double warmup_round_s = 0.003;  ///< least load between two clock reads of the warm-up
};

/// What is timed. All times in seconds.
class TimedCase {
 public:
  virtual ~TimedCase() = default;
  virtual double sample() = 0;       ///< runs once and returns the measured duration
  virtual double sm_clock_hz() = 0;  ///< by the probe kernel, now; 0 when unknown
  virtual DeviceCondition condition() = 0;
  virtual double wall_s() = 0;  ///< monotonic host clock
};

struct SampleResult {
  std::vector<double> samples_s;              ///< in the order taken
  std::vector<double> clocks_hz;              ///< one before the first block and one after each
  std::vector<std::string> throttle_reasons;  ///< union over the run
  DeviceCondition start, end;
  int warmup_samples = 0;
  bool converged = false;
  /// For fewer than 6 samples ci95 is their range, which covers less than 95 %, and converged is
  /// false. Throws std::logic_error without samples.
  TimeSummary summary() const;
  double clock_hz() const;  ///< median of clocks_hz
  /// suspect when throttled, when the clock moved by more than 2 % between blocks, or when the
  /// median is known no better than to 5 %
  State state() const;
  std::string reason() const;  ///< of a suspect state; empty when ok
};

/// Whether this NVML reason means that the clock is held below what was asked for. Idling and a
/// clock chosen by the user are reasons too, but not against a measurement.
bool is_throttling(std::string_view reason);

/// At least min(3, max_samples) samples, however slow the case; otherwise the wall cap holds.
/// Throws Interrupted between samples when a signal has arrived.
SampleResult sample(TimedCase& timed, const SampleOptions& options);

}  // namespace rooftile
