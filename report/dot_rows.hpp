// A plot of named rows, from the top, with a marker of each kind on them: for comparing a few
// numbers of many named things.
#pragma once

#include <string>
#include <vector>

#include "report/plot.hpp"

namespace rooftile::report {

struct Dot {
  std::size_t row = 0;
  double x = 0;
  std::string hover;  ///< shown where a pointer rests; in the data file too
};

/// What one marker means. Filled ones are drawn smaller, so that they show inside the others.
struct DotKind {
  std::string name;
  std::vector<Dot> dots;
  bool filled = false;
};

struct DotRows {
  std::string name;  ///< of the plot
  std::string x_label;
  double x_from = 0;
  /// A logarithmic axis, on which what is less than `x_from` is drawn there.
  bool logarithmic = false;
  std::vector<std::string> rows = {};
  std::vector<DotKind> kinds = {};  ///< later ones lie on top
};

Plot plot_of(const DotRows& rows);

}  // namespace rooftile::report
