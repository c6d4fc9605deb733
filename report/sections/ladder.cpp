// The ladder: what each idea is worth. Bars in TFLOP/s with the share of cuBLAS at the square sizes
// that were measured, then every shape in a table, and the fastest variant of each shape.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/format.hpp"
#include "report/palette.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

constexpr std::array<int, 4> sizes = {1024, 2048, 4096, 8192};

std::string bar_label(const Analysis& analysis, const Measured& m) {
  const bool baseline = m.run->variant == baseline_name;
  const auto share = baseline ? std::nullopt : analysis.share_of_baseline(m);
  return share ? fmt::format("{}  ({:.0f} %)", tflops(m.flops), 100 * *share) : tflops(m.flops);
}

struct Bars {
  Series measured{"measured", {"row", "TFLOP/s", "% of cuBLAS", "variant"}, {}};
  Series predicted{"predicted", {"row", "TFLOP/s", "% of cuBLAS", "variant"}, {}};
  std::vector<Tick> names;
  std::vector<std::string> values;
  double top = 0;
};

void add_bar(const ReportInput& input, const Analysis& analysis, const Measured& m, Bars& bars) {
  const double row = static_cast<double>(bars.names.size());
  const std::string title = variant_title(input, m.run->variant);
  const double share = 100 * analysis.share_of_baseline(m).value_or(0);
  bars.names.push_back({title, row});
  bars.values.push_back(bar_label(analysis, m));
  bars.measured.rows.push_back({row, m.flops / 1e12, share});
  bars.measured.labels.push_back(title + " " + tile_name(m.run->tile) + ": " +
                                 bar_label(analysis, m));
  bars.top = std::max(bars.top, m.flops / 1e12);
  const auto p = m.predictions.find(analysis.finest);
  if (p == m.predictions.end()) return;
  const double reference = share > 0 ? m.flops / share * 100 : 0;
  bars.predicted.rows.push_back(
      {row, p->second->flops() / 1e12, reference > 0 ? 100 * p->second->flops() / reference : 0});
  bars.predicted.labels.push_back(title + ", predicted: " + format_tflops(p->second->flops()));
  bars.top = std::max(bars.top, p->second->flops() / 1e12);
}

void bar_elements(const Analysis& analysis, const Bars& bars, Plot& plot) {
  std::vector<std::string> elements = {
      fmt::format("{} using ($2/2):1:(0):2:($1-0.34):($1+0.34) with boxxyerror {} title 'measured'",
                  data_of(plot, 0), line_color(0)),
      points_with_texts(data_of(plot, 0), "2:1", 4, line_color(0) + " pt 0 ps 0.1")};
  if (!bars.predicted.rows.empty()) {
    elements.push_back(
        points_with_texts(data_of(plot, 1), "2:1", 4, line_color(1) + " pt 13 ps 1"));
    elements.push_back(fmt::format("keyentry with points {} pt 13 ps 1 title {}", line_color(1),
                                   gp_quoted("predicted (" + analysis.finest + ")")));
  }
  plot.commands.push_back(plot_command(elements));
}

Figure bar_figure(const Analysis& analysis, int size, Bars bars) {
  Figure figure;
  Plot& plot = figure.plot;
  plot.name = fmt::format("ladder_{}", size);
  plot.height = 120 + 30 * static_cast<int>(bars.names.size());
  const auto peak = analysis.roofs.fma_flops;
  const bool with_peak =
      peak && *peak / 1e12 < bars.top * 2;  // else the bars would be too short to compare
  const double right = 1.04 * std::max(bars.top, with_peak ? *peak / 1e12 : 0);
  for (std::size_t i = 0; i < bars.values.size(); ++i)
    plot.commands.push_back(
        fmt::format("set label {} at graph 1.02, first {} left", gp_quoted(bars.values[i]), i));
  plot.commands.insert(
      plot.commands.end(),
      {tics_command("y", bars.names), "set ytics scale 0",
       fmt::format("set yrange [{}:-0.6]", static_cast<double>(bars.names.size()) - 0.4),
       fmt::format("set xrange [0:{:.6g}]", right), "set rmargin 13", "set key maxcols 1",
       "set grid noytics", "set xlabel 'TFLOP/s'"});
  if (with_peak)
    plot.commands.push_back(
        fmt::format("set arrow from {0:.6g}, graph 0 to {0:.6g}, graph 1 nohead {1} dashtype 2",
                    *peak / 1e12, line_color(Ink::guide)));
  plot.series = {bars.measured, bars.predicted};
  bar_elements(analysis, bars, plot);
  figure.title = fmt::format("{0} x {0} x {0}", size);
  figure.command = fmt::format("rooftile measure --shape {}", size);
  figure.alternative = fmt::format("Measured speed at {}^3: ", size);
  for (std::size_t i = 0; i < bars.names.size(); ++i)
    figure.alternative +=
        fmt::format("{}{} {}", i == 0 ? "" : ", ", bars.names[i].label, bars.values[i]);
  figure.caption = "TFLOP/s, in brackets the share of cuBLAS.";
  if (with_peak) figure.caption += " Dashed: the measured FMA peak, " + format_tflops(*peak) + ".";
  return figure;
}

void size_figures(const ReportInput& input, const Analysis& analysis, Section& section) {
  std::size_t drawn = 0;
  std::string absent;
  for (const int size : sizes) {
    const std::string shape = fmt::format("{0}x{0}x{0}", size);
    Bars bars;
    for (const auto& variant : analysis.variants)
      if (const Measured* m = analysis.fastest(shape, variant)) add_bar(input, analysis, *m, bars);
    if (bars.names.empty()) {
      absent += (absent.empty() ? "" : ", ") + std::to_string(size);
      continue;
    }
    ++drawn;
    section.blocks.emplace_back(bar_figure(analysis, size, std::move(bars)));
  }
  if (!absent.empty())
    section.blocks.emplace_back(Paragraph{fmt::format("No runs at the square size{} {}.",
                                                      drawn + 1 == sizes.size() ? "" : "s", absent),
                                          Tone::missing, "rooftile measure"});
}

TableBlock ideas_table(const ReportInput& input, const Analysis& analysis) {
  TableBlock table{
      "The rungs", {{"variant", false}, {"name", false}, {"idea", false}, {"shapes measured"}}, {}};
  for (const auto& text : input.variants) {
    const auto n = std::count_if(
        analysis.shapes.begin(), analysis.shapes.end(),
        [&](const auto& shape) { return analysis.fastest(shape, text.name) != nullptr; });
    table.rows.push_back({{text.title.empty() ? text.name : text.title},
                          {text.name},
                          {text.idea},
                          {std::to_string(n), "", static_cast<double>(n)}});
  }
  return table;
}

TableBlock speed_table(const ReportInput& input, const Analysis& analysis) {
  TableBlock table{
      "Measured TFLOP/s of every shape (hot cache, fastest measured tile; hover for time, tile and "
      "prediction)",
      {{"M x N x K", false}},
      {}};
  for (const auto& variant : analysis.variants)
    table.columns.push_back({variant_title(input, variant)});
  for (const auto& shape : analysis.shapes) {
    std::vector<Cell> row = {{shape}};
    const Measured* best = analysis.fastest_of_ours(shape);
    for (const auto& variant : analysis.variants) {
      const Measured* m = analysis.fastest(shape, variant);
      if (!m) {
        row.push_back({no_value});
        continue;
      }
      std::string hover = tile_name(m->run->tile) + ": " + format_time(m->time_s);
      for (const auto& [name, p] : m->predictions)
        hover += fmt::format("; {} {}", name, format_time(p->time_s));
      row.push_back(
          {tflops(m->flops), hover, m->flops / 1e12, m == best ? Mark::good : Mark::none});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Other variants whose 95 % interval of the median reaches that of the fastest.
std::string ties_of(const ReportInput& input, const Analysis& analysis, const Measured& best) {
  std::string ties;
  for (const auto& variant : analysis.variants) {
    if (variant == best.run->variant || is_library(variant)) continue;
    const Measured* m = analysis.fastest(best.shape, variant);
    if (m && m->run->time->ci95.lo > 0 && m->run->time->ci95.lo <= best.run->time->ci95.hi)
      ties += (ties.empty() ? "" : ", ") + variant_title(input, variant);
  }
  return ties.empty() ? no_value : ties;
}

TableBlock best_table(const ReportInput& input, const Analysis& analysis) {
  TableBlock table{"Fastest of our variants at each shape",
                   {{"M x N x K", false},
                    {"variant", false},
                    {"tile", false},
                    {"time"},
                    {"± (95 %)", true, "half-width of the 95 % interval of the median"},
                    {"TFLOP/s"},
                    {"of FMA peak"},
                    {"of cuBLAS"},
                    {"ties", false, "variants whose interval reaches the fastest's"}},
                   {}};
  for (const auto& shape : analysis.shapes) {
    const Measured* m = analysis.fastest_of_ours(shape);
    if (!m) continue;
    const Interval ci = m->run->time->ci95;
    const double half = (ci.hi - ci.lo) / 2 / m->time_s;
    const auto peak = analysis.roofs.fma_flops;
    const auto of_peak = peak ? std::optional(m->flops / *peak) : std::nullopt;
    const auto share = analysis.share_of_baseline(*m);
    table.rows.push_back({{shape},
                          {variant_title(input, m->run->variant)},
                          {tile_name(m->run->tile)},
                          {format_time(m->time_s), "", m->time_s},
                          {half > 0 ? fixed(100 * half, 2) + "\u00a0%" : no_value, "", half},
                          {tflops(m->flops), "", m->flops},
                          {format_percent(of_peak), of_peak > 1 ? "above the measured peak" : "",
                           of_peak, of_peak > 1 ? Mark::bad : Mark::none},
                          {format_percent(share), "", share},
                          {ties_of(input, analysis, *m)}});
  }
  return table;
}

TableBlock left_out_table(const ReportInput& input, const Analysis& analysis) {
  TableBlock table{fmt::format("Runs without a speed ({})", analysis.left_out.size()),
                   {{"variant", false},
                    {"tile", false},
                    {"M x N x K", false},
                    {"state", false},
                    {"reason", false}},
                   {},
                   analysis.left_out.size() > 12};
  for (const RunRecord* run : analysis.left_out) {
    const bool wrong = run->correctness && !run->correctness->passed;
    const std::string reason = !run->reason.empty() ? run->reason
                               : wrong              ? "the result is wrong"
                                                    : "no time was recorded";
    table.rows.push_back({{variant_title(input, run->variant)},
                          {tile_name(run->tile)},
                          {shape_name(run->problem)},
                          {std::string(to_string(run->state)), "", {}, Mark::bad},
                          {reason}});
  }
  return table;
}

}  // namespace

Section ladder_section(const ReportInput& input, const Analysis& analysis) {
  Section section{"ladder", "The ladder", {}};
  if (!input.variants.empty()) section.blocks.emplace_back(ideas_table(input, analysis));
  if (analysis.runs.empty()) {
    section.blocks.emplace_back(missing_runs("The ladder"));
  } else {
    size_figures(input, analysis, section);
    if (std::none_of(analysis.runs.begin(), analysis.runs.end(),
                     [](const auto& m) { return m.run->variant == baseline_name; }))
      section.blocks.emplace_back(
          Paragraph{"cuBLAS was not measured, so no share of it can be given.", Tone::missing,
                    "rooftile measure --filter cublas"});
    section.blocks.emplace_back(best_table(input, analysis));
    section.blocks.emplace_back(speed_table(input, analysis));
  }
  if (analysis.cold > 0)
    section.blocks.emplace_back(Paragraph{
        plural(analysis.cold, "run", "runs") + " with a cold cache are not part of these pictures.",
        Tone::note});
  if (!analysis.left_out.empty()) section.blocks.emplace_back(left_out_table(input, analysis));
  return section;
}

}  // namespace rooftile::report
