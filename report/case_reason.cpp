// Shares of terms, waves and edges of one prediction, in words.
#include "report/case_reason.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/format.hpp"

namespace rooftile::report {
namespace {

std::string key_of(const std::string& predictor, const std::string& variant,
                   const std::string& tile, const std::string& shape) {
  return fmt::format("{}|{}|{}|{}", predictor, variant, tile, shape);
}

/// The terms that are a fifth of the time or more, largest first.
std::string terms_text(const Prediction& p) {
  constexpr double least_share = 0.2;
  std::vector<Term> terms = p.terms;
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& b) { return a.seconds > b.seconds; });
  std::string text;
  for (const Term& term : terms) {
    const double share = term.seconds / p.time_s;
    if (share >= least_share && share <= 1)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", term.name, format_percent(share));
  }
  return text.empty() ? text : text + " of the time";
}

std::string waves_text(const Prediction& p) {
  if (!(p.waves > 0)) return {};
  if (p.waves < 1) return fmt::format("{} of a wave", significant(p.waves, 2));
  return p.tail_efficiency < 0.9
             ? fmt::format("{} waves, slots used to {}", significant(p.waves, 3),
                           format_percent(p.tail_efficiency))
             : "";
}

/// Of the blocks' area in C what lies outside of it.
double wasted_area(const Prediction& p) {
  const auto padded = [](std::int64_t size, int block) {
    return std::ceil(static_cast<double>(size) / block) * block;
  };
  const double area = padded(p.problem.M, p.tile.BM) * padded(p.problem.N, p.tile.BN);
  return 1 - static_cast<double>(p.problem.M) * static_cast<double>(p.problem.N) / area;
}

std::string edges_text(const Prediction& p) {
  const double wasted = wasted_area(p);
  std::string text;
  if (wasted >= 0.01)
    text = fmt::format("{} of the blocks\u2019 area lies outside C", format_percent(wasted));
  if (p.problem.K % p.tile.BK != 0) text += (text.empty() ? "" : ", ") + std::string("ragged K");
  return text;
}

}  // namespace

std::string reason_of(const Prediction& prediction) {
  std::string text;
  for (const std::string& part :
       {terms_text(prediction), waves_text(prediction), edges_text(prediction)})
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  return text.empty() ? no_value : text;
}

PredictionOfCase::PredictionOfCase(const std::vector<Prediction>& predictions) {
  for (const Prediction& p : predictions)
    by_key_[key_of(p.predictor, p.variant, tile_name(p.tile), shape_name(p.problem))] = &p;
}

const Prediction* PredictionOfCase::find(const ErrorCase& c) const {
  const auto found = by_key_.find(key_of(c.predictor, c.variant, c.tile, c.shape));
  return found == by_key_.end() ? nullptr : found->second;
}

}  // namespace rooftile::report
