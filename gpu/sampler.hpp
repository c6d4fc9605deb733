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
  TimeSummary summary() const;
  double clock_hz() const;  ///< median of clocks_hz
  State state()
      const;  ///< suspect when throttled, or when the clock moved by more than 2 % between blocks
  std::string reason() const;
};

SampleResult sample(TimedCase& timed, const SampleOptions& options);

}  // namespace rooftile
