// The measured landscape: drawn tiles of every variant, each timed, beside what a search that only
// knows the tiles says of them. The figures are those of `rooftile validate`; here they are laid
// out, by shape and for two shapes in full.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/kernel/problem.hpp"
#include "model/kernel/tile.hpp"
#include "report/format.hpp"
#include "report/heat_map.hpp"
#include "report/palette.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

constexpr const char* searching = "analytic";
constexpr const char* remade = "rooftile measure --suite landscape.json --output landscape.jsonl";

using Cases = std::vector<const ErrorCase*>;

bool is_time(double seconds) { return std::isfinite(seconds) && seconds > 0; }

/// Of the searching predictor on the dev split, by shape.
std::map<std::string, Cases> by_shape(const ValidationReport& validation) {
  std::map<std::string, Cases> shapes;
  for (const ErrorCase& c : validation.cases)
    if (c.predictor == searching && c.split == "dev" && is_time(c.predicted_s) &&
        is_time(c.measured_s))
      shapes[c.shape].push_back(&c);
  return shapes;
}

const ErrorCase& least(const Cases& cases, double ErrorCase::*time) {
  return **std::min_element(cases.begin(), cases.end(),
                            [time](const auto* a, const auto* b) { return a->*time < b->*time; });
}

double flop_of(const ErrorCase& c) { return parse_shape(c.shape).flop(); }

std::string kernel_text(const ReportInput& input, const ErrorCase& c) {
  return variant_title(input, c.variant) + " " + c.tile;
}

/// Names of measured kernels, "variant tile".
std::set<std::string> kernels_of(const std::map<std::string, Cases>& shapes) {
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
std::vector<std::string> in_order(const std::map<std::string, Cases>& shapes) {
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

TableBlock shape_table(const ReportInput& input, const std::map<std::string, Cases>& shapes) {
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
    const Cases& cases = shapes.at(shape);
    const ErrorCase& best = least(cases, &ErrorCase::measured_s);
    const double flops = flop_of(best) / best.measured_s;
    table.rows.push_back(
        {{shape},
         {std::to_string(cases.size()), "", static_cast<double>(cases.size())},
         {kernel_text(input, best)},
         {format_time(best.measured_s), "", best.measured_s},
         {tflops(flops), "", flops},
         s.kendall_tau_b ? Cell{fixed(*s.kendall_tau_b, 2), "", s.kendall_tau_b} : Cell{no_value},
         regret_cell(s.regret_top1, kernel_text(input, least(cases, &ErrorCase::predicted_s))),
         regret_cell(s.regret_top5)});
  }
  return table;
}

/// Measured and predicted speed of every kernel, in the order of the measured ones.
Plot ranking_plot(const ReportInput& input, Cases cases, const std::string& shape) {
  std::stable_sort(cases.begin(), cases.end(),
                   [](const auto* a, const auto* b) { return a->measured_s < b->measured_s; });
  Series measured{"measured", {"place", "TFLOP/s", "kernel"}, {}};
  Series predicted{"predicted", {"place", "TFLOP/s", "kernel"}, {}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const ErrorCase& c = *cases[i];
    const double place = static_cast<double>(i + 1), tera = flop_of(c) / 1e12;
    measured.rows.push_back({place, tera / c.measured_s});
    predicted.rows.push_back({place, tera / c.predicted_s});
    const std::string text =
        fmt::format("{}: measured {} ({}), predicted {}, bound {}", kernel_text(input, c),
                    format_time(c.measured_s), format_tflops(flop_of(c) / c.measured_s),
                    format_time(c.predicted_s), c.bound);
    measured.labels.push_back(text);
    predicted.labels.push_back(text);
  }
  Plot plot;
  plot.name = "ranking_" + file_stem(shape);
  plot.width = 1120;
  plot.series = {std::move(measured), std::move(predicted)};
  std::vector<std::string> elements;
  for (const std::size_t i : {std::size_t{1}, std::size_t{0}}) {
    const std::string style = fmt::format("{} pt {}", line_color(i), point_type(i));
    elements.push_back(
        fmt::format("{} using 1:2:(stringcolumn(3)) with labels hypertext point {} ps 0.6 notitle",
                    data_of(plot, i), style));
    elements.push_back(fmt::format("keyentry with points {} ps 0.8 title {}", style,
                                   gp_quoted(plot.series[i].name)));
  }
  plot.commands = {"set xlabel 'place by measured speed'", "set ylabel 'TFLOP/s'",
                   fmt::format("set xrange [0:{}]", cases.size() + 1), "set yrange [0:*]",
                   plot_command(elements)};
  return plot;
}

Figure ranking_figure(const ReportInput& input, const Cases& cases, const std::string& shape) {
  Figure figure;
  figure.wide = true;
  figure.plot = ranking_plot(input, cases, shape);
  figure.title = "Measured tiles in order of their speed at " + shape;
  figure.command = remade;
  const ErrorCase& chosen = least(cases, &ErrorCase::predicted_s);
  figure.alternative = fmt::format(
      "Speed of {} kernels, measured and predicted; {} chooses {}, {} slower than the fastest.",
      cases.size(), searching, kernel_text(input, chosen),
      format_percent(chosen.measured_s / least(cases, &ErrorCase::measured_s).measured_s - 1));
  figure.caption = figure.alternative + " The highest predicted marker is the choice.";
  return figure;
}

using Blocks = std::map<std::pair<int, int>, Cases>;  ///< by BM and BN

/// Those that reach a quarter of the best speed.
Blocks worthwhile_blocks(const Cases& cases) {
  const double longest = 4 * least(cases, &ErrorCase::measured_s).measured_s;
  Blocks blocks;
  for (const ErrorCase* c : cases) {
    const Tile tile = parse_tile(c->tile, Tile{});
    blocks[{tile.BM, tile.BN}].push_back(c);
  }
  std::erase_if(blocks, [longest](const auto& entry) {
    return least(entry.second, &ErrorCase::measured_s).measured_s > longest;
  });
  return blocks;
}

/// Of each BM x BN the fastest measured kernel and the fastest predicted one.
HeatMap measured_map(const ReportInput& input, const Cases& cases, const std::string& shape) {
  const auto blocks = worthwhile_blocks(cases);
  std::set<int> rows, columns;
  for (const auto& entry : blocks) {
    rows.insert(entry.first.first);
    columns.insert(entry.first.second);
  }
  HeatMap map;
  map.name = "measured_" + file_stem(shape);
  map.x_label = "BN";
  map.y_label = "BM";
  map.value = "TFLOP/s, measured";
  map.below = "TFLOP/s, predicted";
  map.below_format = "(%.1f)";
  for (const int BM : rows) map.rows.push_back(std::to_string(BM));
  for (const int BN : columns) map.columns.push_back(std::to_string(BN));
  const auto place = [](const std::set<int>& sizes, int size) {
    return static_cast<std::size_t>(std::distance(sizes.begin(), sizes.find(size)));
  };
  for (const auto& [block, of_block] : blocks) {
    const ErrorCase &fast = least(of_block, &ErrorCase::measured_s),
                    &chosen = least(of_block, &ErrorCase::predicted_s);
    HeatCell cell;
    cell.column = place(columns, block.second);
    cell.row = place(rows, block.first);
    cell.value = flop_of(fast) / fast.measured_s / 1e12;
    cell.below = flop_of(chosen) / chosen.predicted_s / 1e12;
    cell.hover = fmt::format("BM {}, BN {}: measured {}, {}; predicted {}, {}", block.first,
                             block.second, kernel_text(input, fast), format_time(fast.measured_s),
                             kernel_text(input, chosen), format_time(chosen.predicted_s));
    map.cells.push_back(std::move(cell));
  }
  return map;
}

Figure measured_figure(const ReportInput& input, const Cases& cases, const std::string& shape) {
  Figure figure;
  figure.plot = plot_of(measured_map(input, cases, shape));
  figure.title = "Measured tiles by block at " + shape;
  figure.command = remade;
  const ErrorCase& best = least(cases, &ErrorCase::measured_s);
  figure.alternative =
      fmt::format("Measured speed of the fastest drawn kernel of each block tile; the best is {}.",
                  kernel_text(input, best));
  figure.caption = fmt::format(
      "TFLOP/s of the fastest measured kernel of each BM x BN; in brackets what {} predicts for "
      "the "
      "one of them that it says is fastest. Blocks below a quarter of the best are left out. {}",
      searching, figure.alternative);
  return figure;
}

/// nullptr where the validation lacks it.
const ErrorSummary* summary_of(const ValidationReport& validation) {
  const auto found = validation.predictors.find(searching);
  if (found == validation.predictors.end()) return nullptr;
  const auto dev = found->second.find("dev");
  return dev == found->second.end() ? nullptr : &dev->second;
}

Paragraph verdict(const ErrorSummary& s, const std::map<std::string, ErrorSummary>& baselines,
                  const std::map<std::string, Cases>& shapes) {
  std::string text = fmt::format(
      "{} kernels of every variant that is predicted, drawn from all legal tiles without regard to "
      "any time or prediction, measured on {}. {}, knowing of each what a search knows, is off by "
      "{} on average and orders the tiles of a shape with tau-b {}. Its first choice is {} slower "
      "than the fastest measured tile, the fastest of its first five {}",
      kernels_of(shapes).size(), plural(shapes.size(), "shape", "shapes"), searching,
      format_percent(s.mape), s.kendall_tau_b ? fixed(*s.kendall_tau_b, 2) : no_value,
      format_percent(s.regret_top1), format_percent(s.regret_top5));
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
  const auto shapes =
      input.landscape ? by_shape(input.landscape->searched) : std::map<std::string, Cases>{};
  const ErrorSummary* summary = input.landscape ? summary_of(input.landscape->searched) : nullptr;
  if (shapes.empty() || summary == nullptr) {
    blocks.emplace_back(Paragraph{"Measured tiles beside their predictions: none were measured.",
                                  Tone::missing, remade});
    return blocks;
  }
  blocks.emplace_back(verdict(*summary, input.landscape->searched.baselines, shapes));
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
