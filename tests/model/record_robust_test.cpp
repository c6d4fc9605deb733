// Robust statistics against worked values and against their definitions on random data.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "model/stats/robust.hpp"

namespace rooftile::test {
namespace {

using Values = std::vector<double>;

TEST(Robust, WorkedExamples) {
  EXPECT_EQ(median(Values{3, 1, 2}), 2);
  EXPECT_EQ(median(Values{4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median_absolute_deviation(Values{1, 1, 2, 2, 4, 6, 9}), 1);
  EXPECT_EQ(quantile(Values{1, 2, 3, 4}, 0.25), 1.75);
  EXPECT_EQ(quantile(Values{1, 2, 3, 4}, 0), 1);
  EXPECT_EQ(quantile(Values{1, 2, 3, 4}, 1), 4);
  EXPECT_EQ(quantile(Values{7}, 0.3), 7);
  EXPECT_THROW(median(Values{}), std::logic_error);
  EXPECT_THROW(quantile(Values{1}, 1.1), std::logic_error);
  EXPECT_THROW(quantile(Values{1}, std::nan("")), std::logic_error);
}

/// Ranks and coverage from tables of the sign test (Conover, table A3): 1-based (1, 6) at 96.9 %
/// for n = 6, (2, 9) at 97.9 % for n = 10, (6, 15) at 95.9 % for n = 20, (40, 61) at 96.5 % for
/// 100.
TEST(Robust, RanksMatchPublishedTables) {
  const auto expect = [](std::size_t n, std::size_t lo, std::size_t hi, double coverage) {
    const auto ranks = median_ranks(n);
    EXPECT_EQ(ranks.lo + 1, lo) << n;
    EXPECT_EQ(ranks.hi + 1, hi) << n;
    EXPECT_NEAR(ranks.coverage, coverage, 5e-4) << n;
  };
  expect(6, 1, 6, 0.969);
  expect(7, 1, 7, 0.984);
  expect(10, 2, 9, 0.979);
  expect(20, 6, 15, 0.959);
  expect(100, 40, 61, 0.965);
  expect(5, 1, 5, 0.9375);
  expect(1, 1, 1, 0);
}

TEST(Robust, RanksAreTheInnermostThatCover) {
  for (std::size_t n = 6; n < 1500; n += n < 60 ? 1 : 97) {
    const auto ranks = median_ranks(n);
    EXPECT_GE(ranks.coverage, 0.95);
    EXPECT_LE(ranks.coverage, 1);
    EXPECT_EQ(ranks.lo + ranks.hi, n - 1);
    EXPECT_LE(ranks.lo, ranks.hi);
    EXPECT_LT(median_ranks(n, ranks.coverage + 1e-9).lo, std::max<std::size_t>(ranks.lo, 1));
  }
}

TEST(Robust, IntervalHoldsTheMedian) {
  EXPECT_TRUE(rc::check("lo <= median <= hi, and quantiles are monotone", [] {
    const auto values = *rc::gen::nonEmpty(rc::gen::container<Values>(
        rc::gen::map(rc::gen::inRange(-1000, 1000), [](int v) { return v / 8.0; })));
    const auto interval = median_interval(values);
    RC_ASSERT(interval.lo <= median(values));
    RC_ASSERT(median(values) <= interval.hi);
    RC_ASSERT(quantile(values, 0.5) == median(values));
    RC_ASSERT(quantile(values, 0.05) <= quantile(values, 0.95));
  }));
}

/// 2000 samples of 21 from a skewed distribution: the interval must hold the true median, ln 2, in
/// at least 95 % of cases (97.3 % by the binomial; three standard errors below that is 96.2 %).
TEST(Robust, CoverageHoldsOnSkewedData) {
  std::mt19937_64 engine(1);
  std::exponential_distribution<double> exponential(1);
  int covered = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Values values(21);
    for (auto& value : values) value = exponential(engine);
    const auto interval = median_interval(values);
    covered += interval.lo <= std::log(2.0) && std::log(2.0) <= interval.hi ? 1 : 0;
  }
  EXPECT_GE(covered, 2000 * 0.95);
  EXPECT_NEAR(covered / 2000.0, median_ranks(21).coverage, 0.012);
}

}  // namespace
}  // namespace rooftile::test
