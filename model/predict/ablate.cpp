#include "model/predict/ablate.hpp"

#include <cmath>

#include "model/error.hpp"
#include "model/predict/measured_runs.hpp"
#include "model/predict/summarize.hpp"

namespace rooftile {
namespace {

/// Half of the last digit that tables show of a figure (0.1 %, 0.001).
constexpr double visible = 5e-4;

std::vector<std::string> worse_figures(const ErrorSummary& whole, const ErrorSummary& without) {
  const auto lower = [](const std::optional<double>& is, const std::optional<double>& was) {
    return is && was && *is < *was - visible;
  };
  std::vector<std::string> worse;
  if (without.mape > whole.mape + visible) worse.emplace_back("mape");
  if (std::abs(without.bias) > std::abs(whole.bias) + visible) worse.emplace_back("bias");
  if (lower(without.kendall_tau_b, whole.kendall_tau_b)) worse.emplace_back("kendall_tau_b");
  if (lower(whole.regret_top1, without.regret_top1)) worse.emplace_back("regret_top1");
  return worse;
}

/// Of the dev runs that it predicts; without a bound, which takes longer than the time.
ErrorSummary errors_of(const Predictor& predictor, std::span<const MeasuredRun> runs) {
  std::vector<ErrorCase> cases;
  for (const MeasuredRun& m : runs) {
    if (m.split != "dev") continue;
    try {
      ErrorCase c = case_of(predictor, m);
      c.predicted_s = predictor.time_s(m.run.kernel, m.run.problem);
      if (std::isfinite(c.predicted_s)) cases.push_back(std::move(c));
    } catch (const InputError&) {
      continue;  // validate() says why
    }
  }
  CasePointers pointers;
  for (const ErrorCase& c : cases) pointers.push_back(&c);
  return summarize(pointers);
}

/// Throws MissingMetric.
std::vector<AblationCase> ablate(const std::string& name, bool closed_forms,
                                 const DeviceProfile& profile, std::span<const MeasuredRun> runs,
                                 const Kernels& kernels) {
  const auto errors = [&](const Parts& without) {
    return errors_of(*make_predictor(name, profile, kernels, without), runs);
  };
  const ErrorSummary whole = errors({});
  if (whole.n == 0) return {};
  std::vector<AblationCase> cases = {{name, std::string(whole_model), whole, {}}};
  for (const PartInfo& part : model_parts()) {
    if (closed_forms && !part.in_closed_forms) continue;
    const ErrorSummary without = errors(part.part);
    cases.push_back({name, std::string(part.name), without, worse_figures(whole, without)});
  }
  return cases;
}

}  // namespace

std::vector<AblationCase> ablate(const DeviceProfile& profile, std::span<const RunRecord> runs,
                                 const Splits& splits, const DescribeRun& describe,
                                 const Kernels& kernels) {
  std::map<std::string, double> cublas;
  std::vector<std::string> skipped;
  const auto measured = measured_runs(runs, splits, describe, cublas, skipped);
  std::vector<AblationCase> cases;
  for (const auto& [name, closed_forms] : {std::pair{"analytic", true}, std::pair{"sass", false}}) {
    try {
      for (AblationCase& c : ablate(name, closed_forms, profile, measured, kernels))
        cases.push_back(std::move(c));
    } catch (const MissingMetric&) {
      continue;  // validate() says which
    }
  }
  return cases;
}

}  // namespace rooftile
