// Robust statistics of repeated measurements: median, median absolute deviation, quantiles and a
// distribution-free confidence interval of the median. No outlier is ever removed: these
// estimators bear them.
//
// Sources: order-statistic interval for a quantile: Conover, Practical Nonparametric Statistics,
// 3rd ed., section 3.2; quantile type 7 (linear interpolation of order statistics): Hyndman and
// Fan, Sample Quantiles in Statistical Packages, 1996.
#pragma once

#include <cstddef>
#include <span>

#include "model/profile/device_profile.hpp"

namespace rooftile {

/// Middle of the sorted values, or the mean of the middle two. Throws std::logic_error when empty,
/// as do all functions here.
double median(std::span<const double> values);

/// Median of |x - median(x)|, not scaled.
double median_absolute_deviation(std::span<const double> values);

/// Type-7 quantile, 0 <= p <= 1.
double quantile(std::span<const double> values, double p);

/// Ranks (0-based, inclusive) of the order statistics that enclose the median.
struct MedianRanks {
  std::size_t lo = 0, hi = 0;
  double coverage = 0;  ///< exact, from Binomial(n, 1/2)
};

/// The innermost symmetric ranks whose coverage is at least `confidence`. Where even the extremes
/// do not reach it (n < 6 at 95 %), the extremes with the coverage they have.
MedianRanks median_ranks(std::size_t n, double confidence = 0.95);

/// Interval of the median from median_ranks(). Pitfall: for n < 6 it covers less than 95 %.
Interval median_interval(std::span<const double> values, double confidence = 0.95);

}  // namespace rooftile
