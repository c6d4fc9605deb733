#include "model/predict/baselines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/kernel/occupancy.hpp"
#include "model/predict/closed_forms.hpp"
#include "model/predict/demand.hpp"
#include "model/record/libraries.hpp"
#include "model/schedule/waves.hpp"
#include "model/stats/errors.hpp"

namespace rooftile {
namespace {

/// A baseline has a time and nothing to explain.
class TimeOnly : public Predictor {
 public:
  Prediction explain(const KernelDescription& kernel, const GemmProblem& problem) const override {
    Prediction p = prediction_of(name(), kernel, problem);
    p.time_s = time_s(kernel, problem);
    return p;
  }
};

class PlainRoofline final : public TimeOnly {
 public:
  explicit PlainRoofline(const DeviceProfile& profile)
      : flop_per_s_(2 * profile.value("ffma.throughput") * profile.value("device.sm_count") *
                    profile.value("clock.ffma")),
        bytes_per_s_(profile.value("dram.bandwidth.read")) {}
  std::string_view name() const override { return "plain_roofline"; }
  double time_s(const KernelDescription&, const GemmProblem& problem) const override {
    return std::max(problem.flop() / flop_per_s_, footprint_bytes(problem) / bytes_per_s_);
  }

 private:
  double flop_per_s_, bytes_per_s_;
};

class MaxRule final : public TimeOnly {
 public:
  explicit MaxRule(const DeviceProfile& profile) : machine_(make_machine(profile)) {}
  std::string_view name() const override { return "max_rule"; }
  double time_s(const KernelDescription& kernel, const GemmProblem& problem) const override {
    const int b = occupancy(machine_.limits, kernel).blocks_per_sm;
    if (b == 0) return std::numeric_limits<double>::infinity();
    const KernelDemand demand = kernel_demand(machine_, kernel, problem, b);
    const double clock = machine_[Scalar::clock_ffma];
    const ResourceCycles r = resource_cycles(machine_, demand.block, clock, b, machine_.sms());
    const Waves waves =
        make_waves(static_cast<std::int64_t>(demand.launch.blocks), machine_.sms(), b);
    const double whole = static_cast<double>(waves.full + (waves.remainder > 0 ? 1 : 0)) * b;
    const double work_s = whole * std::max({r.fma, r.issue, r.smem, r.l2, r.dram}) / clock;
    return work_s + machine_.launch().share_s(work_s, problem.beta == 0);
  }

 private:
  Machine machine_;
};

bool is_default_tile(const Tile& tile) { return tile.BM == 128 && tile.BN == 128 && tile.BK == 8; }

/// Chosen over best, by shape; the choice is a time, or NaN-free absence.
struct Regrets {
  std::vector<double> values;
  void add(double chosen, double best) { values.push_back(chosen / best - 1); }
  ErrorSummary summary() const {
    ErrorSummary s;
    s.n = static_cast<int>(values.size());
    s.regret_top1 = aggregate_regret(values);
    return s;
  }
};

}  // namespace

std::unique_ptr<Predictor> make_plain_roofline(const DeviceProfile& profile) {
  return std::make_unique<PlainRoofline>(profile);
}

std::unique_ptr<Predictor> make_max_rule(const DeviceProfile& profile) {
  return std::make_unique<MaxRule>(profile);
}

std::map<std::string, ErrorSummary> choice_baselines(
    std::span<const MeasuredKernel> runs, const std::map<std::string, double>& cublas_s) {
  std::map<std::string, std::vector<const MeasuredKernel*>> shapes;
  for (const MeasuredKernel& run : runs) shapes[shape_name(run.problem)].push_back(&run);
  Regrets fixed, vendor, random;
  for (const auto& [shape, group] : shapes) {
    double best = std::numeric_limits<double>::infinity(), with_default_tile = best;
    for (const MeasuredKernel* run : group) {
      best = std::min(best, run->measured_s);
      if (is_default_tile(run->kernel.tile))
        with_default_tile = std::min(with_default_tile, run->measured_s);
    }
    if (std::isfinite(with_default_tile)) fixed.add(with_default_tile, best);
    if (const auto time = cublas_s.find(shape); time != cublas_s.end())
      vendor.add(time->second, best);
    double log_regret = 0;
    for (const MeasuredKernel* run : group) log_regret += std::log(run->measured_s / best);
    random.add(best * std::exp(log_regret / static_cast<double>(group.size())), best);
  }
  std::map<std::string, ErrorSummary> summaries;
  if (!fixed.values.empty()) summaries["always 128x128x8"] = fixed.summary();
  if (!vendor.values.empty()) summaries[cublas_name] = vendor.summary();
  if (!random.values.empty()) summaries["random"] = random.summary();
  return summaries;
}

}  // namespace rooftile
