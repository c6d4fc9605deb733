// The gnuplot script of rows with markers.
#include "report/dot_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/curve_shape.hpp"
#include "report/palette.hpp"

namespace rooftile::report {
namespace {

double largest(const DotRows& rows) {
  double largest = 10 * rows.x_from;
  for (const DotKind& kind : rows.kinds)
    for (const Dot& dot : kind.dots) largest = std::max(largest, dot.x);
  return largest;
}

/// A logarithmic axis; the first tick says that it also stands for less.
std::vector<std::string> logarithmic_axis(const DotRows& rows) {
  const Range range{rows.x_from, 1.3 * largest(rows)};
  std::vector<Tick> ticks = rate_ticks(range);
  std::erase_if(ticks, [&](const Tick& tick) { return tick.position <= 1.01 * rows.x_from; });
  ticks.insert(ticks.begin(), {fmt::format("\u2264 {:g}", rows.x_from), rows.x_from});
  return {"set logscale x", fmt::format("set xrange [{:.6g}:{:.6g}]", rows.x_from / 1.2, range.hi),
          tics_command("x", ticks)};
}

Series series_of(const DotRows& rows, const DotKind& kind) {
  Series series{kind.name, {"row", rows.x_label, "what"}, {}};
  for (const Dot& dot : kind.dots) {
    series.rows.push_back({static_cast<double>(dot.row), dot.x});
    series.labels.push_back(dot.hover);
  }
  return series;
}

/// A marker for each dot, which a pointer finds, and an entry of the key for each kind.
std::vector<std::string> elements_of(const DotRows& rows, const Plot& plot) {
  const std::string x =
      rows.logarithmic ? fmt::format("($2 < {0:g} ? {0:g} : $2)", rows.x_from) : "2";
  std::vector<std::string> elements;
  for (std::size_t i = 0; i < rows.kinds.size(); ++i) {
    const bool filled = rows.kinds[i].filled;
    const std::string style =
        fmt::format("{} pt {} ps {}", line_color(i), filled ? point_type(i) : open_point_type(i),
                    filled ? 0.65 : 1.0);
    elements.push_back(points_with_texts(data_of(plot, i), x + ":1", 3, style));
    elements.push_back(
        fmt::format("keyentry with points {} title {}", style, gp_quoted(rows.kinds[i].name)));
  }
  return elements;
}

}  // namespace

Plot plot_of(const DotRows& rows) {
  Plot plot;
  plot.name = rows.name;
  plot.width = 720;
  plot.height = 110 + 20 * static_cast<int>(rows.rows.size());
  for (const DotKind& kind : rows.kinds) plot.series.push_back(series_of(rows, kind));
  std::vector<Tick> names;
  for (std::size_t i = 0; i < rows.rows.size(); ++i)
    names.push_back({rows.rows[i], static_cast<double>(i)});
  plot.commands = {tics_command("y", names), "set ytics scale 0",
                   fmt::format("set yrange [{}:-0.6]", static_cast<double>(names.size()) - 0.4),
                   "set key tmargin left horizontal Left reverse samplen 1.2 width -2 maxcols 4",
                   "set xlabel " + gp_quoted(rows.x_label)};
  if (rows.logarithmic)
    for (std::string& command : logarithmic_axis(rows)) plot.commands.push_back(std::move(command));
  else
    plot.commands.push_back(fmt::format("set xrange [{:g}:*]", rows.x_from));
  plot.commands.push_back(plot_command(elements_of(rows, plot)));
  return plot;
}

}  // namespace rooftile::report
