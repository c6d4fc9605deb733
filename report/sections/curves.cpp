// Every curve of the profile that no other section draws: one figure for the curves of a
// microbenchmark that share both axes, by group.
#include <fmt/format.h>

#include <algorithm>

#include "model/profile/metric_catalog.hpp"
#include "report/entry_groups.hpp"
#include "report/format.hpp"
#include "report/palette.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

/// Curves that the sections on memory and shared memory draw with more to say.
constexpr std::string_view drawn_elsewhere[] = {
    "memory.latency.over_footprint", "memory.bandwidth.over_footprint",
    "l2.bandwidth.over_active_sms",  "dram.bandwidth.over_active_sms",
    "smem.conflict.lds32",           "smem.conflict.lds64",
    "smem.conflict.lds128"};

struct NamedPoints {
  const CatalogEntry* entry;
  Points points;
};

/// Curves of one microbenchmark with the same units.
struct Panel {
  std::string supplier, x_unit, y_unit, group;
  std::vector<NamedPoints> curves;
};

std::vector<Panel> panels_of(const DeviceProfile& profile) {
  std::vector<Panel> panels;
  for (const CatalogEntry& entry : metric_catalog()) {
    const auto& elsewhere = drawn_elsewhere;
    if (entry.kind != EntryKind::curve ||
        std::find(std::begin(elsewhere), std::end(elsewhere), entry.id) != std::end(elsewhere))
      continue;
    Points points = points_of(profile, std::string(entry.id), false);
    if (!points.usable()) continue;
    const auto same = [&](const Panel& panel) {
      return panel.supplier == entry.supplier && panel.x_unit == entry.x_unit &&
             panel.y_unit == entry.unit;
    };
    auto found = std::find_if(panels.begin(), panels.end(), same);
    if (found == panels.end())
      found = panels.insert(panels.end(), {std::string(entry.supplier),
                                           std::string(entry.x_unit),
                                           std::string(entry.unit),
                                           entry_group(std::string(entry.id)),
                                           {}});
    found->curves.push_back({&entry, std::move(points)});
  }
  return panels;
}

struct Range {
  double lo = 0, hi = 0;
};

Range range_of(const Panel& panel, std::vector<double> Points::*axis) {
  Range range{(panel.curves.front().points.*axis).front(), 0};
  range.hi = range.lo;
  for (const NamedPoints& curve : panel.curves)
    for (const double value : curve.points.*axis) {
      range.lo = std::min(range.lo, value);
      range.hi = std::max(range.hi, value);
    }
  return range;
}

bool logarithmic(const Range& range) { return range.lo > 0 && range.hi > 40 * range.lo; }

std::string axis_label(const std::string& unit, const std::string& name) {
  if (unit == "count") return "count";
  if (unit == "1") return "fraction";
  return name.empty() ? unit : name;
}

void x_axis(const Panel& panel, Plot& plot) {
  const Range x = range_of(panel, &Points::x);
  if (logarithmic(x) || (panel.x_unit == "byte" && x.lo > 0)) {
    plot.commands.push_back("set logscale x 2");
    plot.commands.push_back(fmt::format("set xrange [{:.8g}:{:.8g}]", x.lo * 0.85, x.hi * 1.18));
    if (panel.x_unit == "byte") plot.commands.push_back(tics_command("x", byte_ticks(x.lo, x.hi)));
  } else {
    const double margin = 0.02 * (x.hi - x.lo);
    plot.commands.push_back(
        fmt::format("set xrange [{:.8g}:{:.8g}]", x.lo - margin, x.hi + margin));
  }
  plot.commands.push_back("set xlabel " + gp_quoted(axis_label(panel.x_unit, "")));
}

Plot plot_of(const Panel& panel) {
  Plot plot;
  plot.name = file_stem("curves_" + panel.supplier + "_" + panel.y_unit + "_" + panel.x_unit);
  x_axis(panel, plot);
  const Range y = range_of(panel, &Points::y);
  const DisplayUnit unit = display_unit(panel.y_unit, y.hi);
  // Room above the lines for their names.
  const double room = 1.15 + 0.08 * static_cast<double>(panel.curves.size());
  if (y.hi > 0 && y.lo >= 0)
    plot.commands.push_back(fmt::format("set yrange [0:{:.6g}]", y.hi / unit.scale * room));
  plot.commands.push_back("set ylabel " + gp_quoted(axis_label(panel.y_unit, unit.name)));
  std::vector<std::string> elements;
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const NamedPoints& curve = panel.curves[i];
    Series series{std::string(curve.entry->id),
                  {axis_label(panel.x_unit, ""), axis_label(panel.y_unit, unit.name)},
                  {}};
    for (std::size_t k = 0; k < curve.points.x.size(); ++k)
      series.rows.push_back({curve.points.x[k], curve.points.y[k] / unit.scale});
    plot.series.push_back(std::move(series));
    elements.push_back(data_of(plot, i) + " using 1:2 with linespoints " + line_color(i) +
                       fmt::format(" linewidth 1.4 pt {} ps 0.4 title ", point_type(i)) +
                       gp_quoted(std::string(curve.entry->id)));
  }
  plot.commands.push_back(plot_command(elements));
  return plot;
}

Figure figure_of(const DeviceProfile& profile, const Panel& panel) {
  Figure figure;
  figure.title = panel.supplier;
  for (const NamedPoints& curve : panel.curves) {
    const std::string id(curve.entry->id);
    const auto [lo, hi] = std::minmax_element(curve.points.y.begin(), curve.points.y.end());
    const Curve& recorded = profile.curves.at(id);
    figure.caption +=
        fmt::format("{}{}: {}", figure.caption.empty() ? "" : " ", id, curve.entry->meaning);
    figure.caption +=
        recorded.state == State::suspect ? " (suspect: " + recorded.reason + ")." : ".";
    figure.alternative += fmt::format(
        "{}{} from {} to {} over {} points", figure.alternative.empty() ? "" : "; ", id,
        show_value(*lo, panel.y_unit), show_value(*hi, panel.y_unit), curve.points.x.size());
  }
  figure.plot = plot_of(panel);
  return figure;
}

}  // namespace

Section curves_section(const ReportInput& input) {
  Section section{"curves", "Every other curve", {}};
  const std::vector<Panel> panels = panels_of(input.profile);
  if (panels.empty()) {
    section.blocks.push_back(
        Paragraph{"The profile holds no other curve.", Tone::missing, "rooftile characterize"});
    return section;
  }
  for (const std::string& title : entry_group_titles()) {
    bool first = true;
    for (const Panel& panel : panels) {
      if (panel.group != title) continue;
      if (first) section.blocks.emplace_back(Heading{title});
      first = false;
      section.blocks.emplace_back(figure_of(input.profile, panel));
    }
  }
  return section;
}

}  // namespace rooftile::report
