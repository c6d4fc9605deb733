#include "report/measured_tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "model/kernel/problem.hpp"
#include "model/kernel/tile.hpp"
#include "report/analysis.hpp"
#include "report/format.hpp"
#include "report/heat_map.hpp"
#include "report/palette.hpp"

namespace rooftile::report {
namespace {

bool is_time(double seconds) { return std::isfinite(seconds) && seconds > 0; }

/// Measured and predicted speed of every kernel, in the order of the measured ones.
Plot ranking_plot(const ReportInput& input, TileCases cases, const std::string& shape) {
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
    elements.push_back(points_with_texts(data_of(plot, i), "1:2", 3, style + " ps 0.6"));
    elements.push_back(fmt::format("keyentry with points {} ps 0.8 title {}", style,
                                   gp_quoted(plot.series[i].name)));
  }
  plot.commands = {"set xlabel 'place by measured speed'", "set ylabel 'TFLOP/s'",
                   fmt::format("set xrange [0:{}]", cases.size() + 1), "set yrange [0:*]",
                   plot_command(elements)};
  return plot;
}

using Blocks = std::map<std::pair<int, int>, TileCases>;  ///< by BM and BN

/// Those that reach a quarter of the best speed.
Blocks worthwhile_blocks(const TileCases& cases) {
  const double longest = 4 * fastest_by(cases, &ErrorCase::measured_s).measured_s;
  Blocks blocks;
  for (const ErrorCase* c : cases) {
    const Tile tile = parse_tile(c->tile, Tile{});
    blocks[{tile.BM, tile.BN}].push_back(c);
  }
  std::erase_if(blocks, [longest](const auto& entry) {
    return fastest_by(entry.second, &ErrorCase::measured_s).measured_s > longest;
  });
  return blocks;
}

/// Of each BM x BN the fastest measured kernel and the fastest predicted one.
HeatMap measured_map(const ReportInput& input, const TileCases& cases, const std::string& shape) {
  const auto blocks = worthwhile_blocks(cases);
  std::set<int> rows, columns;
  for (const auto& entry : blocks) {
    rows.insert(entry.first.first);
    columns.insert(entry.first.second);
  }
  HeatMap map = block_map(rows, columns);
  map.name = "measured_" + file_stem(shape);
  map.value = "TFLOP/s, measured";
  map.below = "TFLOP/s, predicted";
  for (const auto& [block, of_block] : blocks) {
    const ErrorCase &fast = fastest_by(of_block, &ErrorCase::measured_s),
                    &chosen = fastest_by(of_block, &ErrorCase::predicted_s);
    HeatCell cell;
    cell.column = place_of(block.second, columns);
    cell.row = place_of(block.first, rows);
    cell.value = flop_of(fast) / fast.measured_s / 1e12;
    cell.below = flop_of(chosen) / chosen.predicted_s / 1e12;
    cell.hover = fmt::format("BM {}, BN {}: measured {}, {}; predicted {}, {}", block.first,
                             block.second, kernel_text(input, fast), format_time(fast.measured_s),
                             kernel_text(input, chosen), format_time(chosen.predicted_s));
    map.cells.push_back(std::move(cell));
  }
  return map;
}

}  // namespace

std::map<std::string, TileCases> cases_by_shape(const ValidationReport& validation) {
  std::map<std::string, TileCases> shapes;
  for (const ErrorCase& c : validation.cases)
    if (c.predictor == searching && c.split == "dev" && is_time(c.predicted_s) &&
        is_time(c.measured_s))
      shapes[c.shape].push_back(&c);
  return shapes;
}

const ErrorCase& fastest_by(const TileCases& cases, double ErrorCase::*time) {
  return **std::min_element(cases.begin(), cases.end(),
                            [time](const auto* a, const auto* b) { return a->*time < b->*time; });
}

double flop_of(const ErrorCase& c) { return parse_shape(c.shape).flop(); }

std::string kernel_text(const ReportInput& input, const ErrorCase& c) {
  return variant_title(input, c.variant) + " " + c.tile;
}

Figure ranking_figure(const ReportInput& input, const TileCases& cases, const std::string& shape) {
  Figure figure;
  figure.wide = true;
  figure.plot = ranking_plot(input, cases, shape);
  figure.title = "Measured tiles in order of their speed at " + shape;
  figure.command = remade;
  const ErrorCase& chosen = fastest_by(cases, &ErrorCase::predicted_s);
  figure.alternative = fmt::format(
      "Speed of {} kernels, measured and predicted; {} chooses {}, {} slower than the fastest.",
      cases.size(), searching, kernel_text(input, chosen),
      format_percent(chosen.measured_s / fastest_by(cases, &ErrorCase::measured_s).measured_s - 1));
  figure.caption = figure.alternative + " The highest predicted marker is the choice.";
  return figure;
}

Figure measured_figure(const ReportInput& input, const TileCases& cases, const std::string& shape) {
  Figure figure;
  figure.plot = plot_of(measured_map(input, cases, shape));
  figure.title = "Measured tiles by block at " + shape;
  figure.command = remade;
  const ErrorCase& best = fastest_by(cases, &ErrorCase::measured_s);
  figure.alternative = fmt::format(
      "Measured speed of the fastest measured kernel of each block tile; the best is {}.",
      kernel_text(input, best));
  figure.caption = fmt::format(
      "TFLOP/s of the fastest measured kernel of each BM x BN; in brackets what {} predicts for "
      "the "
      "one of them that it says is fastest. Blocks below a quarter of the best are left out. {}",
      searching, figure.alternative);
  return figure;
}

}  // namespace rooftile::report
