// The curves of a profile as pictures: which go together, and the plot of each such panel.
#pragma once

#include <string>
#include <vector>

#include "report/curve_names.hpp"
#include "report/sections.hpp"

namespace rooftile::report {

struct NamedCurve {
  const CatalogEntry* entry;
  Points points;
  std::string name;  ///< short, for the key
};

/// Curves of one microbenchmark with the same y unit over the same quantity.
struct CurvePanel {
  std::string supplier, x_unit, y_unit, group;
  Quantity x;
  std::vector<NamedCurve> curves;
  bool without_first = false;  ///< the first point is another thing than the rest: not drawn

  bool holds(const CatalogEntry& entry) const {
    return supplier == entry.supplier && y_unit == entry.unit && x_unit == entry.x_unit &&
           x.key == x_quantity(entry).key;
  }
};

/// Panels of all usable curves of the catalog but those that other sections draw.
std::vector<CurvePanel> curve_panels(const DeviceProfile& profile);

/// "latency, cycles", "cycles beyond n", "cycles per warp instruction"; `unit` as displayed. Where
/// the curves differ in their quantity the unit stands alone.
std::string y_label(const CurvePanel& panel, const std::string& unit);
/// The same without the unit, for a title.
std::string y_title(const CurvePanel& panel);

/// Indices of the curves that are drawn as one line.
std::vector<std::vector<std::size_t>> lines_of(const CurvePanel& panel);

/// Named curves_<microbenchmark>_<y unit>_<x quantity>; its data hold every curve under its id.
Plot plot_of(const CurvePanel& panel);

}  // namespace rooftile::report
