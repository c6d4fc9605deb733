#include "model/predict/validate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "model/error.hpp"
#include "model/predict/baselines.hpp"
#include "model/predict/measured_runs.hpp"
#include "model/predict/stated.hpp"
#include "model/predict/summarize.hpp"

namespace rooftile {
namespace {

constexpr std::size_t worst_cases = 20;

std::optional<ErrorCase> compare(const Predictor& predictor, const MeasuredRun& measured,
                                 ValidationReport& report) {
  const MeasuredKernel& run = measured.run;
  ErrorCase c = case_of(predictor, measured);
  try {
    const Prediction p = predictor.explain(run.kernel, run.problem);
    c.predicted_s = p.time_s;
    c.bound = to_string(p.bound);
  } catch (const NoSass& error) {
    report.without_sass.push_back(fmt::format("{}: {}", c.shape, error.what()));
    return std::nullopt;
  } catch (const InputError& error) {
    report.skipped.push_back(
        fmt::format("{} {} {}: {}", c.predictor, c.variant, c.shape, error.what()));
    return std::nullopt;
  }
  if (!std::isfinite(c.predicted_s)) {
    report.skipped.push_back(
        fmt::format("{} {} {}: no finite time", c.predictor, c.variant, c.shape));
    return std::nullopt;
  }
  return c;
}

CasePointers of(const std::vector<ErrorCase>& cases, std::string_view predictor,
                std::string_view split) {
  CasePointers chosen;
  for (const ErrorCase& c : cases)
    if (c.predictor == predictor && c.split == split) chosen.push_back(&c);
  return chosen;
}

std::map<std::string, ErrorSummary> summarize_by(
    std::span<const ErrorCase* const> cases,
    const std::function<std::string(const ErrorCase&)>& key) {
  std::map<std::string, ErrorSummary> summaries;
  for (const auto& [name, group] : group_cases(cases, key)) summaries[name] = summarize(group);
  return summaries;
}

/// Of the cases of one predictor, by split.
std::map<std::string, ErrorSummary> by_split(const std::vector<ErrorCase>& all,
                                             const std::string& name) {
  const CasePointers dev = of(all, name, "dev"), sealed = of(all, name, "sealed");
  std::map<std::string, ErrorSummary> summaries;
  for (const auto& [split, cases] : {std::pair{"dev", &dev}, std::pair{"sealed", &sealed}}) {
    if (cases->empty()) continue;
    summaries[split] = summarize(*cases);
    summaries[split].interval_coverage = interval_coverage(*cases, dev);
  }
  return summaries;
}

void add_predictor(const std::string& name, ValidationReport& report) {
  if (auto summaries = by_split(report.cases, name); !summaries.empty())
    report.predictors[name] = std::move(summaries);
  const CasePointers dev = of(report.cases, name, "dev");
  if (dev.empty()) return;
  report.by_variant[name] = summarize_by(dev, [](const ErrorCase& c) { return c.variant; });
  report.by_shape[name] = summarize_by(dev, [](const ErrorCase& c) { return c.shape; });
  report.by_bound[name] = summarize_by(dev, [](const ErrorCase& c) { return c.bound; });
}

void add_baselines(const DeviceProfile& profile, const std::vector<MeasuredRun>& measured,
                   const std::map<std::string, double>& cublas, ValidationReport& report) {
  std::vector<MeasuredKernel> dev;
  for (const MeasuredRun& m : measured)
    if (m.split == "dev") dev.push_back(m.run);
  report.baselines = choice_baselines(dev, cublas);
  for (const auto make : {make_plain_roofline, make_max_rule}) {
    try {
      const auto predictor = make(profile);
      std::vector<ErrorCase> cases;
      for (const MeasuredKernel& run : dev)
        if (auto c = compare(*predictor, {run, "dev"}, report)) cases.push_back(*c);
      if (!cases.empty())
        report.baselines[std::string(predictor->name())] =
            summarize(of(cases, predictor->name(), "dev"));
    } catch (const MissingMetric& error) {
      report.skipped.push_back(fmt::format("baseline: {}", error.what()));
    }
  }
}

void add_worst(const std::string& finest, ValidationReport& report) {
  for (const ErrorCase& c : report.cases)
    if (c.predictor == finest) report.worst.push_back(c);
  const std::size_t kept = std::min(worst_cases, report.worst.size());
  std::partial_sort(report.worst.begin(), report.worst.begin() + static_cast<std::ptrdiff_t>(kept),
                    report.worst.end(), [](const ErrorCase& a, const ErrorCase& b) {
                      return std::abs(a.error()) > std::abs(b.error());
                    });
  report.worst.resize(kept);
}

/// All predictors on the runs that each of them predicts, where those are not simply all.
void add_common(const std::vector<std::vector<std::optional<ErrorCase>>>& predicted,
                ValidationReport& report) {
  std::vector<ErrorCase> common;
  for (std::size_t run = 0; !predicted.empty() && run < predicted.front().size(); ++run) {
    const auto has = [&](const auto& cases) { return cases[run].has_value(); };
    if (!std::all_of(predicted.begin(), predicted.end(), has)) continue;
    for (const auto& cases : predicted) common.push_back(*cases[run]);
  }
  if (common.size() == report.cases.size()) return;
  for (const auto& entry : report.predictors)
    if (auto summaries = by_split(common, entry.first); !summaries.empty())
      report.common[entry.first] = std::move(summaries);
}

/// May return null: then there is nothing of this predictor.
using MakePredictor = std::function<std::unique_ptr<Predictor>(const std::string& name)>;

ValidationReport judge(const MakePredictor& make, const DeviceProfile& profile,
                       std::span<const RunRecord> runs, const Splits& splits,
                       const DescribeRun& describe) {
  ValidationReport report;
  report.created_by = this_build();
  if (!runs.empty()) report.environment = runs.front().environment;
  std::map<std::string, double> cublas;
  const auto measured = measured_runs(runs, splits, describe, cublas, report.skipped);
  std::string finest;
  std::vector<std::vector<std::optional<ErrorCase>>> predicted;  // by predictor and run
  for (const std::string& name : predictor_names()) {
    try {
      const auto predictor = make(name);
      if (!predictor) continue;
      std::vector<std::optional<ErrorCase>> cases;
      for (const MeasuredRun& m : measured) cases.push_back(compare(*predictor, m, report));
      const std::size_t before = report.cases.size();
      for (const auto& c : cases)
        if (c) report.cases.push_back(*c);
      if (report.cases.size() == before) continue;
      predicted.push_back(std::move(cases));
      finest = name;
    } catch (const MissingMetric& error) {
      report.skipped.push_back(error.what());
    }
  }
  for (const std::string& name : predictor_names()) add_predictor(name, report);
  add_common(predicted, report);
  add_baselines(profile, measured, cublas, report);
  add_worst(finest, report);
  return report;
}

}  // namespace

ValidationReport validate(const DeviceProfile& profile, std::span<const RunRecord> runs,
                          const Splits& splits, const DescribeRun& describe,
                          const Kernels& kernels) {
  const auto make = [&](const std::string& name) { return make_predictor(name, profile, kernels); };
  return judge(make, profile, runs, splits, describe);
}

ValidationReport validate_stated(std::span<const Prediction> predictions,
                                 const DeviceProfile& profile, std::span<const RunRecord> runs,
                                 const Splits& splits, const DescribeRun& describe) {
  const auto make = [&](const std::string& name) { return make_stated(name, predictions); };
  return judge(make, profile, runs, splits, describe);
}

}  // namespace rooftile
