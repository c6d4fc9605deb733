// The memory hierarchy as curves: latency and bandwidth over the footprint, bandwidth over the
// number of active SMs. Plateaus are levels, knees are capacities.
#include <fmt/format.h>

#include <algorithm>

#include "report/format.hpp"
#include "report/palette.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

struct CurvePlot {
  std::string id, name, title, x_heading, y_heading, y_label, key;
  double y_scale = 1;
  bool footprint = true;  ///< x in bytes on a logarithmic axis; else a count
};

Series series_of(const CurvePlot& spec, const Points& points) {
  Series series{spec.id, {spec.x_heading, spec.y_heading}, {}};
  const bool intervals = !points.lo.empty();
  if (intervals) series.columns.insert(series.columns.end(), {"95 % from", "to"});
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    series.rows.push_back({points.x[i], points.y[i] / spec.y_scale});
    if (!intervals) continue;
    series.rows.back().push_back(points.lo[i] / spec.y_scale);
    series.rows.back().push_back(points.hi[i] / spec.y_scale);
  }
  return series;
}

/// Vertical marks at capacities inside the range, labelled at the top.
void mark_capacities(const DeviceProfile& profile, double lo, double hi, Plot& plot) {
  const auto mark = [&](const std::string& id, double factor, const std::string& words,
                        const char* side) {
    const auto bytes = metric_value(profile, id);
    if (!bytes || *bytes * factor <= lo || *bytes * factor >= hi) return;
    plot.commands.push_back(
        fmt::format("set arrow from {0:.8g}, graph 0 to {0:.8g}, graph 1 nohead {1} "
                    "dashtype 2 linewidth 1",
                    *bytes * factor, line_color(Ink::guide)));
    plot.commands.push_back(fmt::format(
        "set label {} at {:.8g}, graph {}",
        gp_quoted(words + " " + show_value(*bytes * factor, "byte", 3)), *bytes * factor, side));
  };
  mark("device.smem_per_sm", 1, "L1 array", "0.96 left offset 0.6,0");
  mark("device.l2_size", 0.5, "half of L2", "0.89 right offset -0.6,0");
  mark("device.l2_size", 1, "L2", "0.96 left offset 0.6,0");
}

Plot curve_plot(const DeviceProfile& profile, const CurvePlot& spec, const Points& points) {
  Plot plot;
  plot.name = spec.name;
  plot.series = {series_of(spec, points)};
  const auto [lo, hi] = std::minmax_element(points.x.begin(), points.x.end());
  if (spec.footprint) {
    plot.commands.push_back("set logscale x 2");
    plot.commands.push_back(fmt::format("set xrange [{:.8g}:{:.8g}]", *lo * 0.8, *hi * 1.25));
    plot.commands.push_back(tics_command("x", byte_ticks(*lo, *hi)));
    mark_capacities(profile, *lo, *hi, plot);
  } else {
    plot.commands.push_back(fmt::format("set xrange [0:{:.8g}]", *hi * 1.02));
  }
  const double top = *std::max_element(points.y.begin(), points.y.end()) / spec.y_scale;
  // Room above the line for the capacities' names.
  if (top > 0)
    plot.commands.push_back(
        fmt::format("set yrange [0:{:.6g}]", top * (spec.footprint ? 1.3 : 1.1)));
  plot.commands.push_back("set xlabel " + gp_quoted(spec.footprint ? "footprint" : spec.x_heading));
  plot.commands.push_back("set ylabel " + gp_quoted(spec.y_label));
  std::vector<std::string> elements;
  if (!points.lo.empty())
    elements.push_back(data_of(plot, 0) + " using 1:3:4 with filledcurves " +
                       line_color(Ink::band) + " title '95 % interval'");
  const std::string style = line_color(0) + " pt 7 ps 0.45";
  elements.push_back(data_of(plot, 0) + " using 1:2 with linespoints " + style +
                     " linewidth 1.6 title " + gp_quoted(spec.key));
  elements.push_back(points_that_tell(data_of(plot, 0), plot.series.front(), spec.key, style));
  plot.commands.push_back(plot_command(elements));
  return plot;
}

std::string extent(const CurvePlot& spec, const Points& points) {
  const auto [lo, hi] = std::minmax_element(points.y.begin(), points.y.end());
  return fmt::format("{} points; {} from {} to {} ({})", points.x.size(), spec.y_label,
                     significant(*lo / spec.y_scale, 3), significant(*hi / spec.y_scale, 3),
                     spec.y_heading);
}

void add_curve(const DeviceProfile& profile, const CurvePlot& spec, const std::string& reading,
               Section& section) {
  const Points points = points_of(profile, spec.id, spec.footprint);
  if (!points.usable()) {
    section.blocks.push_back(missing_entry(profile, spec.id));
    return;
  }
  const Curve& curve = profile.curves.at(spec.id);
  Figure figure;
  figure.title = spec.title;
  figure.alternative = spec.title + ": " + extent(spec, points);
  figure.caption = reading + (curve.method.empty() ? "" : " Method: " + curve.method + ".");
  if (curve.state == State::suspect) figure.caption += " Suspect: " + curve.reason + ".";
  figure.plot = curve_plot(profile, spec, points);
  figure.command = entry_command(spec.id);
  section.blocks.emplace_back(std::move(figure));
}

}  // namespace

Section memory_section(const ReportInput& input) {
  Section section{"memory", "Caches and memory", {}};
  const DeviceProfile& profile = input.profile;
  add_curve(
      profile,
      {"memory.latency.over_footprint", "latency", "Latency over footprint", "footprint, byte",
       "latency, cycle", "latency, cycles", "dependent loads"},
      "Each step is a level: the knees lie at the capacities. The dashed marks are the sizes that "
      "the driver reports; the L1 array is shared with shared memory.",
      section);
  add_curve(profile,
            {"memory.bandwidth.over_footprint", "bandwidth", "Read bandwidth over footprint",
             "footprint, byte", "bandwidth, TB/s", "bandwidth, TB/s", "whole GPU, reads", 1e12},
            "What fits into L2 runs at L2 speed; beyond, at DRAM speed. A buffer that fits L2 says "
            "nothing "
            "of DRAM.",
            section);
  add_curve(profile,
            {"l2.bandwidth.over_active_sms", "l2_active_sms", "L2 reads over active SMs",
             "active SMs", "bandwidth, B/cycle", "bandwidth, B/cycle", "L2 reads", 1, false},
            "A straight line is a limit of each SM; where it bends, the SMs share one.", section);
  add_curve(profile,
            {"dram.bandwidth.over_active_sms", "dram_active_sms", "DRAM reads over active SMs",
             "active SMs", "bandwidth, TB/s", "bandwidth, TB/s", "DRAM reads", 1e12, false},
            "How few SMs are enough to saturate DRAM: what a last, partial wave can still draw.",
            section);
  return section;
}

}  // namespace rooftile::report
