// Shared memory: cycles of a warp load over the stride, one curve a width, and the lane patterns
// with measured cycles beside the modelled wavefronts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/format.hpp"
#include "report/palette.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

struct Width {
  const char* id;
  const char* title;
};
constexpr Width widths[] = {{"smem.conflict.lds32", "LDS.32, stride in 4 B"},
                            {"smem.conflict.lds64", "LDS.64, stride in 8 B"},
                            {"smem.conflict.lds128", "LDS.128, stride in 16 B"}};

void add_width(const Width& width, std::size_t color, const Points& points, Plot& plot,
               std::vector<std::string>& elements) {
  Series series{width.title, {"stride, elements", "cycles per warp instruction"}, {}};
  for (std::size_t i = 0; i < points.x.size(); ++i)
    if (points.y[i] > 0) series.rows.push_back({points.x[i], points.y[i]});
  const std::string data = data_of(plot, plot.series.size());
  const std::string style = fmt::format("{} pt {} ps 0.6", line_color(color), point_type(color));
  elements.push_back(fmt::format("{} using 1:2 with linespoints {} linewidth 1.2 title {}", data,
                                 style, gp_quoted(width.title)));
  elements.push_back(points_that_tell(data, series, width.title, style));
  plot.series.push_back(std::move(series));
}

void conflict_figure(const DeviceProfile& profile, Section& section) {
  Figure figure;
  figure.wide = true;
  Plot& plot = figure.plot;
  plot.name = "bank_conflicts";
  plot.width = 720;
  std::vector<std::string> elements;
  double last = 0;
  std::vector<Paragraph> missing;
  for (std::size_t i = 0; i < std::size(widths); ++i) {
    const Points points = points_of(profile, widths[i].id, true);
    if (!points.usable()) {
      missing.push_back(missing_entry(profile, widths[i].id));
      continue;
    }
    last = std::max(last, points.x.back());
    add_width(widths[i], i, points, plot, elements);
  }
  if (!elements.empty()) {
    plot.commands = {"set logscale y 2",
                     "set ytics (1, 2, 4, 8, 16, 32, 64)",
                     fmt::format("set xrange [0:{:.6g}]", last + 1),
                     "set yrange [0.8:*]",
                     fmt::format("set xtics {}", last <= 48 ? 4 : 16),
                     "set xlabel 'stride between lanes, elements'",
                     "set ylabel 'cycles per warp instruction'",
                     plot_command(elements)};
    figure.title = "Bank conflicts over the stride";
    figure.alternative = fmt::format(
        "Cycles of a shared-memory load by a warp over the stride between lanes, for {} "
        "access widths; powers of two conflict, odd strides do not.",
        plot.series.size());
    figure.command = entry_command(widths[0].id);
    figure.caption =
        "At saturation. The floor is the number of 128-byte passes the data need (1, 2, 4 for 4, "
        "8, 16 B a "
        "lane); strides with a common factor with the 32 banks multiply it, odd strides stay on "
        "it.";
    section.blocks.emplace_back(std::move(figure));
  }
  for (auto& paragraph : missing) section.blocks.emplace_back(std::move(paragraph));
}

/// Column (within the values) whose heading holds one of two words.
std::optional<std::size_t> find_column(const Table& table, const std::string& a,
                                       const std::string& b) {
  for (std::size_t i = 1; i < table.columns.size(); ++i)
    if (table.columns[i].find(a) != std::string::npos ||
        table.columns[i].find(b) != std::string::npos)
      return i - 1;
  return std::nullopt;
}

Cell agreement(double measured, double modelled) {
  if (!(std::isfinite(measured) && std::isfinite(modelled) && modelled > 0)) return {no_value};
  const double off = measured / modelled - 1;
  return {format_percent(off, true), "", off, std::abs(off) <= 0.05 ? Mark::good : Mark::bad};
}

void pattern_table(const DeviceProfile& profile, Section& section) {
  const auto found = profile.tables.find("smem.patterns");
  if (found == profile.tables.end() || found->second.rows.empty()) {
    section.blocks.push_back(missing_entry(profile, "smem.patterns"));
    return;
  }
  const Table& table = found->second;
  const auto measured = find_column(table, "measured", "cycles");
  const auto modelled = find_column(table, "model", "wavefront");
  const bool compare = measured && modelled && *measured != *modelled;
  TableBlock block;
  block.caption = "Lane patterns: measured cycles beside modelled wavefronts";
  if (!table.method.empty()) block.caption += " (" + table.method + ")";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string unit = i < table.units.size() ? table.units[i] : "";
    block.columns.push_back(
        {unit.empty() || i == 0 ? table.columns[i] : table.columns[i] + ", " + unit, i > 0});
  }
  if (compare) block.columns.push_back({"measured over model"});
  for (const auto& row : table.rows) {
    std::vector<Cell> cells = {{row.name}};
    for (const double value : row.values) cells.push_back({significant(value, 3), "", value});
    cells.resize(table.columns.size(), {no_value});
    if (compare && std::max(*measured, *modelled) < row.values.size())
      cells.push_back(agreement(row.values[*measured], row.values[*modelled]));
    cells.resize(block.columns.size(), {no_value});
    block.rows.push_back(std::move(cells));
  }
  section.blocks.emplace_back(std::move(block));
}

}  // namespace

Section shared_section(const ReportInput& input) {
  Section section{"shared", "Shared memory", {}};
  conflict_figure(input.profile, section);
  pattern_table(input.profile, section);
  return section;
}

}  // namespace rooftile::report
