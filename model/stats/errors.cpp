// Kendall's tau-b in O(n log n) by counting inversions while merging (Knight, JASA 61, 1966); the
// other measures are sums.
#include "model/stats/errors.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace rooftile {
namespace {

/// Pairs of equal neighbours in a sorted sequence, summed over runs.
template <typename Equal>
std::int64_t tied_pairs(std::size_t n, const Equal& equal) {
  std::int64_t pairs = 0, run = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    if (i < n && equal(i - 1, i)) {
      ++run;
    } else {
      pairs += run * (run - 1) / 2;
      run = 1;
    }
  }
  return pairs;
}

/// Strict inversions of `values`, which is sorted on return.
std::int64_t count_inversions(std::vector<double>& values, std::vector<double>& scratch,
                              std::size_t begin, std::size_t end) {
  if (end - begin < 2) return 0;
  const std::size_t middle = begin + (end - begin) / 2;
  std::int64_t count = count_inversions(values, scratch, begin, middle) +
                       count_inversions(values, scratch, middle, end);
  std::size_t left = begin, right = middle, out = begin;
  while (left < middle || right < end) {
    const bool take_left = right == end || (left < middle && values[left] <= values[right]);
    if (!take_left) count += static_cast<std::int64_t>(middle - left);
    scratch[out++] = take_left ? values[left++] : values[right++];
  }
  std::copy(scratch.begin() + static_cast<std::ptrdiff_t>(begin),
            scratch.begin() + static_cast<std::ptrdiff_t>(end),
            values.begin() + static_cast<std::ptrdiff_t>(begin));
  return count;
}

}  // namespace

double mean_absolute(std::span<const double> errors) {
  double sum = 0;
  for (const double e : errors) sum += std::abs(e);
  return errors.empty() ? 0 : sum / static_cast<double>(errors.size());
}

double mean(std::span<const double> errors) {
  const double sum = std::accumulate(errors.begin(), errors.end(), 0.0);
  return errors.empty() ? 0 : sum / static_cast<double>(errors.size());
}

double kendall_tau_b(std::span<const double> x, std::span<const double> y) {
  const std::size_t n = x.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return x[a] != x[b] ? x[a] < x[b] : y[a] < y[b]; });
  const auto x_at = [&](std::size_t i) { return x[order[i]]; };
  const auto y_at = [&](std::size_t i) { return y[order[i]]; };
  const std::int64_t tied_x =
      tied_pairs(n, [&](std::size_t a, std::size_t b) { return x_at(a) == x_at(b); });
  const std::int64_t tied_both = tied_pairs(
      n, [&](std::size_t a, std::size_t b) { return x_at(a) == x_at(b) && y_at(a) == y_at(b); });
  std::vector<double> by_x(n), scratch(n);
  for (std::size_t i = 0; i < n; ++i) by_x[i] = y_at(i);
  const std::int64_t discordant = count_inversions(by_x, scratch, 0, n);
  const std::int64_t tied_y =
      tied_pairs(n, [&](std::size_t a, std::size_t b) { return by_x[a] == by_x[b]; });
  const auto all = static_cast<std::int64_t>(n * (n - 1) / 2);
  const std::int64_t concordant = all - tied_x - tied_y + tied_both - discordant;
  // The root of a square is exact, the product of two roots is not: no order is better than 1.
  const double scale =
      std::sqrt(static_cast<double>(all - tied_x) * static_cast<double>(all - tied_y));
  return scale > 0 ? static_cast<double>(concordant - discordant) / scale : 0;
}

double regret(std::span<const double> predicted, std::span<const double> measured, std::size_t k) {
  std::vector<std::size_t> order(predicted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return predicted[a] < predicted[b]; });
  double chosen = measured[order[0]];
  for (std::size_t i = 1; i < std::min(k, order.size()); ++i)
    chosen = std::min(chosen, measured[order[i]]);
  return chosen / *std::min_element(measured.begin(), measured.end()) - 1;
}

double aggregate_regret(std::span<const double> regrets) {
  double sum = 0;
  for (const double r : regrets) sum += std::log1p(r);
  return regrets.empty() ? 0 : std::expm1(sum / static_cast<double>(regrets.size()));
}

}  // namespace rooftile
