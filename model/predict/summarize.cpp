#include "model/predict/summarize.hpp"

#include <algorithm>
#include <cmath>

#include "model/predict/conformal.hpp"
#include "model/stats/errors.hpp"
#include "model/stats/robust.hpp"

namespace rooftile {
namespace {

std::map<std::string, CasePointers> by_shape(std::span<const ErrorCase* const> cases) {
  return group_cases(cases, [](const ErrorCase& c) { return c.shape; });
}

void add_ranks(std::span<const ErrorCase* const> cases, ErrorSummary& summary) {
  constexpr std::size_t least_for_tau = 3, least_for_regret = 2;
  std::vector<double> taus, top1, top5, top8;
  for (const auto& [shape, group] : by_shape(cases)) {
    std::vector<double> predicted, measured;
    for (const ErrorCase* c : group) {
      predicted.push_back(c->predicted_s);
      measured.push_back(c->measured_s);
    }
    if (group.size() >= least_for_tau) taus.push_back(kendall_tau_b(predicted, measured));
    if (group.size() < least_for_regret) continue;
    top1.push_back(regret(predicted, measured, 1));
    top5.push_back(regret(predicted, measured, 5));
    top8.push_back(regret(predicted, measured, 8));
  }
  if (!taus.empty()) summary.kendall_tau_b = mean(taus);
  if (top1.empty()) return;
  summary.regret_top1 = aggregate_regret(top1);
  summary.regret_top5 = aggregate_regret(top5);
  summary.regret_top8 = aggregate_regret(top8);
}

}  // namespace

std::map<std::string, CasePointers> group_cases(
    std::span<const ErrorCase* const> cases,
    const std::function<std::string(const ErrorCase&)>& key) {
  std::map<std::string, CasePointers> groups;
  for (const ErrorCase* c : cases) groups[key(*c)].push_back(c);
  return groups;
}

ErrorSummary summarize(std::span<const ErrorCase* const> cases) {
  ErrorSummary summary;
  summary.n = static_cast<int>(cases.size());
  if (cases.empty()) return summary;
  std::vector<double> errors, sizes;
  for (const ErrorCase* c : cases) {
    errors.push_back(c->error());
    sizes.push_back(std::abs(c->error()));
  }
  summary.mape = mean_absolute(errors);
  summary.bias = mean(errors);
  summary.p50 = quantile(sizes, 0.50);
  summary.p90 = quantile(sizes, 0.90);
  summary.p95 = quantile(sizes, 0.95);
  summary.max = quantile(sizes, 1);
  add_ranks(cases, summary);
  return summary;
}

std::optional<double> interval_coverage(std::span<const ErrorCase* const> cases,
                                        std::span<const ErrorCase* const> calibration) {
  std::size_t judged = 0, inside = 0;
  for (const auto& [shape, group] : by_shape(cases)) {
    std::vector<double> scores;
    for (const ErrorCase* c : calibration)
      if (c->shape != shape) scores.push_back(conformal_score(c->predicted_s, c->measured_s));
    const auto calibrated = calibrate(scores, interval_coverage_goal);
    if (!calibrated) continue;
    for (const ErrorCase* c : group) {
      const Interval interval = conformal_interval(*calibrated, c->predicted_s);
      ++judged;
      if (interval.lo <= c->measured_s && c->measured_s <= interval.hi) ++inside;
    }
  }
  if (judged == 0) return std::nullopt;
  return static_cast<double>(inside) / static_cast<double>(judged);
}

}  // namespace rooftile
