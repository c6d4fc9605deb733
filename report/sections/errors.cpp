// How far predictions and measurements lie apart: overall, against baselines, per variant, per
// bound and per shape, and the worst cases. Everything here comes from the validation record.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/case_reason.hpp"
#include "report/format.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

using Summaries = std::map<std::string, std::map<std::string, ErrorSummary>>;

std::vector<Column> error_columns(const std::string& first, const std::string& second) {
  std::vector<Column> columns = {{first, false}};
  if (!second.empty()) columns.push_back({second, false});
  const std::vector<Column> rest = {
      {"n", true, "pairs of a prediction and a run"},
      {"MAPE", true, "mean of |predicted - measured| / measured"},
      {"bias", true, "mean of (predicted - measured) / measured; positive: too slow"},
      {"median", true, "median of the absolute error"},
      {"p95", true, "95th percentile of the absolute error"},
      {"max", true, "largest absolute error"},
      {"tau-b", true, "Kendall's rank correlation, mean over shapes"},
      {"regret top-1", true, "how much slower the model's pick is than the best"},
      {"top-5", true, "regret after measuring the model's five best"},
      {"top-8", true, "regret after measuring the model's eight best"},
      {"coverage", true, "share of runs inside the prediction interval"}};
  columns.insert(columns.end(), rest.begin(), rest.end());
  return columns;
}

Cell fraction(std::optional<double> x, bool with_sign = false) {
  if (!x || !std::isfinite(*x)) return {no_value};
  return {format_percent(*x, with_sign), "", *x};
}

void add_errors(const ErrorSummary& s, std::vector<Cell>& row) {
  row.push_back({std::to_string(s.n), "", static_cast<double>(s.n)});
  if (s.n == 0) {
    row.resize(row.size() + 10, {no_value});
    return;
  }
  row.push_back(fraction(s.mape));
  row.push_back(fraction(s.bias, true));
  row.push_back(fraction(s.p50));
  row.push_back(fraction(s.p95));
  row.push_back(fraction(s.max));
  const bool tau = s.kendall_tau_b && std::isfinite(*s.kendall_tau_b);
  row.push_back(tau ? Cell{fixed(*s.kendall_tau_b, 2), "", s.kendall_tau_b} : Cell{no_value});
  for (const auto& regret : {s.regret_top1, s.regret_top5, s.regret_top8, s.interval_coverage})
    row.push_back(fraction(regret));
}

std::vector<std::string> predictors_of(const Summaries& summaries) {
  std::vector<std::string> names;
  for (const auto& entry : summaries) names.push_back(entry.first);
  return by_detail(names);
}

bool opened(const Summaries& by_split) {
  return std::any_of(by_split.begin(), by_split.end(),
                     [](const auto& entry) { return entry.second.contains("sealed"); });
}

std::vector<Cell> summary_row(const std::string& predictor, const std::string& split,
                              const ErrorSummary& summary) {
  std::vector<Cell> row = {{predictor}, {split}};
  add_errors(summary, row);
  return row;
}

/// A row a predictor and split; sealed stands beside dev also where it was not opened.
TableBlock overall_table(const std::string& title, const Summaries& summaries) {
  TableBlock table{title, error_columns("predictor", "split"), {}};
  for (const auto& predictor : predictors_of(summaries)) {
    const auto& splits = summaries.at(predictor);
    for (const auto& [split, summary] : splits)
      table.rows.push_back(summary_row(predictor, split, summary));
    if (!opened(summaries))
      table.rows.push_back(summary_row(predictor, "sealed: not opened yet", {}));
  }
  return table;
}

/// What sass lacks, and all predictors on what it has.
void add_common(const ValidationReport& v, Section& section) {
  if (!v.without_sass.empty())
    section.blocks.emplace_back(
        Paragraph{fmt::format("sass reads compiled kernels; for {} it has none and says nothing.",
                              plural(v.without_sass.size(), "pair", "pairs"))});
  if (!v.common.empty())
    section.blocks.emplace_back(
        overall_table("Each predictor on the pairs that all of them predict", v.common));
}

TableBlock baseline_table(const ValidationReport& v) {
  TableBlock table{"Baselines on the same runs", error_columns("baseline", ""), {}};
  for (const auto& [name, summary] : v.baselines) {
    std::vector<Cell> row = {{name}};
    add_errors(summary, row);
    // One that only chooses predicts no time: n counts shapes, and there are no errors to show.
    if (summary.max == 0) std::fill(row.begin() + 2, row.begin() + 7, Cell{no_value});
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_baselines(const ValidationReport& v, Section& section) {
  section.blocks.emplace_back(baseline_table(v));
  section.blocks.emplace_back(Paragraph{
      fmt::format("Baselines without errors choose a kernel and predict no time; their n counts "
                  "shapes. {} is an absent value.",
                  no_value)});
}

/// One table a predictor; keys in `order` first, then the rest by name.
void breakdown(const Summaries& summaries, const std::string& what,
               const std::vector<std::string>& order, const ReportInput& input, bool collapsed,
               Section& section) {
  for (const auto& predictor : predictors_of(summaries)) {
    const auto& by_key = summaries.at(predictor);
    TableBlock table{
        fmt::format("{}: by {}", predictor, what), error_columns(what, ""), {}, collapsed};
    std::set<std::string> done;
    const auto add = [&](const std::string& key) {
      const auto found = by_key.find(key);
      if (found == by_key.end() || !done.insert(key).second) return;
      std::vector<Cell> row = {{what == "variant" ? variant_title(input, key) : key}};
      add_errors(found->second, row);
      table.rows.push_back(std::move(row));
    };
    for (const auto& key : order) add(key);
    for (const auto& entry : by_key) add(entry.first);
    if (!table.rows.empty()) section.blocks.emplace_back(std::move(table));
  }
}

TableBlock worst_table(const ReportInput& input, const ValidationReport& v) {
  TableBlock table{
      "The worst cases",
      {{"variant", false},
       {"tile", false},
       {"M x N x K", false},
       {"predictor", false},
       {"split", false},
       {"predicted"},
       {"measured"},
       {"error"},
       {"predicted bound", false},
       {"what it is made of", false,
        "the prediction's terms, waves and ragged edges: where to look for the cause"}},
      {}};
  const PredictionOfCase predictions(input.predictions);
  for (const auto& c : v.worst) {
    const Prediction* p = predictions.find(c);
    const bool valid = c.measured_s > 0 && std::isfinite(c.error());
    table.rows.push_back({{variant_title(input, c.variant)},
                          {c.tile},
                          {c.shape},
                          {c.predictor},
                          {c.split},
                          {format_time(c.predicted_s), "", c.predicted_s},
                          {format_time(c.measured_s), "", c.measured_s},
                          {valid ? format_percent(c.error(), true) : no_value, "",
                           valid ? std::optional(c.error()) : std::nullopt},
                          {c.bound},
                          {p ? reason_of(*p) : no_value}});
  }
  return table;
}

std::vector<std::string> variant_order(const ReportInput& input) {
  std::vector<std::string> order;
  for (const auto& text : input.variants) order.push_back(text.name);
  return order;
}

std::vector<std::string> shape_order(const ReportInput& input) {
  std::set<std::pair<double, std::string>> ordered;
  for (const auto& run : input.runs) ordered.emplace(run.problem.flop(), shape_name(run.problem));
  std::vector<std::string> order;
  for (const auto& entry : ordered) order.push_back(entry.second);
  return order;
}

}  // namespace

Section error_section(const ReportInput& input) {
  Section section{"errors", "How good the predictors are", {}};
  const ValidationReport& v = input.validation;
  if (v.predictors.empty()) {
    section.blocks.emplace_back(
        Paragraph{"There is no validation: no prediction was compared with a run.", Tone::missing,
                  "rooftile validate"});
    return section;
  }
  section.blocks.emplace_back(
      Paragraph{"Errors are (predicted - measured) / measured of the time. cuBLAS is measured, "
                "never predicted."});
  section.blocks.emplace_back(overall_table("Each predictor over all its pairs", v.predictors));
  add_common(v, section);
  section.blocks.emplace_back(
      Paragraph{fmt::format("Fitted parameters: {}. {}", v.fitted_parameters,
                            v.fitted_parameters == 0
                                ? "Nothing in the predictors was adjusted to a GEMM time."
                                : "Parameters of the predictors were adjusted to GEMM times; read "
                                  "the errors accordingly."),
                v.fitted_parameters == 0 ? Tone::plain : Tone::warning});
  section.blocks.emplace_back(Paragraph{
      opened(v.predictors)
          ? "The sealed split has been opened; its first opening is the honest one."
          : "Sealed: not opened. All errors here are of the dev split, which was visible while the "
            "model was built.",
      Tone::note});
  if (!v.baselines.empty()) add_baselines(v, section);
  breakdown(v.by_variant, "variant", variant_order(input), input, false, section);
  breakdown(v.by_bound, "bound", {}, input, false, section);
  breakdown(v.by_shape, "shape", shape_order(input), input, true, section);
  if (!v.worst.empty()) section.blocks.emplace_back(worst_table(input, v));
  if (!v.skipped.empty()) {
    section.blocks.emplace_back(
        Paragraph{fmt::format("{} left out:", plural(v.skipped.size(), "pair was", "pairs were"))});
    section.blocks.emplace_back(ListBlock{v.skipped});
  }
  return section;
}

}  // namespace rooftile::report
