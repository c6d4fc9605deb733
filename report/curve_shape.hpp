// How a curve's axes are best scaled, from its numbers alone.
#pragma once

#include <string>
#include <vector>

#include "report/plot.hpp"

namespace rooftile::report {

using Values = std::vector<double>;

struct Range {
  double lo = 0, hi = 0;
};

/// Smallest and largest of all values; at least one list must hold one.
Range range_of(const std::vector<const Values*>& lists);

/// True when the positive grid is spread more evenly in its logarithm: its steps vary less there
/// (standard deviation over mean). 1, 2, 4, 8, 12, 16 is geometric; 1, 2, 3, 4, 6, 8 is not.
bool geometric(Values grid);

enum class YAxis {
  from_zero,
  logarithmic,  ///< all positive and the largest more than 20 times the smallest
  near_data  ///< between 1 % and 25 % from the largest to the smallest: zero would hide the shape
};
YAxis y_axis_of(const Range& range);

struct Line {
  Values x, y;
};

/// Indices of lines that cannot be told apart, by first member: {{0, 2}, {1}}. They have one grid
/// and are nowhere further from the first than 1 % of the height of the axis, on a logarithmic axis
/// 1 % of the value.
std::vector<std::vector<std::size_t>> merged_lines(const std::vector<Line>& lines, YAxis axis,
                                                   const Range& y);

/// True when the first point is another thing than the rest (a block's own memory among remote
/// ones): at least 4 times above or below at least three others that stay within a factor of 2.
bool first_point_apart(const Values& y);

/// True when a line of eight points or more turns at half of them. Steps below 25 % are no turns.
bool zigzags(const Values& y);

/// True when a line between the points would tell of values that are not there: it zigzags, while
/// the grid has gaps.
bool points_only(const Values& x, const Values& y);

/// Ticks at multiples of a power of two (a linear axis) or at powers of two (a logarithmic one),
/// at most about eight; bytes as 16 KiB, others as 512, 1 Ki, 1 Mi.
std::vector<Tick> count_ticks(const Range& range, bool logarithmic, bool bytes);

/// Ticks of a logarithmic y axis: powers of two from 1/4 and up to a range of 256; else 1, 2 and 5
/// in each decade, or the decades alone where these are many.
std::vector<Tick> rate_ticks(const Range& range);

}  // namespace rooftile::report
