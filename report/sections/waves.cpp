// Waves and the order of blocks: predicted speed over M, where each new wave costs a tooth, and the
// predicted L2 hit rate by raster, each with what was measured of it.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/curve_names.hpp"
#include "report/curve_shape.hpp"
#include "report/format.hpp"
#include "report/palette.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

constexpr const char* hit_counter = "l2.read_hit_rate";

std::string key_command(int columns) {
  return fmt::format(
      "set key tmargin left horizontal Left reverse samplen 1.5 spacing 1.1 width 1 maxcols {}",
      columns);
}

std::string line_element(const Plot& plot, std::size_t index, std::size_t color, bool marks,
                         const std::string& title) {
  return fmt::format("{} using 1:2 with {} {} linewidth 1.4 {}title {}", data_of(plot, index),
                     marks ? "linespoints" : "lines", line_color(color),
                     marks ? fmt::format("pt {} ps 0.4 ", point_type(color)) : "",
                     gp_quoted(title));
}

/// Measured points with a text that a pointer finds; nothing where there are none.
void add_measured(Series series, const std::string& title, Plot& plot,
                  std::vector<std::string>& elements) {
  if (series.rows.empty()) return;
  const std::string style = line_color(Ink::axis) + " pt 7 ps 0.9";
  elements.push_back(points_with_texts(data_of(plot, plot.series.size()), "1:2", 3, style));
  elements.push_back(fmt::format("keyentry with points {} title {}", style, gp_quoted(title)));
  plot.series.push_back(std::move(series));
}

using Groups = std::vector<std::pair<std::string, std::vector<const Prediction*>>>;

/// By the name of the predictor, in order of detail.
Groups by_predictor(const std::vector<Prediction>& predictions) {
  std::map<std::string, std::vector<const Prediction*>> groups;
  for (const Prediction& p : predictions) groups[p.predictor].push_back(&p);
  std::vector<std::string> names;
  for (const auto& entry : groups) names.push_back(entry.first);
  Groups ordered;
  for (const std::string& name : by_detail(names)) ordered.emplace_back(name, groups[name]);
  return ordered;
}

/// The sizes of M as an axis of --shape: "M=[64:6144:64]".
std::string axis(const std::string& letters, const std::vector<const Prediction*>& line) {
  const std::int64_t first = line.front()->problem.M, last = line.back()->problem.M;
  if (line.size() < 2) return fmt::format("{}={}", letters, first);
  return fmt::format("{}=[{}:{}:{}]", letters, first, last, line[1]->problem.M - first);
}

Series measured_over_m(const Analysis& analysis, const Prediction& of) {
  Series series{"measured", {"M", "TFLOP/s", "run"}, {}};
  for (const Measured& m : analysis.runs) {
    const std::int64_t M = m.run->problem.M;
    const std::string on_the_line = problem_name(make_problem(M, of.problem.N, of.problem.K));
    if (m.run->variant != of.variant || m.run->tile != of.tile || m.shape != on_the_line) continue;
    series.rows.push_back({static_cast<double>(M), m.flops / 1e12});
    series.labels.push_back(
        fmt::format("{}: measured {}, {}", m.shape, format_time(m.time_s), format_tflops(m.flops)));
  }
  return series;
}

Plot sawtooth_plot(const Groups& groups, Series measured) {
  Plot plot;
  plot.name = "wave_sawtooth";
  plot.width = 720;
  std::vector<std::string> elements;
  for (const auto& [name, predictions] : groups) {
    Series series{name, {"M", "TFLOP/s"}, {}};
    for (const Prediction* p : predictions)
      series.rows.push_back({static_cast<double>(p->problem.M), p->flops() / 1e12});
    const std::size_t index = plot.series.size();
    elements.push_back(line_element(plot, index, index, name == "sass", name));
    plot.series.push_back(std::move(series));
  }
  add_measured(std::move(measured), "measured", plot, elements);
  plot.commands = {"set xlabel 'M'",   "set ylabel 'TFLOP/s'", "set yrange [0:*]",
                   "set xrange [0:*]", key_command(4),         plot_command(elements)};
  return plot;
}

std::string wave_sentence(const Prediction& p) {
  if (!(p.waves > 1e-6 && p.waves < 1e9)) return "";
  return fmt::format(" Here a wave is about {:.0f} rows of C.",
                     static_cast<double>(p.problem.M) / p.waves);
}

Figure sawtooth_figure(const ReportInput& input, const Analysis& analysis) {
  const Groups groups = by_predictor(analysis.outlook.over_m);
  const Prediction& last = *groups.back().second.back();
  const Series measured = measured_over_m(analysis, last);
  Figure figure;
  figure.wide = true;
  figure.plot = sawtooth_plot(groups, measured);
  figure.command = fmt::format("rooftile predict --variant {} --shape '{} N={} K={}'", last.variant,
                               axis("M", groups.front().second), last.problem.N, last.problem.K);
  figure.title =
      fmt::format("Waves: {} {} over M, N = {}, K = {}", variant_title(input, last.variant),
                  tile_name(last.tile), last.problem.N, last.problem.K);
  figure.alternative = fmt::format("Predicted speed over M by {}; {} measured.",
                                   plural(groups.size(), "predictor", "predictors"),
                                   plural(measured.rows.size(), "point was", "points were"));
  figure.caption = fmt::format(
      "A tooth a wave: the speed rises while the last wave fills and falls where another begins.{} "
      "The small teeth are ragged edges of M. {}",
      wave_sentence(last),
      measured.rows.empty() ? "Nothing was measured on this line." : "Dots: measured.");
  return figure;
}

std::string raster_name(const Tile& tile) {
  std::string name(to_string(tile.raster));
  if (tile.raster_group > 1) name += fmt::format("-{}", tile.raster_group);
  return name;
}

std::optional<double> counter_of(const RunRecord& run, const std::string& name) {
  for (const auto& [key, value] : run.counters.values)
    if (key == name && value >= 0 && value <= 1) return value;
  return std::nullopt;
}

/// Measured hit rates of these kernels on squares.
Series measured_hits(const Analysis& analysis, const std::vector<Prediction>& rasters) {
  Series series{"measured", {"M = N = K", "L2 hit rate, %", "run"}, {}};
  for (const Measured& m : analysis.runs) {
    const auto hits = counter_of(*m.run, hit_counter);
    const bool shown = hits && std::any_of(rasters.begin(), rasters.end(), [&](const auto& p) {
                         return p.variant == m.run->variant && p.tile == m.run->tile &&
                                problem_name(p.problem) == m.shape;
                       });
    if (!shown) continue;
    series.rows.push_back({static_cast<double>(m.run->problem.M), 100 * *hits});
    series.labels.push_back(fmt::format("{} {}, {}: {} measured", m.run->variant,
                                        raster_name(m.run->tile), m.shape, format_percent(*hits)));
  }
  return series;
}

/// One line for orders that cannot be told apart.
std::vector<std::string> raster_lines(const Plot& plot) {
  std::vector<Line> lines;
  for (const Series& series : plot.series) {
    lines.emplace_back();
    for (const auto& row : series.rows) {
      lines.back().x.push_back(row[0]);
      lines.back().y.push_back(row[1]);
    }
  }
  std::vector<std::string> elements;
  for (const auto& members : merged_lines(lines, YAxis::from_zero, {0, 100})) {
    std::vector<std::string> names;
    for (const std::size_t i : members) names.push_back(plot.series[i].name);
    const std::size_t first = members.front();
    elements.push_back(line_element(plot, first, first, true, joined(names)));
  }
  return elements;
}

/// Multiple of ten below every value.
int tens_below(const Plot& plot) {
  double least = 100;
  for (const Series& series : plot.series)
    for (const auto& row : series.rows) least = std::min(least, row[1]);
  return std::max(0, static_cast<int>((least - 1) / 10) * 10);
}

Plot raster_plot(const std::vector<Prediction>& rasters, Series measured) {
  Plot plot;
  plot.name = "l2_by_raster";
  plot.width = 720;
  std::map<std::string, std::size_t> place;
  for (const Prediction& p : rasters) {
    const std::string name = raster_name(p.tile);
    const auto [entry, added] = place.try_emplace(name, plot.series.size());
    if (added) plot.series.push_back({name, {"M = N = K", "L2 hit rate, %"}, {}});
    plot.series[entry->second].rows.push_back(
        {static_cast<double>(p.problem.M), 100 * p.l2_hit_rate});
  }
  std::vector<std::string> elements = raster_lines(plot);
  add_measured(std::move(measured), "measured", plot, elements);
  plot.commands = {"set xlabel 'M = N = K'", "set ylabel 'L2 hit rate, % (not from 0)'",
                   fmt::format("set yrange [{}:101]", tens_below(plot)), key_command(3),
                   plot_command(elements)};
  return plot;
}

Figure raster_figure(const std::vector<Prediction>& rasters, const Series& measured) {
  const Prediction& first = rasters.front();
  Figure figure;
  figure.wide = true;
  figure.plot = raster_plot(rasters, measured);
  std::vector<const Prediction*> first_line;
  for (const Prediction& p : rasters)
    if (p.tile == first.tile) first_line.push_back(&p);
  figure.command = fmt::format("rooftile predict --predictor {} --shape '{}'", first.predictor,
                               axis("MNK", first_line));
  figure.title = fmt::format("L2 hit rate by the order of blocks, tiles of {} x {}", first.tile.BM,
                             first.tile.BN);
  figure.alternative = fmt::format(
      "Predicted L2 hit rate over the size of square problems by the order of blocks; "
      "{} measured.",
      plural(measured.rows.size(), "point was", "points were"));
  figure.caption = fmt::format(
      "Of what the blocks read of A and B, by {}. Orders that keep the blocks of a wave close "
      "share "
      "more panels; lines that cannot be told apart (1 %) are drawn as one.{}",
      first.predictor, measured.rows.empty() ? "" : " Dots: by hardware counters.");
  return figure;
}

}  // namespace

Section waves_section(const ReportInput& input, const Analysis& analysis) {
  Section section{"waves", "Waves and the order of blocks", {}};
  const Outlook& outlook = analysis.outlook;
  if (outlook.over_m.empty() && outlook.rasters.empty()) {
    section.blocks.emplace_back(
        Paragraph{"Waves: this profile does not hold what the predictors need.", Tone::missing,
                  "rooftile characterize"});
    return section;
  }
  if (!outlook.over_m.empty()) section.blocks.emplace_back(sawtooth_figure(input, analysis));
  if (outlook.rasters.empty()) return section;
  const Series measured = measured_hits(analysis, outlook.rasters);
  section.blocks.emplace_back(raster_figure(outlook.rasters, measured));
  if (measured.rows.empty())
    section.blocks.emplace_back(
        Paragraph{"No run of these kernels has counters, so the hit rate is predicted only.",
                  Tone::note, "rooftile measure --shape 4096 --counters"});
  return section;
}

}  // namespace rooftile::report
