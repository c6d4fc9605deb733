// Reads the table smem.patterns, whose names begin with the access: "lds128 4i".
#include "report/lane_patterns.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <tuple>

namespace rooftile::report {
namespace {

constexpr double tolerance = 0.05;

std::optional<std::size_t> find_column(const Table& table, const std::string& a,
                                       const std::string& b) {
  for (std::size_t i = 1; i < table.columns.size(); ++i)
    if (table.columns[i].find(a) != std::string::npos ||
        table.columns[i].find(b) != std::string::npos)
      return i - 1;
  return std::nullopt;
}

/// "lds128 4i" -> "LDS.128".
std::string kind_of(const std::string& name) {
  std::string kind;
  for (const char c : name.substr(0, name.find(' '))) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isdigit(letter) && kind.size() == 3) kind += '.';
    kind += static_cast<char>(std::toupper(letter));
  }
  const bool known = kind.starts_with("LDS.") || kind.starts_with("STS.");
  return known ? kind : "other";
}

/// Loads before stores before others, narrow before wide.
std::tuple<std::string, std::size_t, std::string> order_of(const std::string& kind) {
  return {kind.substr(0, 3), kind.size(), kind};
}

bool usable(double x) { return std::isfinite(x) && x > 0 && x < 1e6; }

}  // namespace

bool LanePattern::agrees() const { return std::abs(error()) <= tolerance; }

std::optional<PatternColumns> pattern_columns(const Table& table) {
  const auto measured = find_column(table, "measured", "cycles");
  const auto modelled = find_column(table, "model", "wavefront");
  if (!measured || !modelled || *measured == *modelled) return std::nullopt;
  return PatternColumns{*measured, *modelled};
}

std::optional<LanePattern> lane_pattern(const Table& table, const Table::Row& row) {
  const auto columns = pattern_columns(table);
  if (!columns || std::max(columns->measured, columns->modelled) >= row.values.size())
    return std::nullopt;
  const double measured = row.values[columns->measured], modelled = row.values[columns->modelled];
  if (!usable(measured) || !usable(modelled)) return std::nullopt;
  return LanePattern{row.name, kind_of(row.name), measured, modelled};
}

std::vector<LanePattern> lane_patterns(const Table& table) {
  std::vector<LanePattern> patterns;
  for (const auto& row : table.rows)
    if (auto pattern = lane_pattern(table, row)) patterns.push_back(std::move(*pattern));
  return patterns;
}

std::vector<PatternGroup> group_patterns(const std::vector<LanePattern>& patterns) {
  const auto before = [](const auto& a, const auto& b) {
    return std::pair(order_of(a.first), a.second) < std::pair(order_of(b.first), b.second);
  };
  std::map<std::pair<std::string, double>, PatternGroup, decltype(before)> groups(before);
  for (const LanePattern& p : patterns) {
    PatternGroup& group = groups[{p.kind, p.modelled}];
    const bool first = group.count++ == 0;
    group.kind = p.kind;
    group.modelled = p.modelled;
    group.least = first ? p.measured : std::min(group.least, p.measured);
    group.most = first ? p.measured : std::max(group.most, p.measured);
    group.mean += p.measured;
  }
  std::vector<PatternGroup> list;
  for (auto& entry : groups) {
    entry.second.mean /= static_cast<double>(entry.second.count);
    list.push_back(std::move(entry.second));
  }
  return list;
}

}  // namespace rooftile::report
