// Rules for scales, ticks and lines.
#include "report/curve_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rooftile::report {
namespace {

/// Standard deviation of the steps over their mean.
double unevenness(const Values& grid) {
  Values steps;
  for (std::size_t i = 1; i < grid.size(); ++i) steps.push_back(grid[i] - grid[i - 1]);
  const double n = static_cast<double>(steps.size());
  const double mean = std::accumulate(steps.begin(), steps.end(), 0.0) / n;
  double squares = 0;
  for (const double step : steps) squares += (step - mean) * (step - mean);
  return std::sqrt(squares / n) / mean;
}

/// 1536 as "1.5 Ki" or, for bytes, "1.5 KiB".
std::string binary_label(double value, bool bytes) {
  constexpr const char* prefixes[] = {"", "Ki", "Mi", "Gi", "Ti"};
  std::size_t group = 0;
  for (; value >= 1024 && group < 4; ++group) value /= 1024;
  const std::string unit = std::string(prefixes[group]) + (bytes ? "B" : "");
  return fmt::format("{:.4g}{}{}", value, unit.empty() ? "" : " ", unit);
}

int exponent(double value, double base) {
  return static_cast<int>(std::floor(std::log(value) / std::log(base) + 1e-9));
}

/// Powers of `base` between the limits, every n-th so that no more than `most` remain.
template <typename Label>
std::vector<Tick> power_ticks(const Range& range, double base, int most, const Label& label) {
  const int first = exponent(range.lo * base * (1 - 1e-9), base), last = exponent(range.hi, base);
  const int step = std::max(1, (last - first + most) / most);
  std::vector<Tick> ticks;
  for (int e = first; e <= last; e += step) {
    const double position = std::pow(base, e);
    ticks.push_back({label(position), position});
  }
  return ticks;
}

}  // namespace

Range range_of(const std::vector<const Values*>& lists) {
  Range range{HUGE_VAL, -HUGE_VAL};
  for (const Values* list : lists)
    for (const double value : *list) {
      range.lo = std::min(range.lo, value);
      range.hi = std::max(range.hi, value);
    }
  return range;
}

bool geometric(Values grid) {
  std::sort(grid.begin(), grid.end());
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  if (grid.size() < 3 || grid.front() <= 0) return false;
  Values logarithms;
  for (const double x : grid) logarithms.push_back(std::log2(x));
  return unevenness(logarithms) < unevenness(grid);
}

YAxis y_axis_of(const Range& range) {
  constexpr double most = 1e9;  // a file may hold anything
  if (range.lo <= 0 || range.hi > most * range.lo) return YAxis::from_zero;
  if (range.hi > 20 * range.lo) return YAxis::logarithmic;
  const double span = 1 - range.lo / range.hi;
  return span > 0.01 && span < 0.25 ? YAxis::near_data : YAxis::from_zero;
}

std::vector<std::vector<std::size_t>> merged_lines(const std::vector<Line>& lines, YAxis axis,
                                                   const Range& y) {
  const double height = axis == YAxis::near_data ? y.hi - y.lo : y.hi - std::min(y.lo, 0.0);
  const auto near = [&](double a, double b) {
    const double whole = axis == YAxis::logarithmic ? std::max(a, b) : height;
    return std::abs(a - b) <= 0.01 * whole;
  };
  std::vector<std::vector<std::size_t>> merged;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const auto& members) {
      const Line &a = lines[members.front()], &b = lines[i];
      return a.x == b.x && std::equal(a.y.begin(), a.y.end(), b.y.begin(), b.y.end(), near);
    });
    if (same == merged.end())
      merged.push_back({i});
    else
      same->push_back(i);
  }
  return merged;
}

bool first_point_apart(const Values& y) {
  if (y.size() < 4) return false;
  const auto [lo, hi] = std::minmax_element(y.begin() + 1, y.end());
  return *lo > 0 && *hi <= 2 * *lo && (y.front() >= 4 * *hi || y.front() <= *lo / 4);
}

bool zigzags(const Values& y) {
  if (y.size() < 8) return false;
  std::size_t turns = 0;
  int direction = 0;
  for (std::size_t i = 1; i < y.size(); ++i) {
    const double step = y[i] - y[i - 1];
    if (std::abs(step) <= 0.25 * std::max(std::abs(y[i]), std::abs(y[i - 1]))) continue;
    const int now = step > 0 ? 1 : -1;
    if (direction != 0 && now != direction) ++turns;
    direction = now;
  }
  return 2 * turns >= y.size() - 2;
}

bool points_only(const Values& x, const Values& y) {
  bool gaps = false;
  for (std::size_t i = 1; i < x.size(); ++i) gaps = gaps || x[i] - x[i - 1] > 1.5 * (x[1] - x[0]);
  return gaps && zigzags(y);
}

std::vector<Tick> count_ticks(const Range& range, bool logarithmic, bool bytes) {
  const auto label = [&](double value) { return binary_label(value, bytes); };
  if (logarithmic) return power_ticks(range, 2, bytes ? 7 : 9, label);
  const double step = std::exp2(std::ceil(std::log2(std::max(range.hi - range.lo, 1.0) / 9)));
  const double whole = std::max(step, 1.0);
  std::vector<Tick> ticks;
  for (double at = std::ceil(range.lo / whole) * whole; at <= range.hi && ticks.size() < 16;
       at += whole)
    ticks.push_back({label(at), at});
  return ticks;
}

std::vector<Tick> rate_ticks(const Range& range) {
  const auto label = [](double value) { return fmt::format("{:.4g}", value); };
  if (range.lo >= 0.2 && range.hi <= 256 * range.lo) return power_ticks(range, 2, 9, label);
  if (range.hi > 1000 * range.lo) return power_ticks(range, 10, 9, label);
  std::vector<Tick> ticks;
  for (int e = exponent(range.lo, 10); e <= exponent(range.hi, 10); ++e)
    for (const double digit : {1, 2, 5}) {
      const double at = digit * std::pow(10.0, e);
      if (at >= range.lo && at <= range.hi) ticks.push_back({label(at), at});
    }
  return ticks;
}

}  // namespace rooftile::report
