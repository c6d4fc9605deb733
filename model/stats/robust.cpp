// Order statistics. The interval of the median is a pair of them (see median_ranks); binomial tails
// are summed through logarithms.
#include "model/stats/robust.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace rooftile {
namespace {

std::vector<double> sorted(std::span<const double> values) {
  if (values.empty()) throw std::logic_error("statistics of no values");
  std::vector<double> result(values.begin(), values.end());
  std::sort(result.begin(), result.end());
  return result;
}

double median_of_sorted(const std::vector<double>& values) {
  const std::size_t half = values.size() / 2;
  if (values.size() % 2 == 1) return values[half];
  return values[half - 1] + (values[half] - values[half - 1]) / 2;
}

/// P(Binomial(n, 1/2) = k), through logarithms so that n in the thousands does not underflow.
double binomial_half(std::size_t n, std::size_t k) {
  const auto real_n = static_cast<double>(n), real_k = static_cast<double>(k);
  const double log_choose =
      std::lgamma(real_n + 1) - std::lgamma(real_k + 1) - std::lgamma(real_n - real_k + 1);
  return std::exp(log_choose - real_n * std::log(2.0));
}

}  // namespace

double median(std::span<const double> values) { return median_of_sorted(sorted(values)); }

double median_absolute_deviation(std::span<const double> values) {
  const double center = median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - center));
  return median(deviations);
}

double quantile(std::span<const double> values, double p) {
  if (!(p >= 0 && p <= 1)) throw std::logic_error("quantile outside [0, 1]");
  const auto ordered = sorted(values);
  const double position = p * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= ordered.size()) return ordered.back();
  const double fraction = position - static_cast<double>(below);
  return ordered[below] + fraction * (ordered[below + 1] - ordered[below]);
}

// The interval [x_(r+1), x_(n-r)] (1-based) misses the median when at most r values fall on one
// side: coverage = 1 - 2 P(Binomial(n, 1/2) <= r).
MedianRanks median_ranks(std::size_t n, double confidence) {
  if (n == 0) throw std::logic_error("statistics of no values");
  double tail = binomial_half(n, 0);
  MedianRanks ranks{0, n - 1, std::max(0.0, 1 - 2 * tail)};
  for (std::size_t r = 1; 2 * r < n; ++r) {
    tail += binomial_half(n, r);
    if (1 - 2 * tail < confidence) break;
    ranks = {r, n - 1 - r, 1 - 2 * tail};
  }
  return ranks;
}

Interval median_interval(std::span<const double> values, double confidence) {
  const auto ordered = sorted(values);
  const auto ranks = median_ranks(ordered.size(), confidence);
  return {ordered[ranks.lo], ordered[ranks.hi]};
}

}  // namespace rooftile
