// Gates look up figures by their path in validation.json, so that what a file shows can be gated.
#include "cli/threshold.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/quantity.hpp"
#include "cli/suggest.hpp"
#include "model/error.hpp"

namespace rooftile::cli {
namespace {

void add(std::map<std::string, double>& figures, const std::string& name, const Json& value) {
  if (value.is_number()) figures[name] = value.get<double>();
}

/// Every number of `predictors`, by its dotted path in validation.json.
std::map<std::string, double> all_figures(const ValidationReport& report) {
  std::map<std::string, double> figures;
  const Json json = report.to_json();
  for (const auto& [predictor, splits] : json.at("predictors").items())
    for (const auto& [split, summary] : splits.items())
      for (const auto& [name, value] : summary.items())
        add(figures, fmt::format("{}.{}.{}", predictor, split, name), value);
  return figures;
}

double figure_of(const std::map<std::string, double>& figures, const std::string& name) {
  const auto found = figures.find(name);
  if (found != figures.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [figure, value] : figures) names.push_back(figure);
  throw InputError(fmt::format("threshold: the validation has no figure '{}': {}", name,
                               did_you_mean(name, names)));
}

bool is_bias(const std::string& figure) {
  return figure.size() >= 5 && figure.compare(figure.size() - 5, 5, ".bias") == 0;
}

}  // namespace

Threshold parse_threshold(const std::string& text, const std::string& option, bool above) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(fmt::format(
        "{}: '{}' is not FIGURE=LIMIT; write analytic.dev.mape=0.2 (a fraction)", option, text));
  return {text.substr(0, equals), parse_number(text.substr(equals + 1), option), above};
}

std::vector<std::string> crossed(const ValidationReport& report,
                                 const std::vector<Threshold>& thresholds) {
  const std::map<std::string, double> figures = all_figures(report);
  std::vector<std::string> sentences;
  for (const Threshold& threshold : thresholds) {
    double value = figure_of(figures, threshold.figure);
    if (is_bias(threshold.figure)) value = std::fabs(value);
    if (threshold.above ? value > threshold.limit : value < threshold.limit)
      sentences.push_back(fmt::format("{} is {:.4g}, {} the limit {:.4g}", threshold.figure, value,
                                      threshold.above ? "above" : "below", threshold.limit));
  }
  return sentences;
}

}  // namespace rooftile::cli
