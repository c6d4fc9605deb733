// Error and rank statistics of predictions against measurements.
#pragma once

#include <span>
#include <vector>

namespace rooftile {

/// Mean of |error|; 0 for an empty span. MAPE when errors are (predicted - measured) / measured.
double mean_absolute(std::span<const double> errors);
/// Mean of the signed errors; 0 for an empty span.
double mean(std::span<const double> errors);
/// Kendall's tau-b (Kendall 1945): (C - D) / sqrt((n0 - n1) (n0 - n2)), where pairs tied in x or y
/// are removed from the denominator. O(n log n) (Knight 1966). 0 when either side is all ties.
/// Spans of equal length of at least 2.
double kendall_tau_b(std::span<const double> x, std::span<const double> y);

/// Regret of choosing by `predicted` among the same things timed as `measured`: the fastest
/// measured of the `k` fastest predicted over the fastest of all, minus 1. Equal predictions are
/// taken in input order. Spans of equal length, not empty, measured > 0; k >= 1.
double regret(std::span<const double> predicted, std::span<const double> measured, std::size_t k);

/// exp(mean(log(1 + r))) - 1; 0 for an empty span.
double aggregate_regret(std::span<const double> regrets);

}  // namespace rooftile
