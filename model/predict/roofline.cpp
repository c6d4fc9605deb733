#include "model/predict/roofline.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "model/kernel/architecture.hpp"
#include "model/kernel/arithmetic.hpp"
#include "model/kernel/occupancy.hpp"
#include "model/memory/l2.hpp"
#include "model/memory/wavefronts.hpp"
#include "model/predict/demand.hpp"
#include "model/predict/launch_cost.hpp"
#include "model/schedule/waves.hpp"

namespace rooftile {
namespace {

constexpr double issue_slots_per_cycle = 4;     // one a sub-core (compute capability 7.0 and later)
constexpr double shared_bytes_per_cycle = 128;  // 32 banks of 4 bytes

/// Peaks of the whole GPU in seconds' units.
struct Peaks {
  double sms = 0;
  double fma_per_s = 0;         ///< of one SM
  double issue_per_s = 0;       ///< of one SM
  double wavefronts_per_s = 0;  ///< of one SM
  double l2_bytes_per_s = 0, dram_bytes_per_s = 0;
  LaunchCost launch;
  double l2_bytes = 0, clock_hz = 0;
  double fma_slots = 1;  ///< issue slots an FFMA cannot share
  std::vector<std::string> inputs;
};

/// Largest of several ids, at the upper end of each interval; ids absent from the profile are
/// skipped.
double highest(const DeviceProfile& profile, std::initializer_list<std::string_view> ids,
               std::vector<std::string>& inputs) {
  double most = 0;
  for (const std::string_view id : ids) {
    if (const auto value = profile.find(id)) {
      const Metric& metric = profile.metrics.find(std::string(id))->second;
      most = std::max(most, *value);
      for (const auto& interval : {metric.ci95, metric.repeat95})
        if (interval) most = std::max(most, interval->hi);
      inputs.emplace_back(id);
    } else if (const Curve* curve = profile.find_curve(id); curve && !curve->y.empty()) {
      most = std::max(most, *std::max_element(curve->y.begin(), curve->y.end()));
      inputs.emplace_back(id);
    }
  }
  return most;
}

Peaks read_peaks(const DeviceProfile& profile) {
  Peaks p;
  p.sms = profile.value("device.sm_count");
  const double lanes = profile.value("device.fma_lanes_per_sm");
  profile.value("clock.ffma");
  profile.value("l2.bandwidth.read");
  profile.value("dram.bandwidth.read");
  p.launch.alone_s = profile.value("launch.overhead");
  p.l2_bytes = profile.value("device.l2_size");
  p.inputs = {"device.sm_count", "device.fma_lanes_per_sm", "launch.overhead", "device.l2_size"};
  p.launch.next_s = p.launch.alone_s;
  if (const auto gap = profile.find("launch.gap")) {
    p.launch.next_s = *gap;
    p.inputs.emplace_back("launch.gap");
  }
  p.clock_hz = highest(profile, {"device.sm_clock_max", "clock.ffma", "clock.light"}, p.inputs);
  const double fma = std::max(
      lanes, highest(profile, {"ffma.throughput", "ffma.throughput.over_warps"}, p.inputs));
  const double shared = std::max(
      shared_bytes_per_cycle,
      highest(profile, {"smem.lds32.bandwidth", "smem.lds64.bandwidth", "smem.lds128.bandwidth"},
              p.inputs));
  p.fma_per_s = fma * p.clock_hz;
  p.issue_per_s = issue_slots_per_cycle * p.clock_hz;
  p.fma_slots = std::min(1.0, issue_slots_per_cycle * lanes_per_warp / fma);
  p.wavefronts_per_s = shared / shared_bytes_per_cycle * p.clock_hz;
  p.l2_bytes_per_s =
      p.clock_hz *
      highest(profile, {"l2.bandwidth.read", "l2.bandwidth.over_active_sms"}, p.inputs);
  p.dram_bytes_per_s =
      highest(profile,
              {"dram.bandwidth.read", "dram.bandwidth.write", "dram.bandwidth.copy",
               "dram.bandwidth.over_active_sms", "device.dram_peak_bandwidth"},
              p.inputs);
  return p;
}

/// Least passes that an instruction with these lanes takes: exact from width and rules when all
/// lanes are active, at least one when some are.
double least_passes(const LaneAddresses& lanes, double when_all) {
  static constexpr std::array<bool, 32> all = [] {
    std::array<bool, 32> a{};
    a.fill(true);
    return a;
  }();
  if (std::memcmp(lanes.active.data(), all.data(), sizeof all) == 0) return when_all;
  return std::find(lanes.active.begin(), lanes.active.end(), true) != lanes.active.end() ? 1 : 0;
}

class Roofline final : public Predictor {
 public:
  explicit Roofline(const DeviceProfile& profile)
      : peaks_(read_peaks(profile)),
        rules_(merge_rules(profile)),
        limits_(occupancy_limits(profile)) {}

  std::string_view name() const override { return "roofline"; }

  double time_s(const KernelDescription& kernel, const GemmProblem& problem) const override {
    const Work work = count(kernel, problem);
    const double most = *std::max_element(work.seconds.begin(), work.seconds.end());
    return most + peaks_.launch.share_s(most, problem.beta == 0);
  }

  Prediction explain(const KernelDescription& kernel, const GemmProblem& problem) const override;

 private:
  static constexpr std::array bounds = {Bound::fma, Bound::issue, Bound::smem, Bound::l2,
                                        Bound::dram};
  struct Work {
    std::array<double, bounds.size()> seconds{};
    double l2_bytes = 0, dram_bytes = 0, wavefronts = 0, blocks = 0;
  };
  Work count(const KernelDescription& kernel, const GemmProblem& problem) const;

  Peaks peaks_;
  MergeRules rules_;
  OccupancyLimits limits_;
};

Roofline::Work Roofline::count(const KernelDescription& kernel, const GemmProblem& as_given) const {
  const GemmProblem problem = canonical(as_given);
  Work work;
  work.blocks =
      static_cast<double>(block_grid(kernel.tile, problem).blocks() * problem.batch * kernel.parts);
  const auto sms = static_cast<std::int64_t>(peaks_.sms);
  const std::int64_t most_blocks = (static_cast<std::int64_t>(work.blocks) + sms - 1) / sms;
  const auto blocks_of_sm = static_cast<double>(most_blocks);
  const int warps = (kernel.threads_per_block + lanes_per_warp - 1) / lanes_per_warp;
  const double warp_steps = warps * static_cast<double>(kernel.k_iterations);
  double shared = 0, passes = 0;
  for (const SharedAccess& a : kernel.shared)
    shared += a.per_iteration *
              least_passes(a.lanes, least_shared_wavefronts(a.width_bytes, a.direction, rules_));
  for (const GlobalAccess& a : kernel.global) {
    const int least = a.width_bytes / 4;
    passes += a.per_iteration * least_passes(a.lanes, least);
  }
  const double other = kernel.mix.total() - kernel.mix.fma;
  const double footprint = footprint_bytes(problem);
  if (kernel.k_iterations > 0) {  // 0 where alpha is: A and B are not read
    work.l2_bytes = least_l2_read_bytes(kernel.tile, problem, stages_panels(kernel));
    work.dram_bytes = std::max(0.0, footprint - peaks_.l2_bytes);
  }
  work.wavefronts = work.blocks * warp_steps * shared;
  const double steps_of_sm = blocks_of_sm * warp_steps;
  work.seconds = {steps_of_sm * kernel.mix.fma * lanes_per_warp / peaks_.fma_per_s,
                  // Instructions other than FFMA may hide in the slots that a slow FMA pipe leaves.
                  steps_of_sm * (kernel.mix.fma * peaks_.fma_slots + other) / peaks_.issue_per_s,
                  steps_of_sm * (shared + passes) / peaks_.wavefronts_per_s,
                  work.l2_bytes / peaks_.l2_bytes_per_s, work.dram_bytes / peaks_.dram_bytes_per_s};
  return work;
}

Prediction Roofline::explain(const KernelDescription& kernel, const GemmProblem& problem) const {
  const Work work = count(kernel, problem);
  const auto most = std::max_element(work.seconds.begin(), work.seconds.end());
  Prediction p = prediction_of(name(), kernel, problem);
  const double launch_s = peaks_.launch.share_s(*most, problem.beta == 0);
  p.time_s = *most + launch_s;
  p.clock_hz = peaks_.clock_hz;
  p.cycles = p.time_s * p.clock_hz;
  p.bound = *most < launch_s ? Bound::launch
                             : bounds[static_cast<std::size_t>(most - work.seconds.begin())];
  p.terms = {{std::string(to_string(bounds[static_cast<std::size_t>(most - work.seconds.begin())])),
              *most},
             {"launch", launch_s}};
  const Occupancy fit = occupancy(limits_, kernel);
  p.occupancy_blocks_per_sm = fit.blocks_per_sm;
  p.occupancy = fit.fraction;
  if (fit.blocks_per_sm > 0) {
    const Waves waves = make_waves(static_cast<std::int64_t>(work.blocks),
                                   static_cast<int>(peaks_.sms), fit.blocks_per_sm);
    p.waves = waves.count();
    p.tail_efficiency = waves.efficiency();
  }
  p.l2_bytes = work.l2_bytes;
  p.l2_hit_rate = work.l2_bytes > 0 ? std::max(0.0, 1 - work.dram_bytes / work.l2_bytes) : 0;
  p.dram_read_bytes = work.dram_bytes;
  p.shared_wavefronts = work.wavefronts;
  p.inputs = peaks_.inputs;
  return p;
}

}  // namespace

std::unique_ptr<Predictor> make_roofline(const DeviceProfile& profile) {
  return std::make_unique<Roofline>(profile);
}

}  // namespace rooftile
