// The GPU in numbers: every metric of the catalogue with its uncertainty, state and origin,
// grouped, and values above a physical limit flagged instead of celebrated.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/profile/metric_catalog.hpp"
#include "report/entry_groups.hpp"
#include "report/format.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

struct Limit {
  std::string words;
  std::optional<double> value;
};

bool starts_with(const std::string& text, std::string_view start) {
  return text.compare(0, start.size(), start) == 0;
}

/// The physical limit of a metric, if one is known.
Limit limit_of(const DeviceProfile& profile, const std::string& id) {
  if (id == "ffma.throughput")
    return {"the FP32 lanes of an SM", metric_value(profile, "device.fma_lanes_per_sm")};
  if (starts_with(id, "dram.bandwidth."))
    return {"the memory interface (clock x width)",
            metric_value(profile, "device.dram_peak_bandwidth")};
  // 32 banks of 4 bytes a cycle: CUDA C++ Programming Guide, "Shared Memory", compute
  // capability 5.x on.
  if (starts_with(id, "smem.") && id.size() > 10 && id.ends_with(".bandwidth"))
    return {"32 banks of 4 bytes a cycle", 128.0};
  if (id == "clock.light" || id == "clock.ffma")
    return {"the highest SM clock", metric_value(profile, "device.sm_clock_max")};
  if (id == "clock.ffma.power" && profile.environment.power_limit_w > 0)
    return {"the power limit", profile.environment.power_limit_w};
  return {};
}

Mark mark_of(State state) {
  return state == State::ok ? Mark::none : state == State::suspect ? Mark::warn : Mark::bad;
}

std::string repeat_text(const Metric& metric) {
  if (!metric.repeat95 || !metric.value || !std::isfinite(metric.repeat95->lo) ||
      !std::isfinite(metric.repeat95->hi))
    return no_value;
  const DisplayUnit unit = display_unit(metric.unit, *metric.value);
  return significant(metric.repeat95->lo / unit.scale, 4) + " to " +
         significant(metric.repeat95->hi / unit.scale, 4);
}

std::string join(std::initializer_list<std::string> parts) {
  std::string text;
  for (const auto& part : parts)
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  return text;
}

std::vector<Cell> metric_row(const DeviceProfile& profile, const std::string& id,
                             const Metric& metric, const std::string& meaning) {
  const Shown shown = show(metric);
  const std::string flag = above_limit(profile, id);
  const std::string remark = join({flag, metric.reason});
  return {
      {id, meaning},
      {meaning},
      {shown.value, "", metric.value, flag.empty() ? Mark::none : Mark::warn},
      {shown.plus_minus.empty() ? no_value : shown.plus_minus},
      {shown.unit},
      {repeat_text(metric)},
      {metric.n > 0 ? fmt::format("{}", metric.n) : no_value, "", static_cast<double>(metric.n)},
      {std::string(to_string(metric.state)), "", {}, mark_of(metric.state)},
      {remark, "", {}, flag.empty() ? mark_of(metric.state) : Mark::warn},
      {join({metric.estimator, metric.method})}};
}

std::vector<Cell> absent_row(const CatalogEntry& entry) {
  return {{std::string(entry.id)},
          {std::string(entry.meaning)},
          {no_value},
          {no_value},
          {""},
          {no_value},
          {no_value},
          {"absent", "", {}, Mark::bad},
          {fmt::format("not in the profile; supplied by {}", entry.supplier)},
          {""}};
}

TableBlock empty_group(const std::string& title) {
  return {title,
          {{"metric", false},
           {"meaning", false},
           {"value"},
           {"± (95 %)", true, "half-width of the 95 % confidence interval of the estimate"},
           {"unit", false},
           {"another run", true, "where 95 % of repeated runs will fall"},
           {"n", true, "independent repetitions"},
           {"state", false},
           {"remark", false},
           {"estimator; method", false}},
          {}};
}

/// One table a group, absent metrics included; ids outside the catalogue at the end of theirs.
std::vector<TableBlock> metric_tables(const DeviceProfile& profile) {
  std::vector<TableBlock> tables;
  for (const std::string& title : entry_group_titles()) tables.push_back(empty_group(title));
  const auto table_for = [&](const std::string& id) -> TableBlock& {
    const std::string title = entry_group(id);
    return *std::find_if(tables.begin(), tables.end(),
                         [&](const TableBlock& table) { return table.caption == title; });
  };
  for (const auto& entry : metric_catalog()) {
    if (entry.kind != EntryKind::metric) continue;
    const std::string id(entry.id);
    const auto found = profile.metrics.find(id);
    table_for(id).rows.push_back(
        found == profile.metrics.end()
            ? absent_row(entry)
            : metric_row(profile, id, found->second, std::string(entry.meaning)));
  }
  for (const auto& [id, metric] : profile.metrics)
    if (!find_catalog_entry(id, EntryKind::metric))
      table_for(id).rows.push_back(metric_row(profile, id, metric, ""));
  std::erase_if(tables, [](const TableBlock& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace

std::string above_limit(const DeviceProfile& profile, const std::string& id) {
  const auto found = profile.metrics.find(id);
  const auto value = metric_value(profile, id);
  const Limit limit = limit_of(profile, id);
  if (!value || !limit.value || *value <= *limit.value) return {};
  const Metric& metric = found->second;
  const std::string what =
      fmt::format("{} of {}", show_value(*limit.value, metric.unit, 4), limit.words);
  // A thousandth is what the clock probe resolves; a limit is exceeded only beyond that.
  constexpr double resolution = 1e-3;
  const bool within =
      (metric.ci95 && metric.ci95->lo <= *limit.value) || *value <= *limit.value * (1 + resolution);
  return within ? "at the limit within its uncertainty: " + what
                : "above the limit: " + what + "; something else was measured";
}

Section gpu_section(const ReportInput& input) {
  Section section{"gpu", "The GPU, measured", {}};
  if (input.profile.metrics.empty()) {
    section.blocks.push_back(
        Paragraph{"The profile holds no metric.", Tone::missing, "rooftile characterize"});
    return section;
  }
  section.blocks.push_back(Paragraph{
      "Each value with the half-width of its 95 % confidence interval, the number of independent "
      "repetitions, and how it was obtained. A value above a physical limit is flagged: it means "
      "that "
      "something else was measured."});
  for (auto& table : metric_tables(input.profile)) section.blocks.emplace_back(std::move(table));
  return section;
}

}  // namespace rooftile::report
