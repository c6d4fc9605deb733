// The plot of a panel: axes, lines and the key below.
#include <fmt/format.h>

#include <algorithm>

#include "report/curve_panel.hpp"
#include "report/curve_shape.hpp"
#include "report/format.hpp"
#include "report/palette.hpp"

namespace rooftile::report {
namespace {

/// All values of one axis that are drawn, in one list.
Values drawn(const CurvePanel& panel, Values Points::*axis) {
  Values values;
  for (const NamedCurve& curve : panel.curves) {
    const Values& all = curve.points.*axis;
    values.insert(values.end(), all.begin() + (panel.without_first ? 1 : 0), all.end());
  }
  return values;
}

/// "latency", or "" where the curves differ.
std::string common_y_quantity(const CurvePanel& panel) {
  if (shown_beyond_x(*panel.curves.front().entry)) return "beyond n";
  std::string first = y_quantity(*panel.curves.front().entry);
  for (const NamedCurve& curve : panel.curves)
    if (y_quantity(*curve.entry) != first) return {};
  return first;
}

void x_axis(const CurvePanel& panel, Plot& plot) {
  const Values grid = drawn(panel, &Points::x);
  const Range x = range_of({&grid});
  const bool logarithmic = geometric(grid);
  const double margin = logarithmic ? 0 : 0.02 * (x.hi - x.lo);
  const double lo = logarithmic ? x.lo * 0.87 : x.lo - margin;
  const double hi = logarithmic ? x.hi * 1.15 : x.hi + margin;
  if (logarithmic) plot.commands.push_back("set logscale x 2");
  if (hi > lo) plot.commands.push_back(fmt::format("set xrange [{:.8g}:{:.8g}]", lo, hi));
  const auto ticks = count_ticks(x, logarithmic, panel.x_unit == "byte");
  if (!ticks.empty()) plot.commands.push_back(tics_command("x", ticks));
  plot.commands.push_back("set xlabel " + gp_quoted(panel.x.label));
}

/// Range of y as drawn, and the axis for it; cycles beyond n are differences, which stay linear.
std::pair<Range, YAxis> y_scale(const CurvePanel& panel) {
  const Values values = drawn(panel, &Points::y);
  const Range y = range_of({&values});
  const bool difference = shown_beyond_x(*panel.curves.front().entry);
  return {y, difference ? YAxis::from_zero : y_axis_of(y)};
}

void y_axis(const CurvePanel& panel, const DisplayUnit& unit, Plot& plot) {
  const auto [range, axis] = y_scale(panel);
  const Range y{range.lo / unit.scale, range.hi / unit.scale};
  std::string label = y_label(panel, unit.name);
  const double margin = 0.08 * (y.hi - y.lo);
  if (axis == YAxis::logarithmic) {
    const Range shown{y.lo / 1.2, y.hi * 1.2};
    plot.commands.push_back("set logscale y");
    plot.commands.push_back(fmt::format("set yrange [{:.6g}:{:.6g}]", shown.lo, shown.hi));
    plot.commands.push_back(tics_command("y", rate_ticks(shown)));
  } else if (axis == YAxis::near_data) {
    plot.commands.push_back(
        fmt::format("set yrange [{:.6g}:{:.6g}]", y.lo - margin, y.hi + margin));
    label += " (not from 0)";
  } else if (y.hi > 0 && y.lo >= 0) {
    plot.commands.push_back(fmt::format("set yrange [0:{:.6g}]", y.hi * 1.08));
  }
  plot.commands.push_back("set ylabel " + gp_quoted(label));
}

/// The key above the picture, which grows by the key's rows: as many columns as fit.
void key(const std::vector<std::string>& names, Plot& plot) {
  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  const std::size_t fit = static_cast<std::size_t>(plot.width - 80) / (45 + 7 * longest);
  const std::size_t columns =
      std::clamp<std::size_t>(fit, 1, std::min<std::size_t>(names.size(), 4));
  plot.height += 19 * static_cast<int>((names.size() + columns - 1) / columns);
  plot.commands.push_back(
      fmt::format("set key tmargin left horizontal Left reverse samplen 1.5 spacing 1.1 width 1 "
                  "maxcols {}",
                  columns));
}

/// Many lines, or one that goes up and down over many points, need the width of the page.
bool wide(const CurvePanel& panel) {
  if (lines_of(panel).size() > 6) return true;
  return std::any_of(panel.curves.begin(), panel.curves.end(), [](const NamedCurve& curve) {
    return curve.points.x.size() > 48 && zigzags(curve.points.y);
  });
}

Series series_of(const CurvePanel& panel, const NamedCurve& curve, const DisplayUnit& unit) {
  Series series{std::string(curve.entry->id), {panel.x.label, y_label(panel, unit.name)}, {}};
  for (std::size_t k = 0; k < curve.points.x.size(); ++k)
    series.rows.push_back({curve.points.x[k], curve.points.y[k] / unit.scale});
  return series;
}

/// A line (or points alone) named `name`, and its points once more for what they tell.
void add_line(const CurvePanel& panel, const std::vector<std::size_t>& members, std::size_t index,
              const std::string& name, const Plot& plot, std::vector<std::string>& elements) {
  const Points& points = panel.curves[members.front()].points;
  const bool marks = points_only(points.x, points.y);
  const std::string data =
      data_of(plot, members.front()) + (panel.without_first ? " every ::1" : "");
  const std::string style =
      fmt::format("{} pt {} ps {}", line_color(index), point_type(index), marks ? 0.8 : 0.45);
  elements.push_back(fmt::format("{} using 1:2 with {} {} linewidth 1.4 title {}", data,
                                 marks ? "points" : "linespoints", style, gp_quoted(name)));
  elements.push_back(points_that_tell(data, plot.series[members.front()], name, style));
}

}  // namespace

std::string y_label(const CurvePanel& panel, const std::string& unit) {
  const std::string quantity = common_y_quantity(panel);
  if (quantity == "beyond n") return unit + " " + quantity;
  if (quantity.empty()) return unit;
  return unit.empty() || panel.y_unit == "cycle/inst" ? quantity : quantity + ", " + unit;
}

std::string y_title(const CurvePanel& panel) {
  const std::string unit = display_unit(panel.y_unit, 0).name;
  const std::string quantity = common_y_quantity(panel);
  return quantity.empty() || quantity == "beyond n" ? y_label(panel, unit) : quantity;
}

std::vector<std::vector<std::size_t>> lines_of(const CurvePanel& panel) {
  std::vector<Line> lines;
  for (const NamedCurve& curve : panel.curves) lines.push_back({curve.points.x, curve.points.y});
  const auto [y, axis] = y_scale(panel);
  return merged_lines(lines, axis, y);
}

Plot plot_of(const CurvePanel& panel) {
  Plot plot;
  plot.name = file_stem("curves_" + panel.supplier + "_" + panel.y_unit + "_" + panel.x.key);
  if (wide(panel)) plot.width = 720;
  const DisplayUnit unit = display_unit(panel.y_unit, y_scale(panel).first.hi);
  x_axis(panel, plot);
  y_axis(panel, unit, plot);
  for (const NamedCurve& curve : panel.curves) plot.series.push_back(series_of(panel, curve, unit));
  std::vector<std::string> elements, names;
  for (const auto& members : lines_of(panel)) {
    std::vector<std::string> together;
    for (const std::size_t i : members) together.push_back(panel.curves[i].name);
    names.push_back(joined(together));
    add_line(panel, members, names.size() - 1, names.back(), plot, elements);
  }
  if (panel.curves.size() > 1)
    key(names, plot);
  else
    plot.commands.push_back("unset key");
  plot.commands.push_back("set rmargin 3");
  plot.commands.push_back(plot_command(elements));
  return plot;
}

}  // namespace rooftile::report
