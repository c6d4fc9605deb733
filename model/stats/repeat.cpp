// Prediction intervals of repetitions and of rounds.
#include "model/stats/repeat.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "model/stats/robust.hpp"

namespace rooftile {
namespace {

/// Half-width of the prediction interval for one more value, and the mean that it is around.
struct Prediction {
  double mean = 0, half = 0;
};

Prediction one_more(std::span<const double> values) {
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double deviation = std::sqrt(squares / (n - 1));
  return {mean, student_975(static_cast<int>(n) - 1) * deviation * std::sqrt(1 + 1 / n)};
}

void widen(Interval& interval, const Prediction& by) {
  interval.lo = std::min(interval.lo, by.mean - by.half);
  interval.hi = std::max(interval.hi, by.mean + by.half);
}

}  // namespace

double student_975(int freedom) {
  if (freedom < 1) throw std::logic_error("Student's t needs at least one degree of freedom");
  // Exact ones (Abramowitz and Stegun, table 26.10), where the expansion is worse than 1 %.
  constexpr std::array exact = {12.706, 4.303, 3.182};
  if (freedom <= 3) return exact[static_cast<std::size_t>(freedom) - 1];
  // Expansion around the normal quantile, Abramowitz and Stegun 26.7.5.
  const double v = freedom, z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

Interval repeat_interval(std::span<const std::vector<double>> rounds) {
  std::vector<double> all, medians;
  for (const std::vector<double>& round : rounds) {
    if (round.empty()) continue;
    all.insert(all.end(), round.begin(), round.end());
    medians.push_back(median(round));
  }
  if (all.size() < 2) throw std::logic_error("a repeat interval needs at least two repetitions");
  const double middle = median(all);
  Interval interval{middle, middle};
  widen(interval, one_more(all));
  if (medians.size() >= 2) widen(interval, one_more(medians));
  return interval;
}

}  // namespace rooftile
