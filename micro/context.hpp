// What a microbenchmark sees: the device, how much time it may spend, and the profile that it
// fills.
//
// Every number goes through here, so that every number gets the same treatment: the unit from the
// catalog of ids, the median of independent repetitions (one repetition = one kernel launch, never
// one trip of a loop inside a kernel), its distribution-free 95 % interval, the median absolute
// deviation, and the interval in which one more repetition will fall. Nothing is dropped.
//
// A run of characterize visits each microbenchmark in several rounds that start anew (buffers,
// warm-up, other microbenchmarks between them), because the repetitions of one round share page
// placement and temperature and cannot know how far another run will lie. DeviceProfile::unfinished
// keeps the rounds.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/cuda/device.hpp"
#include "gpu/sampler.hpp"
#include "model/profile/device_profile.hpp"

namespace rooftile::micro {

/// One point of a curve.
struct CurvePoint {
  double x = 0;
  Repetitions y;
};

class Context {
 public:
  /// `supplier` is the microbenchmark's name: only ids that the catalog gives to it are accepted.
  /// Repetitions of this round join those of `profile.unfinished`.
  Context(Device& device, bool quick, DeviceProfile& profile, std::string supplier);

  Device& device() const { return device_; }
  cudaStream_t stream() const { return device_.stream(); }
  bool quick() const { return quick_; }
  int sm_count() const { return device_.properties().multiProcessorCount; }
  /// Largest dynamic plus static shared memory that one block may have, in bytes.
  std::size_t shared_bytes_per_block() const;
  /// Free device memory now, in bytes.
  std::size_t free_bytes() const;

  /// Repetitions a round of a quantity that is cheap to repeat: always enough for a 95 % interval
  /// of the median (6).
  static constexpr int repetitions() { return 7; }
  /// Options for event-timed cases; `wall_cap_s` is that of all rounds together.
  SampleOptions sample_options(double wall_cap_s) const;
  /// Calls `once` repetitions() times after one untimed call.
  Repetitions repeat(const std::function<double()>& once) const;
  /// Event-timed launches through the sampler; each sample becomes `numerator / seconds`.
  Repetitions rates(double numerator, const std::function<void(cudaStream_t)>& launch,
                    double wall_cap_s) const;
  /// The same, as seconds.
  Repetitions durations(const std::function<void(cudaStream_t)>& launch, double wall_cap_s) const;

  /// Median of at least 5 repetitions, with those of earlier rounds. Both intervals are widened to
  /// hold `fit`, what a fit leaves open however well its repetitions agree. Throws std::logic_error
  /// for an id that the catalog does not give to this microbenchmark.
  void metric(std::string_view id, const Repetitions& repetitions, std::string estimator,
              std::string method, std::optional<Interval> fit = {});
  /// An exact value told by the driver or decided by a comparison: no interval.
  void exact(std::string_view id, double value, std::string estimator, std::string method,
             State state = State::ok, std::string reason = {});
  void curve(std::string_view id, const std::vector<CurvePoint>& points, std::string method);
  void table(std::string_view id, Table table);
  /// The entry, metric or curve, has no value, and why.
  void skip(std::string_view id, std::string reason) { absent(id, State::skipped, reason); }
  void fail(std::string_view id, std::string reason) { absent(id, State::failed, reason); }
  /// Gives each metric and curve of this supplier that has no value yet this state and reason.
  void close(State state, const std::string& reason);

  /// Median that this run has just found, for later steps of the same microbenchmark.
  double value(std::string_view id) const { return profile_.value(id); }
  const DeviceProfile& profile() const { return profile_; }

 private:
  void absent(std::string_view id, State state, const std::string& reason);
  /// Whether an earlier round measured `id`: its entry stays, suspect from now on.
  bool measured_before(std::string_view id, const std::string& reason);
  void mark(std::string_view id);

  Device& device_;
  bool quick_;
  DeviceProfile& profile_;
  std::string supplier_;
  Unfinished& pool_;
  std::vector<std::string> written_;
};

}  // namespace rooftile::micro
