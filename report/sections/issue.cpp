// Register ports and issue: what the banks of the register file cost, stream by stream and in outer
// products, how fast and how late each instruction is, and the curves of that group.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/dot_rows.hpp"
#include "report/entry_groups.hpp"
#include "report/format.hpp"
#include "report/heat_map.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

const Table* table_of(const DeviceProfile& profile, const std::string& id) {
  const auto found = profile.tables.find(id);
  return found == profile.tables.end() || found->second.rows.empty() ? nullptr : &found->second;
}

/// Index into the values of a row, by heading.
std::optional<std::size_t> column_of(const Table& table, const std::string& heading) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), heading);
  if (found == table.columns.begin() || found == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - table.columns.begin()) - 1;
}

/// One stream of FFMA: cycles of each, measured and by the rule with two or four banks.
struct Stream {
  std::string name;
  double measured = 0, two_banks = 0, four_banks = 0;
  double of(int banks) const { return banks == 4 ? four_banks : two_banks; }
};

std::vector<Stream> streams_of(const Table& table) {
  const auto measured = column_of(table, "one warp"), two = column_of(table, "2 banks"),
             four = column_of(table, "4 banks");
  std::vector<Stream> streams;
  if (!measured || !two || !four) return streams;
  for (const auto& row : table.rows) {
    if (row.values.size() <= std::max({*measured, *two, *four})) continue;
    const Stream s{row.name, row.values[*measured], row.values[*two], row.values[*four]};
    const auto plausible = [](double x) { return x > 0 && x < 1000; };
    if (plausible(s.measured) && plausible(s.two_banks) && plausible(s.four_banks))
      streams.push_back(s);
  }
  return streams;
}

/// Banks of the rule that the profile decided for, 2 or 4; 2 where it did not.
int banks_of(const DeviceProfile& profile) {
  return metric_value(profile, "register.banks").value_or(2) > 3 ? 4 : 2;
}

std::string ports_sentence(const DeviceProfile& profile, const std::vector<Stream>& streams) {
  const int banks = banks_of(profile), other = 6 - banks;
  double worst = 0, worst_other = 0;
  for (const Stream& s : streams) {
    worst = std::max(worst, std::abs(s.of(banks) / s.measured - 1));
    worst_other = std::max(worst_other, std::abs(s.of(other) / s.measured - 1));
  }
  return fmt::format("The rule with {} banks is off by {} at most over {}, that with {} by {}",
                     banks, format_percent(worst), plural(streams.size(), "stream", "streams"),
                     other, format_percent(worst_other));
}

/// "two in one bank: 0 2 1" -> "0 2 1"; the words before stand in the data and under the pointer.
std::string short_name(const std::string& name) {
  const auto colon = name.find(": ");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

DotKind stream_kind(const std::string& name, const std::vector<Stream>& streams,
                    double Stream::*cycles, bool filled) {
  DotKind kind{name, {}, filled};
  for (std::size_t i = 0; i < streams.size(); ++i)
    kind.dots.push_back({i, streams[i].*cycles,
                         fmt::format("{}: {} {} cycles", streams[i].name, name,
                                     significant(streams[i].*cycles, 4))});
  return kind;
}

Figure ports_figure(const DeviceProfile& profile, const std::vector<Stream>& streams) {
  DotRows rows{"register_ports", "cycles an FFMA", 0.8};
  for (const Stream& stream : streams) rows.rows.push_back(short_name(stream.name));
  rows.kinds = {stream_kind("rule, 4 banks", streams, &Stream::four_banks, false),
                stream_kind("rule, 2 banks", streams, &Stream::two_banks, false),
                stream_kind("measured", streams, &Stream::measured, true)};
  Figure figure;
  figure.wide = true;
  figure.plot = plot_of(rows);
  figure.command = entry_command("register.ports");
  figure.title = "Streams of FFMA by the banks of their sources";
  figure.alternative = ports_sentence(profile, streams) + ".";
  figure.caption =
      "One warp, nothing but FFMA whose sources lie in chosen banks. Digits: bank (mod 4) of each "
      "source; r: held under .reuse, h: held without, x: the register before. An FFMA whose "
      "operands are there takes one cycle. " +
      figure.alternative;
  return figure;
}

void add_ports(const DeviceProfile& profile, Section& section) {
  const auto banks = metric_value(profile, "register.banks"),
             window = metric_value(profile, "register.window");
  if (banks && window)
    section.blocks.emplace_back(Paragraph{fmt::format(
        "The register file has {:.0f} banks, each of which delivers one register a cycle, and may "
        "lag the issue by {:.0f} {}. What the reuse cache holds is read for nothing. An FFMA reads "
        "three registers: without reuse it takes {} cycles at least.",
        *banks, *window, *window == 1 ? "cycle" : "cycles",
        significant(std::max(1.0, 3 / *banks), 3))});
  const Table* table = table_of(profile, "register.ports");
  const auto streams = table ? streams_of(*table) : std::vector<Stream>{};
  if (streams.empty())
    section.blocks.emplace_back(missing_entry(profile, "register.ports"));
  else
    section.blocks.emplace_back(ports_figure(profile, streams));
}

HeatMap product_map(const Table& table) {
  HeatMap map;
  map.name = "outer_products";
  map.x_label = "order of the loops";
  map.y_label = "thread tile, TM x TN";
  map.value = "FMA/cycle/SM";
  map.columns.assign(table.columns.begin() + 1, table.columns.end());
  const std::size_t last = table.rows.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const Table::Row& row = table.rows[last - i];
    map.rows.push_back(row.name);
    for (std::size_t k = 0; k < std::min(row.values.size(), map.columns.size()); ++k)
      map.cells.push_back({k,
                           i,
                           row.values[k],
                           {},
                           fmt::format("{}, {}: {} FMA a cycle and SM", row.name, map.columns[k],
                                       significant(row.values[k], 4))});
  }
  return map;
}

void add_products(const DeviceProfile& profile, Section& section) {
  const Table* table = table_of(profile, "outer_product.throughput");
  if (!table || table->columns.size() < 2) {
    section.blocks.emplace_back(missing_entry(profile, "outer_product.throughput"));
    return;
  }
  Figure figure;
  figure.plot = plot_of(product_map(*table));
  figure.command = entry_command("outer_product.throughput");
  figure.title = "Outer products by thread tile and loop order, FMA/cycle/SM";
  figure.alternative = fmt::format("Measured FMA rate of {} thread tiles in {} loop orders.",
                                   table->rows.size(), table->columns.size() - 1);
  const auto lanes = metric_value(profile, "device.fma_lanes_per_sm");
  figure.caption = fmt::format(
      "The same arithmetic in different orders; what is missing to {} the register ports take, for "
      "the most part. "
      "A serpentine changes one operand at a time, so that the other comes from the reuse cache.{}",
      lanes ? fixed(*lanes, 0) : "the lanes",
      table->method.empty() ? "" : " Method: " + table->method + ".");
  section.blocks.emplace_back(std::move(figure));
}

/// Rate of each instruction, and latency where it has one.
void add_instructions(const DeviceProfile& profile, Section& section) {
  TableBlock table{"Latency and rate of instructions",
                   {{"instruction", false}, {"latency, cycles"}, {"inst/cycle/SM"}},
                   {}};
  const std::string first = "instruction.", rate = ".throughput";
  for (const auto& [id, metric] : profile.metrics) {
    if (!id.starts_with(first) || !id.ends_with(rate)) continue;
    const std::string name = id.substr(first.size(), id.size() - first.size() - rate.size());
    const auto latency = metric_value(profile, fmt::format("{}{}.latency", first, name)),
               throughput = metric_value(profile, id);
    if (!latency && !throughput) continue;
    const auto cell = [](const std::optional<double>& x) {
      return x ? Cell{significant(*x, 3), "", x} : Cell{no_value};
    };
    table.rows.push_back({{name}, cell(latency), cell(throughput)});
  }
  if (!table.rows.empty()) section.blocks.emplace_back(std::move(table));
}

}  // namespace

Section issue_section(const ReportInput& input) {
  Section section{"issue", "Register ports and issue", {}};
  add_ports(input.profile, section);
  add_products(input.profile, section);
  add_instructions(input.profile, section);
  for (Figure& figure : curve_figures(input.profile, entry_group("ffma")))
    section.blocks.emplace_back(std::move(figure));
  return section;
}

}  // namespace rooftile::report
