// The gnuplot script of a heat map. The steps are colours of the palette, so that the page can
// swap them for those of its dark scheme.
#include "report/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "report/palette.hpp"

namespace rooftile::report {
namespace {

std::vector<Tick> ticks_of(const std::vector<std::string>& names) {
  std::vector<Tick> ticks;
  for (std::size_t i = 0; i < names.size(); ++i)
    ticks.push_back({names[i], static_cast<double>(i)});
  return ticks;
}

std::vector<HeatCell> usable(const HeatMap& map) {
  std::vector<HeatCell> cells = map.cells;
  std::erase_if(cells, [&](const HeatCell& cell) {
    return !std::isfinite(cell.value) || (map.logarithmic && cell.value <= 0);
  });
  return cells;
}

void add_cells(const HeatMap& map, const std::vector<HeatCell>& cells, Plot& plot) {
  double lo = std::numeric_limits<double>::infinity(), hi = -lo;
  for (const HeatCell& cell : cells) {
    lo = std::min(lo, cell.value);
    hi = std::max(hi, cell.value);
  }
  Series values{map.value, {map.x_label, map.y_label, map.value, "step", "cell"}, {}};
  Series below{map.below, {map.x_label, map.y_label, map.below}, {}};
  below.in_table = false;
  const int steps = static_cast<int>(heat_colors().size());
  for (const HeatCell& cell : cells) {
    const double x = static_cast<double>(cell.column), y = static_cast<double>(cell.row);
    const int step = heat_step(cell.value, lo, hi, map.logarithmic, steps);
    values.rows.push_back({x, y, cell.value, static_cast<double>(step)});
    values.labels.push_back(cell.hover);
    if (cell.below) below.rows.push_back({x, y, *cell.below});
  }
  plot.series = {std::move(values)};
  if (!below.rows.empty()) plot.series.push_back(std::move(below));
}

/// Rectangles; squares of the same colour on them that a pointer finds; numbers on top.
std::vector<std::string> elements_of(const HeatMap& map, const Plot& plot) {
  std::vector<std::string> elements;
  for (std::size_t step = 1; step <= heat_colors().size(); ++step) {
    const auto& rows = plot.series.front().rows;
    if (std::none_of(rows.begin(), rows.end(),
                     [&](const auto& row) { return row[3] == static_cast<double>(step); }))
      continue;
    const std::string x = fmt::format("($4=={} ? $1 : NaN)", step);
    const std::string color = fmt::format("lc rgb '{}'", heat_colors()[step - 1].light);
    elements.push_back(
        fmt::format("{} using {}:2:($1-0.49):($1+0.49):($2-0.49):($2+0.49) with boxxyerror {} "
                    "notitle",
                    data_of(plot, 0), x, color));
    elements.push_back(points_with_texts(data_of(plot, 0), x + ":2", 5, color + " pt 5 ps 2.2"));
  }
  const bool two = plot.series.size() > 1;
  elements.push_back(
      fmt::format("{} using 1:($2+{}):(sprintf('{}', $3)) with labels font ',12' notitle",
                  data_of(plot, 0), two ? 0.16 : 0.0, map.value_format));
  if (two)
    elements.push_back(
        fmt::format("{} using 1:($2-0.22):(sprintf('{}', $3)) with labels font ',10' notitle",
                    data_of(plot, 1), map.below_format));
  return elements;
}

}  // namespace

HeatMap block_map(const std::set<int>& BM, const std::set<int>& BN) {
  HeatMap map;
  map.x_label = "BN";
  map.y_label = "BM";
  map.below_format = "(%.1f)";
  for (const int size : BM) map.rows.push_back(std::to_string(size));
  for (const int size : BN) map.columns.push_back(std::to_string(size));
  return map;
}

std::size_t place_of(int size, const std::set<int>& sizes) {
  return static_cast<std::size_t>(std::distance(sizes.begin(), sizes.find(size)));
}

int heat_step(double value, double lo, double hi, bool logarithmic, int steps) {
  if (!(hi > lo)) return 1;
  const double share =
      logarithmic ? std::log(value / lo) / std::log(hi / lo) : (value - lo) / (hi - lo);
  return std::clamp(1 + static_cast<int>(share * steps), 1, steps);
}

Plot plot_of(const HeatMap& map) {
  Plot plot;
  plot.name = map.name;
  plot.width = std::clamp(130 + 62 * static_cast<int>(map.columns.size()), 560, 720);
  plot.height = 90 + 44 * static_cast<int>(map.rows.size());
  add_cells(map, usable(map), plot);
  plot.commands = {
      "set style fill solid 1.0 noborder",
      "set grid noxtics noytics",
      "set tics scale 0",
      fmt::format("set xrange [-0.5:{}]", static_cast<double>(map.columns.size()) - 0.5),
      fmt::format("set yrange [-0.5:{}]", static_cast<double>(map.rows.size()) - 0.5),
      tics_command("x", ticks_of(map.columns)),
      tics_command("y", ticks_of(map.rows)),
      "set xlabel " + gp_quoted(map.x_label),
      "set ylabel " + gp_quoted(map.y_label),
      plot_command(elements_of(map, plot))};
  return plot;
}

}  // namespace rooftile::report
