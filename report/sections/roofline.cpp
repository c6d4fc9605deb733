// The roofline: speed over arithmetic intensity, with the roofs of this GPU as measured. A kernel
// has one intensity for each level of memory, so each variant stands at its L2 intensity (large
// marker) and at its DRAM intensity (small), both from the predicted traffic.
//
// Source: Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009; hierarchical form after Yang
// et al., "Hierarchical Roofline Analysis for GPUs", 2020.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/format.hpp"
#include "report/palette.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

struct Mark2 {
  std::size_t color = 0;
  std::string title;
  double l2_intensity = 0, dram_intensity = 0;  ///< FLOP/B; 0 when unknown
  double measured = 0, predicted = 0;           ///< FLOP/s
};

double intensity(double flop, double bytes) {
  return bytes >= 1 && bytes < 1e18 ? flop / bytes : 0;
}

/// The most detailed prediction that knows its traffic.
const Prediction* with_traffic(const Measured& m, const std::vector<std::string>& predictors) {
  const auto knows = [&](const std::string& name) {
    const auto found = m.predictions.find(name);
    return found != m.predictions.end() && found->second->l2_bytes >= 1;
  };
  const auto name = std::find_if(predictors.rbegin(), predictors.rend(), knows);
  return name == predictors.rend() ? nullptr : m.predictions.at(*name);
}

std::vector<Mark2> marks_at(const ReportInput& input, const Analysis& analysis,
                            const std::string& shape) {
  std::vector<Mark2> marks;
  for (const auto& variant : analysis.variants) {
    const Measured* m = analysis.fastest(shape, variant);
    const Prediction* p = m ? with_traffic(*m, analysis.predictors) : nullptr;
    if (!p) continue;
    const double flop = m->run->problem.flop();
    marks.push_back(
        {analysis.color_index(variant), variant_title(input, variant), intensity(flop, p->l2_bytes),
         intensity(flop, p->dram_read_bytes + p->dram_write_bytes), m->flops, p->flops()});
  }
  return marks;
}

/// 4096^3 where most variants have it, else the shape with the most marks (the largest of those).
std::string chosen_shape(const ReportInput& input, const Analysis& analysis) {
  std::string best;
  std::size_t most = 0;
  for (const auto& shape : analysis.shapes) {
    const std::size_t n = marks_at(input, analysis, shape).size();
    const bool preferred = shape == "4096x4096x4096";
    if (n > 0 &&
        (n > most || (n == most && best != "4096x4096x4096") || (preferred && n == most))) {
      best = shape;
      most = n;
    }
  }
  return best;
}

struct Extent {
  double x_lo = 1e300, x_hi = 0, y_lo = 1e300, y_hi = 0;
  void add(double x, double y) {
    if (x <= 0 || y <= 0) return;
    x_lo = std::min(x_lo, x);
    x_hi = std::max(x_hi, x);
    y_lo = std::min(y_lo, y);
    y_hi = std::max(y_hi, y);
  }
};

Extent extent_of(const std::vector<Mark2>& marks, const Roofs& roofs) {
  Extent e;
  for (const auto& m : marks) {
    for (const double x : {m.l2_intensity, m.dram_intensity}) {
      e.add(x, m.measured / 1e12);
      e.add(x, m.predicted / 1e12);
    }
  }
  if (roofs.fma_flops) {
    e.y_hi = std::max(e.y_hi, *roofs.fma_flops / 1e12);
    if (roofs.dram_bytes_s) e.x_hi = std::max(e.x_hi, 2 * *roofs.fma_flops / *roofs.dram_bytes_s);
  }
  return {e.x_lo * 0.5, e.x_hi * 2, e.y_lo * 0.5, e.y_hi * 1.8};
}

void add_roof(const std::string& name, double bytes_s, std::optional<double> peak, const Extent& e,
              std::size_t style, Plot& plot, std::vector<std::string>& elements) {
  const double top =
      peak ? std::min(*peak / 1e12, bytes_s * e.x_hi / 1e12) : bytes_s * e.x_hi / 1e12;
  const double knee = top * 1e12 / bytes_s;
  Series series{
      name, {"intensity, FLOP/B", "TFLOP/s"}, {{e.x_lo, bytes_s * e.x_lo / 1e12}, {knee, top}}};
  series.in_table = false;
  if (knee < e.x_hi) series.rows.push_back({e.x_hi, top});
  elements.push_back(fmt::format("{} using 1:2 with lines {} linewidth {} dashtype {} title {}",
                                 data_of(plot, plot.series.size()), line_color(Ink::axis),
                                 style == 0 ? 1.8 : 1.2, style + 1, gp_quoted(name)));
  plot.series.push_back(std::move(series));
}

void add_roofs(const Roofs& roofs, const Extent& e, Plot& plot,
               std::vector<std::string>& elements) {
  if (roofs.l2_bytes_s)
    add_roof("L2 " + show_value(*roofs.l2_bytes_s, "byte/s"), *roofs.l2_bytes_s, roofs.fma_flops, e,
             0, plot, elements);
  if (roofs.dram_bytes_s)
    add_roof("DRAM " + show_value(*roofs.dram_bytes_s, "byte/s"), *roofs.dram_bytes_s,
             roofs.fma_flops, e, 1, plot, elements);
  if (roofs.fma_flops)
    plot.commands.push_back(
        fmt::format("set label {} at graph 0.98, first {:.6g} right offset 0,0.6",
                    gp_quoted("FMA " + format_tflops(*roofs.fma_flops)), *roofs.fma_flops / 1e12));
}

void add_mark(const Mark2& m, Plot& plot, std::vector<std::string>& elements) {
  Series series{m.title, {"intensity, FLOP/B", "TFLOP/s", "point"}, {}};
  const auto add = [&](double x, double flops, const std::string& label) {
    const bool known = x > 0 && flops > 0;
    series.rows.push_back(known ? std::vector{x, flops / 1e12}
                                : std::vector{std::nan(""), std::nan("")});
    series.labels.push_back(fmt::format("{}, {}: {}", m.title, label, format_tflops(flops)));
  };
  add(m.l2_intensity, m.measured, "measured, L2 intensity");
  add(m.l2_intensity, m.predicted, "predicted, L2 intensity");
  add(m.dram_intensity, m.measured, "measured, DRAM intensity");
  const std::size_t index = plot.series.size();
  const auto layer = [&](int row, int type, double size) {
    elements.push_back(
        points_with_texts(fmt::format("{} every ::{}::{}", data_of(plot, index), row, row), "1:2",
                          3, fmt::format("{} pt {} ps {}", line_color(m.color), type, size)));
  };
  if (m.l2_intensity > 0) {
    layer(1, open_point_type(m.color), 1.25);
    layer(0, point_type(m.color), 0.85);
  }
  if (m.dram_intensity > 0) layer(m.l2_intensity > 0 ? 2 : 0, point_type(m.color), 0.45);
  elements.push_back(fmt::format("keyentry with points {} pt {} ps 0.85 title {}",
                                 line_color(m.color), point_type(m.color), gp_quoted(m.title)));
  plot.series.push_back(std::move(series));
}

Figure roofline_figure(const std::vector<Mark2>& marks, const Roofs& roofs,
                       const std::string& shape) {
  Figure figure;
  figure.wide = true;
  Plot& plot = figure.plot;
  plot.name = "roofline";
  plot.width = 720;
  plot.height = 560;
  const Extent e = extent_of(marks, roofs);
  std::vector<std::string> elements;
  add_roofs(roofs, e, plot, elements);
  for (const auto& m : marks) add_mark(m, plot, elements);
  plot.commands.insert(
      plot.commands.end(),
      {"set logscale xy", fmt::format("set xrange [{:.6g}:{:.6g}]", e.x_lo, e.x_hi),
       fmt::format("set yrange [{:.6g}:{:.6g}]", e.y_lo, e.y_hi),
       "set xlabel 'arithmetic intensity, FLOP/B'", "set ylabel 'TFLOP/s'",
       plot_command(elements)});
  figure.title = "Roofline at " + shape;
  figure.command = fmt::format("rooftile measure --shape {}", shape);
  figure.alternative =
      fmt::format("Roofline of {}: speed over arithmetic intensity of {} with the measured roofs.",
                  shape, plural(marks.size(), "variant", "variants"));
  figure.caption =
      "Large filled marker: measured, at the intensity against L2 traffic; outline: predicted; "
      "small marker: "
      "measured, at the intensity against DRAM traffic. Traffic is predicted, roofs are measured. "
      "A marker under a sloped roof is bound by that level, one far below all roofs by latency, "
      "issue or "
      "shared memory.";
  return figure;
}

Paragraph balance_sentence(const Roofs& roofs) {
  const double flops = *roofs.fma_flops;
  std::string text = fmt::format("Balance points of this GPU in FP32: {} FLOP per DRAM byte",
                                 significant(flops / *roofs.dram_bytes_s, 3));
  if (roofs.l2_bytes_s)
    text += fmt::format(", {} FLOP per L2 byte", significant(flops / *roofs.l2_bytes_s, 3));
  return {text + ". Below them memory is the limit, above them arithmetic."};
}

}  // namespace

Section roofline_section(const ReportInput& input, const Analysis& analysis) {
  Section section{"roofline", "Roofline", {}};
  const Roofs& roofs = analysis.roofs;
  if (roofs.fma_flops && roofs.dram_bytes_s) section.blocks.emplace_back(balance_sentence(roofs));
  if (!roofs.fma_flops)
    section.blocks.emplace_back(missing_entry(input.profile, "ffma.throughput"));
  if (!roofs.l2_bytes_s)
    section.blocks.emplace_back(missing_entry(input.profile, "l2.bandwidth.read"));
  if (!roofs.dram_bytes_s)
    section.blocks.emplace_back(missing_entry(input.profile, "dram.bandwidth.read"));
  if (analysis.runs.empty()) {
    section.blocks.emplace_back(missing_runs("The variants under the roofs"));
    return section;
  }
  const std::string shape = chosen_shape(input, analysis);
  if (shape.empty()) {
    section.blocks.emplace_back(
        missing_predictions("The variants under the roofs need their traffic"));
    return section;
  }
  section.blocks.emplace_back(roofline_figure(marks_at(input, analysis, shape), roofs, shape));
  return section;
}

}  // namespace rooftile::report
