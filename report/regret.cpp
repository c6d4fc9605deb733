// Picks by the smallest predicted time. Each predictor chooses among the kernels that it predicts;
// the best is that of them all.
#include "report/regret.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rooftile::report {
namespace {

bool usable(const ErrorCase& c) {
  return std::isfinite(c.predicted_s) && std::isfinite(c.measured_s) && c.predicted_s > 0 &&
         c.measured_s > 0;
}

using Cases = std::vector<const ErrorCase*>;

/// The case with the smallest `time`; null where there is none that `counts`.
template <class Counts>
const ErrorCase* least(const Cases& cases, double ErrorCase::*time, const Counts& counts) {
  const ErrorCase* found = nullptr;
  for (const ErrorCase* c : cases)
    if (counts(*c) && (!found || c->*time < found->*time)) found = c;
  return found;
}

ShapeRegret regret_of(const std::string& shape, const Cases& cases, const ReportInput& input,
                      const Analysis& analysis) {
  const auto any = [](const ErrorCase&) { return true; };
  const ErrorCase& best = *least(cases, &ErrorCase::measured_s, any);
  const auto pick = [&](const ErrorCase& c) {
    return Pick{variant_title(input, c.variant) + " " + c.tile, c.measured_s / best.measured_s - 1};
  };
  ShapeRegret regret;
  regret.shape = shape;
  regret.best = pick(best).kernel;
  regret.best_s = best.measured_s;
  for (const ErrorCase* c : cases) {
    if (regret.picks.contains(c->predictor)) continue;
    const auto same = [&](const ErrorCase& other) { return other.predictor == c->predictor; };
    regret.picks[c->predictor] = pick(*least(cases, &ErrorCase::predicted_s, same));
  }
  const auto common_tile = [](const ErrorCase& c) { return c.tile.starts_with("128x128x8/"); };
  if (const ErrorCase* c = least(cases, &ErrorCase::measured_s, common_tile))
    regret.fixed = pick(*c);
  if (const Measured* m = analysis.fastest(shape, baseline_name))
    regret.cublas = m->time_s / best.measured_s - 1;
  return regret;
}

bool has_choice(const Cases& cases) {
  return std::any_of(cases.begin(), cases.end(), [&](const ErrorCase* c) {
    return c->variant != cases.front()->variant || c->tile != cases.front()->tile;
  });
}

}  // namespace

std::vector<ShapeRegret> regrets_of(const std::vector<ErrorCase>& cases, const std::string& split,
                                    const ReportInput& input, const Analysis& analysis) {
  std::map<std::string, Cases> shapes;
  for (const ErrorCase& c : cases)
    if (c.split == split && usable(c)) shapes[c.shape].push_back(&c);
  std::vector<ShapeRegret> regrets;
  for (const std::string& shape : analysis.shapes)
    if (const auto found = shapes.find(shape); found != shapes.end() && has_choice(found->second))
      regrets.push_back(regret_of(shape, found->second, input, analysis));
  return regrets;
}

}  // namespace rooftile::report
