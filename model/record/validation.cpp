// validation.json: writing and checking.
#include "model/record/validation.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "model/error.hpp"
#include "model/record/json_checks.hpp"

namespace rooftile {
namespace {

using Summaries = std::map<std::string, ErrorSummary>;
using NestedSummaries = std::map<std::string, Summaries>;

Json summary_json(const ErrorSummary& summary) {
  return {{"n", summary.n},
          {"mape", number_or_null(summary.mape)},
          {"bias", number_or_null(summary.bias)},
          {"p50", number_or_null(summary.p50)},
          {"p90", number_or_null(summary.p90)},
          {"p95", number_or_null(summary.p95)},
          {"max", number_or_null(summary.max)},
          {"kendall_tau_b", number_or_null(summary.kendall_tau_b)},
          {"regret_top1", number_or_null(summary.regret_top1)},
          {"regret_top5", number_or_null(summary.regret_top5)},
          {"regret_top8", number_or_null(summary.regret_top8)},
          {"interval_coverage", number_or_null(summary.interval_coverage)}};
}

ErrorSummary summary_from(const JsonReader& json) {
  ErrorSummary summary;
  summary.n = json.at("n").count();
  summary.mape = json.at("mape").number();
  summary.bias = json.at("bias").number();
  summary.p50 = json.at("p50").number();
  summary.p90 = json.at("p90").number();
  summary.p95 = json.at("p95").number();
  summary.max = json.at("max").number();
  summary.kendall_tau_b = json.optional_number("kendall_tau_b");
  summary.regret_top1 = json.optional_number("regret_top1");
  summary.regret_top5 = json.optional_number("regret_top5");
  summary.regret_top8 = json.optional_number("regret_top8");
  summary.interval_coverage = json.optional_number("interval_coverage");
  return summary;
}

Json summaries_json(const Summaries& summaries) {
  Json json = Json::object();
  for (const auto& [key, summary] : summaries) json[key] = summary_json(summary);
  return json;
}

Summaries summaries_from(const JsonReader& json) {
  Summaries summaries;
  for (const auto& key : json.keys()) summaries[key] = summary_from(json.at(key));
  return summaries;
}

Json nested_json(const NestedSummaries& nested) {
  Json json = Json::object();
  for (const auto& [key, summaries] : nested) json[key] = summaries_json(summaries);
  return json;
}

NestedSummaries nested_from(const JsonReader& json) {
  NestedSummaries nested;
  for (const auto& key : json.keys()) nested[key] = summaries_from(json.at(key));
  return nested;
}

Json cases_json(const std::vector<ErrorCase>& cases) {
  Json json = Json::array();
  for (const auto& c : cases)
    json.push_back({{"predictor", c.predictor},
                    {"variant", c.variant},
                    {"tile", c.tile},
                    {"shape", c.shape},
                    {"split", c.split},
                    {"predicted_s", number_or_null(c.predicted_s)},
                    {"measured_s", number_or_null(c.measured_s)},
                    {"error", number_or_null(c.error())},
                    {"bound", c.bound}});
  return json;
}

std::vector<ErrorCase> cases_from(const JsonReader& json) {
  std::vector<ErrorCase> cases;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto item = json.at(i);
    ErrorCase c;
    c.predictor = item.at("predictor").text();
    c.variant = item.at("variant").text();
    c.tile = item.at("tile").text();
    c.shape = item.at("shape").text();
    c.split = item.at("split").text();
    c.predicted_s = positive(item.at("predicted_s"));
    c.measured_s = positive(item.at("measured_s"));
    if (!std::isfinite(c.error())) item.at("predicted_s").fail("a time comparable to measured_s");
    c.bound = item.at("bound").text();
    cases.push_back(std::move(c));
  }
  return cases;
}

Json ablation_json(const std::vector<AblationCase>& ablation) {
  Json json = Json::array();
  for (const AblationCase& c : ablation)
    json.push_back({{"predictor", c.predictor},
                    {"without", c.without},
                    {"summary", summary_json(c.summary)},
                    {"worse", c.worse}});
  return json;
}

std::vector<AblationCase> ablation_from(const JsonReader& json) {
  std::vector<AblationCase> ablation;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto item = json.at(i);
    ablation.push_back({item.at("predictor").text(), item.at("without").text(),
                        summary_from(item.at("summary")), item.at("worse").texts()});
  }
  return ablation;
}

}  // namespace

Json ValidationReport::to_json() const {
  Json json = file_head(schema, schema_version, created_by, environment);
  json["fitted_parameters"] = fitted_parameters;
  json["predictors"] = nested_json(predictors);
  json["by_variant"] = nested_json(by_variant);
  json["by_shape"] = nested_json(by_shape);
  json["by_bound"] = nested_json(by_bound);
  json["common"] = nested_json(common);
  json["baselines"] = summaries_json(baselines);
  json["ablation"] = ablation_json(ablation);
  json["worst"] = cases_json(worst);
  json["cases"] = cases_json(cases);
  json["skipped"] = skipped;
  json["without_sass"] = without_sass;
  return json;
}

ValidationReport ValidationReport::from_json(const JsonReader& json) {
  ValidationReport report;
  const int version =
      read_head(json, schema, schema_version, report.created_by, report.environment);
  report.fitted_parameters = json.at("fitted_parameters").count();
  report.predictors = nested_from(json.at("predictors"));
  report.by_variant = nested_from(json.at("by_variant"));
  report.by_shape = nested_from(json.at("by_shape"));
  report.by_bound = nested_from(json.at("by_bound"));
  report.baselines = summaries_from(json.at("baselines"));
  report.worst = cases_from(json.at("worst"));
  if (version >= 2) report.ablation = ablation_from(json.at("ablation"));
  report.cases = cases_from(json.at("cases"));
  report.skipped = json.at("skipped").texts();
  report.common = nested_from(json.at("common"));
  report.without_sass = json.at("without_sass").texts();
  return report;
}

ValidationReport ValidationReport::load(const std::string& path) {
  const Json json = parse_json(read_text_file(path), path);
  return from_json(JsonReader(json, path));
}

void ValidationReport::save(const std::string& path) const {
  write_text_file(path, dump_json(to_json()));
}

}  // namespace rooftile
