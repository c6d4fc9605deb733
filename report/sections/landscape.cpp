// The measured landscape: many tiles, drawn where they are the recorded ones, each timed, beside
// what a search that only knows the tiles says of them. The figures are those of `rooftile
// validate`; here they are laid out, by shape and for two shapes in full.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/kernel/problem.hpp"
#include "report/format.hpp"
#include "report/measured_tiles.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

/// Names of measured kernels, "variant tile".
std::set<std::string> kernels_of(const std::map<std::string, TileCases>& shapes) {
  std::set<std::string> kernels;
  for (const auto& entry : shapes)
    for (const ErrorCase* c : entry.second) kernels.insert(c->variant + " " + c->tile);
  return kernels;
}

std::vector<Cell> summary_row(const std::string& name, const ErrorSummary& s) {
  const bool times = s.max > 0;  // a baseline that only chooses has none
  const auto error = [times](double value, bool sign = false) {
    return times ? Cell{format_percent(value, sign), "", value} : Cell{no_value};
  };
  return {{name},
          {std::to_string(s.n), "", static_cast<double>(s.n)},
          error(s.mape),
          error(s.bias, true),
          error(s.p95),
          s.kendall_tau_b ? Cell{fixed(*s.kendall_tau_b, 3), "", s.kendall_tau_b} : Cell{no_value},
          {format_percent(s.regret_top1), "", s.regret_top1},
          {format_percent(s.regret_top5), "", s.regret_top5}};
}

TableBlock summary_table(const Landscape& landscape) {
  TableBlock table{"Predictors on the measured tiles, and choices that need none",
                   {{"chosen by", false},
                    {"n", true, "pairs of a kernel and a shape; of choices without a time, shapes"},
                    {"MAPE"},
                    {"bias"},
                    {"p95"},
                    {"tau-b", true, "over the tiles of a shape; mean over the shapes"},
                    {"regret, first", true, "of the first choice, over the fastest measured tile"},
                    {"regret, first five", true, "of the fastest of the first five"}},
                   {}};
  const auto add = [&table](const std::string& name, const auto& summaries) {
    if (const auto found = summaries.find("dev"); found != summaries.end())
      table.rows.push_back(summary_row(name, found->second));
  };
  for (const auto& [name, summaries] : landscape.searched.predictors) add(name, summaries);
  if (const auto found = landscape.compiled.predictors.find(searching);
      found != landscape.compiled.predictors.end())
    add(found->first + ", registers as compiled", found->second);
  for (const auto& [name, summary] : landscape.searched.baselines)
    table.rows.push_back(summary_row(name, summary));
  return table;
}

/// Shapes by their work.
std::vector<std::string> in_order(const std::map<std::string, TileCases>& shapes) {
  std::vector<std::string> names;
  for (const auto& entry : shapes) names.push_back(entry.first);
  std::stable_sort(names.begin(), names.end(), [](const auto& a, const auto& b) {
    return parse_shape(a).flop() < parse_shape(b).flop();
  });
  return names;
}

Cell regret_cell(const std::optional<double>& regret, const std::string& kernel = "") {
  if (!regret) return {no_value};
  const Mark mark = *regret < 0.005 ? Mark::good : *regret > 0.06 ? Mark::bad : Mark::none;
  return {format_percent(*regret), kernel, regret, mark};
}

TableBlock shape_table(const ReportInput& input, const std::map<std::string, TileCases>& shapes) {
  TableBlock table{"Measured tiles by shape (point at a regret for the tile that was chosen)",
                   {{"M x N x K", false},
                    {"tiles"},
                    {"fastest measured", false},
                    {"time"},
                    {"TFLOP/s"},
                    {"tau-b"},
                    {"regret, first"},
                    {"regret, first five"}},
                   {},
                   true};
  const auto& all = input.landscape->searched.by_shape;
  const auto summaries = all.find(searching);
  if (summaries == all.end()) return table;
  for (const std::string& shape : in_order(shapes)) {
    const auto found = summaries->second.find(shape);
    if (found == summaries->second.end()) continue;
    const ErrorSummary& s = found->second;
    const TileCases& cases = shapes.at(shape);
    const ErrorCase& best = fastest_by(cases, &ErrorCase::measured_s);
    const double flops = flop_of(best) / best.measured_s;
    table.rows.push_back(
        {{shape},
         {std::to_string(cases.size()), "", static_cast<double>(cases.size())},
         {kernel_text(input, best)},
         {format_time(best.measured_s), "", best.measured_s},
         {tflops(flops), "", flops},
         s.kendall_tau_b ? Cell{fixed(*s.kendall_tau_b, 2), "", s.kendall_tau_b} : Cell{no_value},
         regret_cell(s.regret_top1, kernel_text(input, fastest_by(cases, &ErrorCase::predicted_s))),
         regret_cell(s.regret_top5)});
  }
  return table;
}

/// nullptr where the validation lacks it.
const ErrorSummary* summary_of(const ValidationReport& validation) {
  const auto found = validation.predictors.find(searching);
  if (found == validation.predictors.end()) return nullptr;
  const auto dev = found->second.find("dev");
  return dev == found->second.end() ? nullptr : &dev->second;
}

/// How the tiles were chosen is known of the recorded ones alone.
std::string what_was_measured(bool recorded, const std::map<std::string, TileCases>& shapes) {
  const std::size_t kernels = kernels_of(shapes).size();
  const std::string on = plural(shapes.size(), "shape", "shapes");
  if (!recorded)
    return fmt::format("{} on {}", plural(kernels, "measured kernel", "measured kernels"), on);
  return fmt::format(
      "{} kernels of every variant that is predicted, drawn from all legal tiles without regard to "
      "any time or prediction, measured on {}",
      kernels, on);
}

Paragraph verdict(const ErrorSummary& s, const Landscape& landscape,
                  const std::map<std::string, TileCases>& shapes) {
  const auto& baselines = landscape.searched.baselines;
  std::string text = fmt::format(
      "{}. {}, knowing of each what a search knows, is off by "
      "{} on average and orders the tiles of a shape with tau-b {}. Its first choice is {} slower "
      "than the fastest measured tile, the fastest of its first five {}",
      what_was_measured(landscape.recorded, shapes), searching, format_percent(s.mape),
      s.kendall_tau_b ? fixed(*s.kendall_tau_b, 2) : no_value, format_percent(s.regret_top1),
      format_percent(s.regret_top5));
  if (const auto found = baselines.find("always 128x128x8"); found != baselines.end())
    text += fmt::format("; the fastest kernel of 128x128x8 is {} slower",
                        format_percent(found->second.regret_top1));
  if (const auto found = baselines.find("random"); found != baselines.end())
    text += fmt::format(", a tile at random {}", format_percent(found->second.regret_top1));
  return {text + "."};
}

}  // namespace

std::vector<Block> landscape_blocks(const ReportInput& input) {
  std::vector<Block> blocks{Heading{"Measured tiles"}};
  const auto shapes = input.landscape ? cases_by_shape(input.landscape->searched)
                                      : std::map<std::string, TileCases>{};
  const ErrorSummary* summary = input.landscape ? summary_of(input.landscape->searched) : nullptr;
  if (shapes.empty() || summary == nullptr) {
    blocks.emplace_back(Paragraph{"Measured tiles beside their predictions: none were measured.",
                                  Tone::missing, remade});
    return blocks;
  }
  blocks.emplace_back(verdict(*summary, *input.landscape, shapes));
  blocks.emplace_back(summary_table(*input.landscape));
  blocks.emplace_back(shape_table(input, shapes));
  for (const char* shape : {"4096x4096x4096", "1021x1031x1033"})
    if (const auto found = shapes.find(shape); found != shapes.end()) {
      blocks.emplace_back(ranking_figure(input, found->second, shape));
      blocks.emplace_back(measured_figure(input, found->second, shape));
    }
  return blocks;
}

}  // namespace rooftile::report
