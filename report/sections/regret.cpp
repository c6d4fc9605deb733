// Regret: what it costs to run the kernel that a predictor chooses, shape by shape, beside fixed
// choices.
#include <fmt/format.h>

#include <algorithm>

#include "report/dot_rows.hpp"
#include "report/format.hpp"
#include "report/regret.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

constexpr const char* fixed_name = "always 128x128x8";

std::vector<std::string> predictors_of(const std::vector<ShapeRegret>& regrets) {
  std::vector<std::string> names;
  for (const ShapeRegret& regret : regrets)
    for (const auto& entry : regret.picks)
      if (std::find(names.begin(), names.end(), entry.first) == names.end())
        names.push_back(entry.first);
  return by_detail(names);
}

std::optional<Pick> pick_of(const ShapeRegret& regret, const std::string& who) {
  if (who == fixed_name) return regret.fixed;
  const auto found = regret.picks.find(who);
  return found == regret.picks.end() ? std::nullopt : std::optional(found->second);
}

DotKind kind_of(const std::vector<ShapeRegret>& regrets, const std::string& who) {
  DotKind kind{who, {}};
  for (std::size_t i = 0; i < regrets.size(); ++i)
    if (const auto pick = pick_of(regrets[i], who))
      kind.dots.push_back(
          {i, 100 * pick->regret,
           fmt::format("{}, {}: {}, {} slower than {}", who, regrets[i].shape, pick->kernel,
                       format_percent(pick->regret), regrets[i].best)});
  return kind;
}

Figure regret_figure(const std::vector<ShapeRegret>& regrets) {
  DotRows rows{"regret_by_shape", "slower than the fastest measured kernel, %", 0.1, true};
  for (const ShapeRegret& regret : regrets) rows.rows.push_back(regret.shape);
  for (const std::string& name : predictors_of(regrets))
    rows.kinds.push_back(kind_of(regrets, name));
  rows.kinds.push_back(kind_of(regrets, fixed_name));
  Figure figure;
  figure.wide = true;
  figure.plot = plot_of(rows);
  figure.command = "rooftile validate";
  figure.title = "Regret of each choice, shape by shape";
  figure.alternative = fmt::format(
      "How much slower the kernel that each predictor chooses is than "
      "the fastest, for {}.",
      plural(regrets.size(), "shape", "shapes"));
  figure.caption =
      "On the left edge the choice was the best one, or as good. Point at a marker for the kernel.";
  return figure;
}

Cell regret_cell(const std::optional<Pick>& pick) {
  if (!pick) return {no_value};
  const Mark mark = pick->regret < 0.005  ? Mark::good
                    : pick->regret > 0.06 ? Mark::bad
                                          : Mark::none;
  return {format_percent(pick->regret), pick->kernel, pick->regret, mark};
}

TableBlock regret_table(const std::vector<ShapeRegret>& regrets) {
  TableBlock table{
      "Regret by shape", {{"M x N x K", false}, {"fastest measured", false}, {"time"}}, {}};
  const std::vector<std::string> predictors = predictors_of(regrets);
  for (const std::string& name : predictors) table.columns.push_back({name});
  table.columns.push_back({fixed_name, true, "the fastest measured kernel with that tile"});
  table.columns.push_back({"cuBLAS", true, "its time over the fastest's; below 0 it is faster"});
  for (const ShapeRegret& r : regrets) {
    std::vector<Cell> row = {{r.shape}, {r.best}, {format_time(r.best_s), "", r.best_s}};
    for (const std::string& name : predictors) row.push_back(regret_cell(pick_of(r, name)));
    row.push_back(regret_cell(r.fixed));
    row.push_back(r.cublas ? Cell{format_percent(*r.cublas, true), "", r.cublas} : Cell{no_value});
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The kernels behind the figures, as text: on paper and in Markdown nothing can be pointed at.
TableBlock choice_table(const std::vector<ShapeRegret>& regrets) {
  TableBlock table{"The kernel of each choice", {{"M x N x K", false}}, {}};
  table.collapsed = true;
  const std::vector<std::string> predictors = predictors_of(regrets);
  for (const std::string& name : predictors) table.columns.push_back({name, false});
  table.columns.push_back({fixed_name, false});
  const auto kernel = [](const std::optional<Pick>& pick) {
    return Cell{pick ? pick->kernel : no_value};
  };
  for (const ShapeRegret& r : regrets) {
    std::vector<Cell> row = {{r.shape}};
    for (const std::string& name : predictors) row.push_back(kernel(pick_of(r, name)));
    row.push_back(kernel(r.fixed));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Section regret_section(const ReportInput& input, const Analysis& analysis) {
  Section section{"regret", "What a wrong choice costs", {}};
  const auto regrets = regrets_of(input.validation.cases, "dev", input, analysis);
  if (regrets.empty()) {
    section.blocks.emplace_back(
        Paragraph{"Regret: no shape has two measured kernels with predictions.", Tone::missing,
                  "rooftile validate"});
    return section;
  }
  section.blocks.emplace_back(
      Paragraph{"A tuner runs the kernel that its model says is fastest. Regret is how much slower "
                "that kernel is than the fastest of the measured ones that are predicted, on the "
                "dev split."});
  section.blocks.emplace_back(regret_figure(regrets));
  section.blocks.emplace_back(regret_table(regrets));
  section.blocks.emplace_back(choice_table(regrets));
  return section;
}

}  // namespace rooftile::report
