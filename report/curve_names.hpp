// What a curve is about, in words: the quantities of its two axes and the short name that tells it
// from the curves beside it. Read from the catalog, so that a new microbenchmark needs no edit
// here.
#pragma once

#include <string>
#include <vector>

#include "model/profile/metric_catalog.hpp"

namespace rooftile::report {

struct Quantity {
  std::string key;    ///< for comparing and for file names: "warps"
  std::string label;  ///< for the axis: "warps of the block"
  bool operator==(const Quantity&) const = default;
};

/// What x counts: `over_<quantity>` at the end of the id, in the words of "... over the <quantity>"
/// in the meaning where it has them. A curve with neither has its unit.
Quantity x_quantity(const CatalogEntry& entry);

/// What y is, without its unit: "latency", "bandwidth", "share of hits"; "" where the unit says it.
std::string y_quantity(const CatalogEntry& entry);

/// True where y is shown as y - x: cycles beside n instructions of one cycle each.
bool shown_beyond_x(const CatalogEntry& entry);

/// For each curve the parts of its id that not all share; one that has none takes the first words
/// of its meaning.
std::vector<std::string> short_names(const std::vector<const CatalogEntry*>& entries);

/// "a", "a and b", "a, b and c".
std::string joined(const std::vector<std::string>& names);

}  // namespace rooftile::report
