#include "model/memory/store_costs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace rooftile {
namespace {

constexpr std::string_view table_id = "global_store.patterns";

/// By the ratios of lines and sectors, the greater over the less.
double distance(const StoreShape& a, const StoreShape& b) {
  const auto [fewer_lines, more_lines] = std::minmax(a.lines, b.lines);
  const auto [fewer_sectors, more_sectors] = std::minmax(a.sectors, b.sectors);
  return more_lines * more_sectors / (fewer_lines * fewer_sectors);
}

}  // namespace

/// The first of the nearest patterns.
struct StoreCosts::Nearest {
  const Pattern* pattern = nullptr;
  double least = std::numeric_limits<double>::infinity();

  void offer(const Pattern& other, double away) {
    if (pattern != nullptr && away >= least) return;
    least = away;
    pattern = &other;
  }
  /// In proportion to lines and sectors.
  Cycles cycles(const StoreShape& shape) const {
    const StoreShape& of = pattern->shape;
    const double share = (shape.lines + shape.sectors) / (of.lines + of.sectors);
    return {pattern->cycles.one_sm * share, pattern->cycles.all_sms * share};
  }
};

StoreCosts::StoreCosts(const DeviceProfile& profile) {
  const Table* table = profile.find_table(table_id);
  if (table == nullptr) return;
  const auto column = [&](std::string_view name) { return profile.column(table_id, name); };
  const std::size_t width = column("width"), lines = column("lines"), sectors = column("sectors"),
                    one = column("one SM"), all = column("all SMs");
  for (const Table::Row& row : table->rows) {
    const auto value = [&](std::size_t at) { return row.values.at(at); };
    if (std::isnan(value(one)) || std::isnan(value(all))) continue;  // not measured
    const bool whole = value(lines) > 0 && value(sectors) > 0 && value(one) > 0 && value(all) > 0;
    if (!whole)
      profile.refuse_row(table_id, row.name,
                         fmt::format("lines {}, sectors {}, one SM {} and all SMs {} must all be "
                                     "above 0",
                                     value(lines), value(sectors), value(one), value(all)));
    add({static_cast<int>(value(width)), value(lines), value(sectors)}, {value(one), value(all)});
  }
}

/// Lanes may lie in several ways and touch as many lines and sectors: these cost their mean.
void StoreCosts::add(const StoreShape& shape, const Cycles& cycles) {
  const auto same = std::find_if(patterns_.begin(), patterns_.end(), [&](const Pattern& known) {
    return known.shape.width_bytes == shape.width_bytes && known.shape.lines == shape.lines &&
           known.shape.sectors == shape.sectors;
  });
  if (same == patterns_.end()) return patterns_.push_back({shape, cycles, 1});
  const double others = same->rows++;
  same->cycles.one_sm = (others * same->cycles.one_sm + cycles.one_sm) / same->rows;
  same->cycles.all_sms = (others * same->cycles.all_sms + cycles.all_sms) / same->rows;
}

void StoreCosts::take_out_l2() {
  for (Pattern& pattern : patterns_) pattern.cycles.all_sms = 0;
}

StoreCosts::Cycles StoreCosts::cycles(const StoreShape& shape) const {
  if (shape.lines <= 0 || shape.sectors <= 0) return {};
  constexpr double wrong_side = 0x1p40;
  const auto of_its_width = [&](const Pattern& pattern) {
    return pattern.shape.width_bytes == shape.width_bytes;
  };
  const bool any = std::any_of(patterns_.begin(), patterns_.end(), of_its_width);
  Nearest no_fewer, no_more;  // lines
  for (const Pattern& pattern : patterns_) {
    if (any && !of_its_width(pattern)) continue;
    const double away = distance(shape, pattern.shape), more = pattern.shape.lines - shape.lines;
    no_fewer.offer(pattern, more < 0 ? away * wrong_side : away);
    no_more.offer(pattern, more > 0 ? away * wrong_side : away);
  }
  const Cycles above = no_fewer.cycles(shape), below = no_more.cycles(shape);
  return {std::max(above.one_sm, below.one_sm), std::max(above.all_sms, below.all_sms)};
}

}  // namespace rooftile
