// The ranges, one line a unit or an id. Bounds of device.* follow from what the occupancy rules can
// count in an int, 16 times and more above any GPU of today.
#include "model/profile/plausible.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace rooftile {
namespace {

struct Row {
  std::string_view name;
  PlausibleRange range;
};

constexpr double exact = 9007199254740992.0;  // 2^53: whole numbers are exact up to here

constexpr std::array by_id = {
    Row{"device.sm_count", {1, 4096, true}},
    Row{"device.fma_lanes_per_sm", {1, 65536, true}},
    Row{"device.registers_per_sm", {1, 16777216, true}},
    Row{"device.max_threads_per_sm", {32, 65536, true}},
    Row{"device.max_blocks_per_sm", {1, 1024, true}},
    Row{"device.smem_per_sm", {0, 1073741824, true}},
    Row{"device.smem_per_block_optin", {0, 1073741824, true}},
    Row{"device.smem_reserved_per_block", {0, 1073741824, true}},
    Row{"device.l2_size", {1, exact, true}},
    Row{"device.dram_size", {1, exact, true}},
};

constexpr std::array by_unit = {
    Row{"cycle", {0, 1e12}},
    Row{"cycle/inst", {0, 1e12}},
    Row{"byte/cycle", {1e-6, 1e9}},
    Row{"byte/cycle/SM", {1e-6, 1e9}},
    Row{"fma/cycle/SM", {1e-6, 1e9}},
    Row{"inst/cycle/SM", {1e-6, 1e9}},
    Row{"wavefront/inst", {0, 1e6}},
    Row{"byte/s", {1, 1e18}},
    Row{"flop/s", {1, 1e21}},
    Row{"byte", {0, exact}},
    Row{"s", {0, 1e6}},
    Row{"Hz", {1e6, 1e12}},
    Row{"W", {0, 1e6}},
    Row{"degC", {-273.15, 1e4}},
    Row{"count", {0, exact}},
    Row{"1", {0, 1e12}},
};

template <std::size_t N>
const Row* find_row(const std::array<Row, N>& rows, std::string_view name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

PlausibleRange plausible_range(std::string_view id, std::string_view unit) {
  if (const Row* row = find_row(by_id, id)) return row->range;
  if (const Row* row = find_row(by_unit, unit)) return row->range;
  return {0, 1e300};
}

std::optional<std::string> implausible(std::string_view id, std::string_view unit, double value) {
  const PlausibleRange range = plausible_range(id, unit);
  const bool fits = value >= range.lo && value <= range.hi;
  if (fits && (!range.whole || value == std::floor(value))) return std::nullopt;
  return fmt::format("a {} from {:g} to {:g} {}", range.whole ? "whole number" : "number", range.lo,
                     range.hi, unit);
}

Interval plausible_part(std::string_view id, std::string_view unit, Interval interval) {
  const PlausibleRange range = plausible_range(id, unit);
  return {std::clamp(interval.lo, range.lo, range.hi), std::clamp(interval.hi, range.lo, range.hi)};
}

}  // namespace rooftile
