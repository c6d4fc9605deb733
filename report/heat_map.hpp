// A heat map as a plot: a rectangle a cell in steps of one colour, its numbers inside.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/plot.hpp"

namespace rooftile::report {

struct HeatCell {
  std::size_t column = 0, row = 0;  ///< places among the names; row 0 is the lowest
  double value = 0;                 ///< sets the colour; the upper number
  std::optional<double> below;      ///< the lower number, smaller
  std::string hover;                ///< shown where a pointer rests; in the data file too
};

struct HeatMap {
  std::string name;  ///< of the plot
  std::string x_label, y_label;
  std::vector<std::string> columns, rows;  ///< names on the axes
  std::string value, below;                ///< headings of the numbers
  std::string value_format = "%.1f", below_format = "%.1f";
  bool logarithmic = false;  ///< steps of equal ratio; values are positive
  std::vector<HeatCell> cells;
};

/// A map of block tiles, BN over BM, still without cells.
HeatMap block_map(const std::set<int>& BM, const std::set<int>& BN);
/// Of a size among those of an axis of block_map().
std::size_t place_of(int size, const std::set<int>& sizes);

/// Step of `value` between the limits, 1 to `steps`. Limits that are equal give the first.
int heat_step(double value, double lo, double hi, bool logarithmic, int steps);

/// Cells whose value is not finite (or not positive where logarithmic) are left out.
Plot plot_of(const HeatMap& map);

}  // namespace rooftile::report
