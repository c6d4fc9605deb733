// Shared memory: cycles of a warp load over the stride, one curve a width, and the lane patterns
// with measured cycles beside the modelled wavefronts, as a map by access and as a table.
#include <fmt/format.h>

#include <algorithm>

#include "report/format.hpp"
#include "report/heat_map.hpp"
#include "report/lane_patterns.hpp"
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

Cell agreement(const LanePattern& p) {
  return {format_percent(p.error(), true), "", p.error(), p.agrees() ? Mark::good : Mark::bad};
}

/// Place of `value` in `list`, which it joins where it is new.
template <class Value>
std::size_t place(std::vector<Value>& list, const Value& value) {
  const auto found = std::find(list.begin(), list.end(), value);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(value);
  return list.size() - 1;
}

HeatMap pattern_map(const std::vector<PatternGroup>& groups) {
  HeatMap map;
  map.name = "bank_patterns";
  map.x_label = "wavefronts, modelled";
  map.y_label = "access";
  map.value = "patterns";
  map.below = "cycles, measured";
  map.value_format = "%.0f";
  map.below_format = "%.2f";
  map.logarithmic = true;
  std::vector<double> numbers;
  for (const PatternGroup& group : groups) numbers.push_back(group.modelled);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (const double number : numbers) map.columns.push_back(fmt::format("{:g}", number));
  for (const PatternGroup& group : groups) {
    map.cells.push_back(
        {place(numbers, group.modelled), place(map.rows, group.kind),
         static_cast<double>(group.count), group.mean,
         fmt::format("{}, {} wavefronts by the model: {}, measured {} to {} cycles", group.kind,
                     significant(group.modelled, 3), plural(group.count, "pattern", "patterns"),
                     fixed(group.least, 3), fixed(group.most, 3))});
  }
  // The first kind belongs on top.
  for (HeatCell& cell : map.cells) cell.row = map.rows.size() - 1 - cell.row;
  std::reverse(map.rows.begin(), map.rows.end());
  return map;
}

/// "825 of 825 lane patterns ...", and the names of those that differ.
std::string pattern_sentence(const std::vector<LanePattern>& patterns) {
  constexpr std::size_t most_named = 5;  // all of them are in the table
  std::string names;
  std::size_t agreeing = 0, differing = 0;
  for (const LanePattern& p : patterns) {
    if (p.agrees())
      ++agreeing;
    else if (++differing <= most_named)
      names += fmt::format("{}{} ({} against {})", names.empty() ? "" : "; ", p.name,
                           significant(p.measured, 3), significant(p.modelled, 3));
  }
  if (differing > most_named) names += fmt::format("; and {} more", differing - most_named);
  return fmt::format("{} of {} lane patterns take as many cycles as the model counts wavefronts{}.",
                     agreeing, patterns.size(),
                     names.empty() ? " (within 5 %)" : "; not so: " + names);
}

void pattern_figure(const std::vector<LanePattern>& patterns, Section& section) {
  Figure figure;
  figure.wide = true;
  figure.title = "Lane patterns by access and modelled wavefronts";
  figure.alternative = pattern_sentence(patterns);
  figure.caption =
      "Upper number: how many patterns of lanes; lower: cycles measured, their mean. Where the "
      "lower one is the number on the axis, the model counts wavefronts exactly. " +
      figure.alternative;
  figure.plot = plot_of(pattern_map(group_patterns(patterns)));
  figure.command = entry_command("smem.patterns");
  section.blocks.emplace_back(std::move(figure));
}

TableBlock pattern_table(const Table& table) {
  TableBlock block;
  block.caption = "Lane patterns: measured cycles beside modelled wavefronts";
  if (!table.method.empty()) block.caption += " (" + table.method + ")";
  constexpr std::size_t most_shown = 40;
  block.collapsed = table.rows.size() > most_shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string unit = i < table.units.size() ? table.units[i] : "";
    block.columns.push_back(
        {unit.empty() || i == 0 ? table.columns[i] : table.columns[i] + ", " + unit, i > 0});
  }
  const bool compare = pattern_columns(table).has_value();
  if (compare) block.columns.push_back({"measured over model"});
  for (const auto& row : table.rows) {
    std::vector<Cell> cells = {{row.name}};
    for (const double value : row.values) cells.push_back({significant(value, 3), "", value});
    cells.resize(table.columns.size(), {no_value});
    const auto pattern = lane_pattern(table, row);
    if (compare) cells.push_back(pattern ? agreement(*pattern) : Cell{no_value});
    block.rows.push_back(std::move(cells));
  }
  return block;
}

void add_patterns(const DeviceProfile& profile, Section& section) {
  const auto found = profile.tables.find("smem.patterns");
  if (found == profile.tables.end() || found->second.rows.empty()) {
    section.blocks.push_back(missing_entry(profile, "smem.patterns"));
    return;
  }
  const auto patterns = lane_patterns(found->second);
  if (!patterns.empty()) pattern_figure(patterns, section);
  section.blocks.emplace_back(pattern_table(found->second));
}

}  // namespace

Section shared_section(const ReportInput& input) {
  Section section{"shared", "Shared memory", {}};
  conflict_figure(input.profile, section);
  add_patterns(input.profile, section);
  return section;
}

}  // namespace rooftile::report
