// The list of all ids, generated from the heads of micro/*.cu, and the closed list of units.
#include "model/profile/metric_catalog.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "model/edit_distance.hpp"

namespace rooftile {
namespace {

constexpr CatalogEntry catalog[] = {
#include "model/profile/metric_catalog_entries.inc"
};

constexpr std::array<std::string_view, 16> units = {"cycle",
                                                    "cycle/inst",
                                                    "byte/cycle",
                                                    "byte/cycle/SM",
                                                    "fma/cycle/SM",
                                                    "inst/cycle/SM",
                                                    "wavefront/inst",
                                                    "byte/s",
                                                    "flop/s",
                                                    "byte",
                                                    "s",
                                                    "Hz",
                                                    "W",
                                                    "degC",
                                                    "count",
                                                    "1"};

}  // namespace

std::span<const CatalogEntry> metric_catalog() { return catalog; }
std::span<const std::string_view> known_units() { return units; }

const CatalogEntry* find_catalog_entry(std::string_view id, EntryKind kind) {
  const auto found =
      std::find_if(std::begin(catalog), std::end(catalog),
                   [&](const CatalogEntry& e) { return e.id == id && e.kind == kind; });
  return found == std::end(catalog) ? nullptr : found;
}

std::string nearest_ids(std::string_view id) {
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const auto& entry : catalog) ranked.emplace_back(edit_distance(id, entry.id), entry.id);
  std::partial_sort(ranked.begin(), ranked.begin() + 3, ranked.end());
  std::string text;
  for (int i = 0; i < 3; ++i)
    text += (i == 0 ? "" : ", ") + std::string(ranked[static_cast<std::size_t>(i)].second);
  return text;
}

}  // namespace rooftile
