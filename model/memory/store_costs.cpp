#include "model/memory/store_costs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "model/error.hpp"

namespace rooftile {
namespace {

constexpr std::string_view table_id = "global_store.patterns";

/// Of a column in a row's values, which lack the name.
std::size_t column(const Table& table, std::string_view name) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), name);
  if (found == table.columns.end() || found == table.columns.begin())
    throw InputError(fmt::format("profile: table {} has no column {}", table_id, name));
  return static_cast<std::size_t>(found - table.columns.begin()) - 1;
}

/// How far `measured` is from `asked`; further than any other where it touches fewer lines, and
/// furthest where it is of another width.
double distance(const StoreShape& asked, const StoreShape& measured) {
  constexpr double fewer_lines = 1e3, other_width = 1e6;
  return std::abs(std::log(asked.lines / measured.lines)) +
         std::abs(std::log(asked.sectors / measured.sectors)) +
         (measured.lines < asked.lines ? fewer_lines : 0) +
         (measured.width_bytes == asked.width_bytes ? 0 : other_width);
}

}  // namespace

StoreCosts::StoreCosts(const DeviceProfile& profile) {
  const auto found = profile.tables.find(std::string(table_id));
  if (found == profile.tables.end()) return;
  const Table& table = found->second;
  const std::size_t width = column(table, "width"), lines = column(table, "lines"),
                    sectors = column(table, "sectors"), one = column(table, "one SM"),
                    all = column(table, "all SMs");
  for (const Table::Row& row : table.rows) {
    const auto value = [&](std::size_t at) { return row.values.at(at); };
    const bool whole = value(lines) > 0 && value(sectors) > 0 && value(one) > 0 && value(all) > 0;
    if (!whole)
      throw InputError(
          fmt::format("profile: table {}, row {}: all must be above 0", table_id, row.name));
    patterns_.push_back(
        {{static_cast<int>(value(width)), value(lines), value(sectors)}, {value(one), value(all)}});
  }
}

StoreCosts::Cycles StoreCosts::cycles(const StoreShape& shape) const {
  if (shape.lines <= 0 || shape.sectors <= 0) return {};
  const Pattern* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const Pattern& pattern : patterns_)
    if (const double away = distance(shape, pattern.shape); away < least) {
      least = away;
      nearest = &pattern;
    }
  const double more = shape.sectors / nearest->shape.sectors;
  return {nearest->cycles.one_sm * more, nearest->cycles.all_sms * more};
}

}  // namespace rooftile
