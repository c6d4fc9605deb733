// Predicted against measured time, two pictures a predictor: the times themselves (on the diagonal
// the prediction is right) and the error over the measured time. Inside the band it is within 10 %.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/format.hpp"
#include "report/palette.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

constexpr std::size_t most_points = 3000;  ///< a picture with more is thinned, and says so

struct Pair {
  const Measured* measured;
  const Prediction* prediction;
};

std::vector<Pair> pairs_of(const Analysis& analysis, const std::string& predictor) {
  std::vector<Pair> pairs;
  for (const auto& m : analysis.runs) {
    const auto found = m.predictions.find(predictor);
    if (found != m.predictions.end()) pairs.push_back({&m, found->second});
  }
  return pairs;
}

std::size_t step_of(const std::vector<Pair>& pairs) {
  return (pairs.size() + most_points - 1) / most_points;
}

std::pair<double, double> limits(const std::vector<Pair>& pairs) {
  double lo = 1e300, hi = 0;
  for (const auto& pair : pairs) {
    lo = std::min({lo, pair.measured->time_s, pair.prediction->time_s});
    hi = std::max({hi, pair.measured->time_s, pair.prediction->time_s});
  }
  return {lo / 1.6, hi * 1.6};
}

std::string hover(const ReportInput& input, const Pair& pair) {
  const double error = pair.prediction->time_s / pair.measured->time_s - 1;
  return fmt::format("{} {}, {}: measured {}, predicted {} ({}), bound {}",
                     variant_title(input, pair.measured->run->variant),
                     tile_name(pair.measured->run->tile), pair.measured->shape,
                     format_time(pair.measured->time_s), format_time(pair.prediction->time_s),
                     format_percent(error, true), to_string(pair.prediction->bound));
}

/// The band of 10 % around `exact` (a function of the measured time) and the line itself.
template <typename Exact>
void add_guides(double lo, double hi, Exact exact, Plot& plot, std::vector<std::string>& elements) {
  Series band{"within 10 %", {"measured, s", "from", "to", "exact"}, {}};
  for (const double x : {lo, hi}) {
    const auto [from, middle, to] = exact(x);
    band.rows.push_back({x, from, to, middle});
  }
  band.in_table = false;
  plot.series.push_back(std::move(band));
  elements.push_back(data_of(plot, 0) + " using 1:2:3 with filledcurves " + line_color(Ink::band) +
                     " fillstyle solid 0.6 title 'within 10 %'");
  elements.push_back(data_of(plot, 0) + " using 1:4 with lines " + line_color(Ink::guide) +
                     " linewidth 1 notitle");
}

void add_variant(const ReportInput& input, const Analysis& analysis, const std::string& variant,
                 const std::vector<Pair>& pairs, bool errors, Plot& plot,
                 std::vector<std::string>& elements) {
  Series series{variant_title(input, variant),
                {"measured, s", errors ? "error, %" : "predicted, s", "case"},
                {}};
  const std::size_t step = step_of(pairs);
  std::size_t seen = 0;
  for (const auto& pair : pairs) {
    if (pair.measured->run->variant != variant || seen++ % step != 0) continue;
    const double predicted = pair.prediction->time_s, measured = pair.measured->time_s;
    series.rows.push_back({measured, errors ? 100 * (predicted / measured - 1) : predicted});
    series.labels.push_back(hover(input, pair));
  }
  if (series.rows.empty()) return;
  const std::size_t color = analysis.color_index(variant);
  elements.push_back(
      points_with_texts(data_of(plot, plot.series.size()), "1:2", 3,
                        fmt::format("{} pt {} ps 0.6", line_color(color), point_type(color))));
  elements.push_back(fmt::format("keyentry with points {} pt {} ps 0.8 title {}", line_color(color),
                                 point_type(color), gp_quoted(series.name)));
  plot.series.push_back(std::move(series));
}

std::string within_sentence(const std::string& predictor, const std::vector<Pair>& pairs) {
  const auto within = std::count_if(pairs.begin(), pairs.end(), [](const Pair& p) {
    return std::abs(p.prediction->time_s / p.measured->time_s - 1) <= 0.1;
  });
  return fmt::format("{} of {} predictions of {} lie within 10 % of the measured time.", within,
                     pairs.size(), predictor);
}

std::string thinned_sentence(const std::vector<Pair>& pairs) {
  const std::size_t step = step_of(pairs);
  return step > 1 ? fmt::format(" One point in {} of each variant is drawn.", step) : "";
}

/// A point for each pair over its measured time, with three guide lines through what `guide` gives
/// at the ends.
template <class Guide>
Figure points_figure(const ReportInput& input, const Analysis& analysis, const std::string& name,
                     const std::vector<Pair>& pairs, bool errors, const Guide& guide) {
  Figure figure;
  Plot& plot = figure.plot;
  plot.name = file_stem(name);
  figure.command = "rooftile measure && rooftile validate";
  plot.height = 560;
  const auto [lo, hi] = limits(pairs);
  std::vector<std::string> elements;
  add_guides(lo, hi, guide, plot, elements);
  for (const auto& variant : analysis.variants)
    add_variant(input, analysis, variant, pairs, errors, plot, elements);
  plot.commands = {fmt::format("set logscale {}", errors ? "x" : "xy"),
                   fmt::format("set xrange [{:.6g}:{:.6g}]", lo, hi),
                   tics_command("x", time_ticks(lo, hi)), "set xlabel 'measured time'"};
  if (errors) {
    plot.commands.emplace_back("set ylabel 'error of the predicted time, %'");
  } else {
    plot.commands.push_back(fmt::format("set yrange [{:.6g}:{:.6g}]", lo, hi));
    plot.commands.push_back(tics_command("y", time_ticks(lo, hi)));
    plot.commands.emplace_back("set ylabel 'predicted time'");
  }
  plot.commands.push_back(plot_command(elements));
  return figure;
}

Figure scatter_figure(const ReportInput& input, const Analysis& analysis,
                      const std::string& predictor, const std::vector<Pair>& pairs) {
  const auto diagonal = [](double x) { return std::array{x * 0.9, x, x * 1.1}; };
  Figure figure = points_figure(input, analysis, "scatter_" + predictor, pairs, false, diagonal);
  figure.title = predictor + ": predicted over measured time";
  figure.alternative = within_sentence(predictor, pairs);
  figure.caption = figure.alternative +
                   " Above the diagonal the prediction is too slow, below too fast." +
                   thinned_sentence(pairs);
  return figure;
}

Figure error_figure(const ReportInput& input, const Analysis& analysis,
                    const std::string& predictor, const std::vector<Pair>& pairs) {
  const auto level = [](double) { return std::array{-10.0, 0.0, 10.0}; };
  Figure figure = points_figure(input, analysis, "error_" + predictor, pairs, true, level);
  figure.title = predictor + ": error over measured time";
  figure.alternative =
      "Error of each prediction over the measured time. " + within_sentence(predictor, pairs);
  figure.caption =
      "(predicted - measured) / measured. Below zero the model promises too much speed. Point at a "
      "marker for its tile, shape and bound." +
      thinned_sentence(pairs);
  return figure;
}

}  // namespace

Section scatter_section(const ReportInput& input, const Analysis& analysis) {
  Section section{"scatter", "Predicted against measured", {}};
  if (analysis.runs.empty()) {
    section.blocks.emplace_back(missing_runs("Predicted against measured"));
    return section;
  }
  if (analysis.predictors.empty()) {
    section.blocks.emplace_back(missing_predictions("Predicted against measured"));
    return section;
  }
  for (const auto& predictor : analysis.predictors) {
    const auto pairs = pairs_of(analysis, predictor);
    section.blocks.emplace_back(scatter_figure(input, analysis, predictor, pairs));
    section.blocks.emplace_back(error_figure(input, analysis, predictor, pairs));
  }
  return section;
}

}  // namespace rooftile::report
