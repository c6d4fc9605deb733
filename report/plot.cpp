// Scripts and data of plots as text; whatever comes from a file is made harmless first.
#include "report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/record/control_text.hpp"
#include "report/format.hpp"
#include "report/palette.hpp"

namespace rooftile::report {
namespace {

/// A number as the data file holds it: whole numbers exactly, so that bytes can be read back.
std::string number_text(double x) {
  const bool whole = x == std::floor(x) && std::abs(x) < 0x1p53;
  return whole ? fmt::format("{:.0f}", x) : fmt::format("{:.8g}", x);
}

/// What a hover says of column `column`: a part of sprintf's format and the argument for it.
struct Told {
  std::string format, argument;
};

Told told(const std::string& heading, int column) {
  const std::size_t comma = heading.rfind(", ");
  const std::string quantity = heading.substr(0, comma);
  const std::string unit = comma == std::string::npos ? "" : " " + heading.substr(comma + 2);
  const auto literal = [](const std::string& text) {
    return replace_characters(text, {{'%', "%%"}});
  };
  if (unit == " byte") return {literal(quantity) + " %s", fmt::format("bytes(${})", column)};
  return {literal(quantity) + " %.6g" + literal(unit), fmt::format("${}", column)};
}

bool all_finite(const std::vector<double>& row) {
  return std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); });
}

std::string preamble(const Plot& plot, const std::string& title) {
  return fmt::format(
      R"(# {title}
# Redraw: gnuplot {name}.gp      PNG or PDF: gnuplot -e "picture='png'" {name}.gp
reset
set encoding utf8
if (!exists('picture')) picture = 'svg'
if (picture eq 'png') {{
  set terminal pngcairo size {width2},{height2} noenhanced font 'sans-serif,20' linewidth 2
}} else {{ if (picture eq 'pdf') {{
  set terminal pdfcairo size {inches:.2f}in,{inches_high:.2f}in noenhanced font 'sans-serif,11'
}} else {{
  set terminal svg size {width},{height} dynamic noenhanced font 'sans-serif,13' name '{name}'
}} }}
set output '{name}.'.picture
set border 3 linecolor rgb '{axis}'
set tics nomirror out scale 0.5
set grid linecolor rgb '{grid}' dashtype solid linewidth 0.5
set key tmargin left horizontal Left reverse samplen 1.2 spacing 1.1 width -3 maxcols 2
set style fill solid 0.9 noborder
bytes(b) = b < 2**10 ? sprintf('%.6g B', b) : b < 2**20 ? sprintf('%.6g KiB', b/2**10) : b < 2**30 ? sprintf('%.6g MiB', b/2**20) : sprintf('%.6g GiB', b/2**30)
)",
      fmt::arg("title", plot_text(title)), fmt::arg("name", plot.name),
      fmt::arg("width", plot.width), fmt::arg("height", plot.height),
      fmt::arg("width2", plot.width * 2), fmt::arg("height2", plot.height * 2),
      fmt::arg("inches", plot.width / 80.0), fmt::arg("inches_high", plot.height / 80.0),
      fmt::arg("axis", color(Ink::axis).light), fmt::arg("grid", color(Ink::grid).light));
}

}  // namespace

std::string plot_text(const std::string& text) {
  return replace_characters(without_steering(text, " "), {{'<', "\u2039"},
                                                          {'>', "\u203a"},
                                                          {'&', "+"},
                                                          {'\'', "\u2019"},
                                                          {'"', "\u2019"},
                                                          {'`', "\u2019"},
                                                          {'\\', "/"}});
}

std::string gp_quoted(const std::string& text) { return "'" + plot_text(text) + "'"; }

std::string file_stem(const std::string& text) {
  std::string stem = text;
  for (char& c : stem) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain) c = '_';
  }
  return stem;
}

std::string gp_text(const Plot& plot, const std::string& title) {
  std::string text = preamble(plot, title);
  for (const auto& line : plot.commands) text += line + "\n";
  return text + "unset output\n";
}

std::string dat_text(const Plot& plot) {
  std::string text;
  for (const auto& series : plot.series) {
    if (!text.empty()) text += "\n\n";
    text += "# " + plot_text(series.name) + "\n#";
    for (const auto& column : series.columns) text += " \"" + plot_text(column) + "\"";
    text += "\n";
    for (std::size_t i = 0; i < series.rows.size(); ++i) {
      if (!all_finite(series.rows[i])) continue;
      for (const double x : series.rows[i]) text += number_text(x) + " ";
      if (!series.labels.empty()) text += "\"" + plot_text(series.labels.at(i)) + "\"";
      text += "\n";
    }
  }
  return text;
}

std::string tics_command(const std::string& axis, const std::vector<Tick>& ticks) {
  std::string text = "set " + axis + "tics (";
  for (std::size_t i = 0; i < ticks.size(); ++i)
    text += fmt::format("{}{} {:.8g}", i == 0 ? "" : ", ", gp_quoted(ticks[i].label),
                        ticks[i].position);
  return text + ")";
}

std::vector<Tick> byte_ticks(double lo, double hi) {
  const int first = static_cast<int>(std::ceil(std::log2(std::max(lo, 1.0))));
  const int last = static_cast<int>(std::floor(std::log2(std::clamp(hi, 1.0, 0x1p62))));
  const int step = std::max(1, (last - first + 7) / 7);
  std::vector<Tick> ticks;
  for (int e = first; e <= last; e += step) {
    constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    const int group = std::min(e / 10, 4);
    ticks.push_back({fmt::format("{} {}", 1LL << (e - 10 * group), units[group]), std::exp2(e)});
  }
  return ticks;
}

std::vector<Tick> time_ticks(double lo, double hi) {
  std::vector<Tick> ticks;
  for (int e = static_cast<int>(std::ceil(std::log10(lo) - 1e-9)); e <= std::log10(hi) + 1e-9;
       ++e) {
    constexpr const char* units[] = {"ns", "µs", "ms", "s"};
    const int group = std::clamp((e + 9) / 3, 0, 3);
    const double scaled = std::pow(10.0, e + 9 - 3 * group);
    ticks.push_back({fmt::format("{:g} {}", scaled, units[group]), std::pow(10.0, e)});
  }
  return ticks;
}

std::string data_of(const Plot& plot, std::size_t index) {
  return fmt::format("'{}.dat' index {}", plot.name, index);
}

namespace {

std::string hover_points(const std::string& data, const std::string& places,
                         const std::string& text, const std::string& style) {
  return fmt::format("{} using {}:({}) with labels hypertext point {} notitle", data, places, text,
                     style);
}

}  // namespace

std::string points_with_texts(const std::string& data, const std::string& places, int column,
                              const std::string& style) {
  return hover_points(data, places, fmt::format("stringcolumn({})", column), style);
}

std::string points_that_tell(const std::string& data, const Series& series, const std::string& name,
                             const std::string& style) {
  const Told x = told(series.columns.at(0), 1), y = told(series.columns.at(1), 2);
  const std::string format =
      fmt::format("{}: {}, {}", replace_characters(name, {{'%', "%%"}}), x.format, y.format);
  return hover_points(data, "1:2",
                      fmt::format("sprintf({}, {}, {})", gp_quoted(format), x.argument, y.argument),
                      style);
}

std::string plot_command(const std::vector<std::string>& elements) {
  std::string text = "plot ";
  for (std::size_t i = 0; i < elements.size(); ++i)
    text += (i == 0 ? "" : ", \\\n     ") + elements[i];
  return text;
}

}  // namespace rooftile::report
