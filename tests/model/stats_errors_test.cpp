// Error and rank statistics against their definitions.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <numeric>

#include "model/predict/conformal.hpp"
#include "model/stats/errors.hpp"

namespace rooftile {
namespace {

/// Kendall's definition, pair by pair.
double tau_by_definition(const std::vector<double>& x, const std::vector<double>& y) {
  double score = 0, x_pairs = 0, y_pairs = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const int sx = (x[i] > x[j]) - (x[i] < x[j]), sy = (y[i] > y[j]) - (y[i] < y[j]);
      score += sx * sy;
      x_pairs += sx != 0;
      y_pairs += sy != 0;
    }
  return x_pairs > 0 && y_pairs > 0 ? score / std::sqrt(x_pairs * y_pairs) : 0;
}

TEST(KendallTau, EqualsDefinitionWithTies) {
  EXPECT_TRUE(rc::check("tau-b", [] {
    const std::size_t n = *rc::gen::inRange<std::size_t>(2, 60);
    std::vector<double> x(n), y(n);
    const int values = *rc::gen::element(2, 5, 1000);
    for (auto& v : x) v = *rc::gen::inRange(0, values);
    for (auto& v : y) v = *rc::gen::inRange(0, values);
    const double tau = kendall_tau_b(x, y);
    RC_ASSERT(std::abs(tau - tau_by_definition(x, y)) < 1e-12);
    RC_ASSERT(std::abs(tau) <= 1);
    RC_ASSERT(std::abs(tau - kendall_tau_b(y, x)) < 1e-12);
  }));
}

TEST(KendallTau, Extremes) {
  const std::vector<double> up = {1, 2, 3, 4}, down = {4, 3, 2, 1}, flat = {1, 1, 1, 1};
  EXPECT_DOUBLE_EQ(kendall_tau_b(up, up), 1);
  EXPECT_DOUBLE_EQ(kendall_tau_b(up, down), -1);
  EXPECT_DOUBLE_EQ(kendall_tau_b(up, flat), 0);
}

TEST(KendallTau, APerfectOrderIsOneToTheBit) {
  for (std::size_t n = 2; n < 300; ++n) {
    std::vector<double> up(n);
    std::iota(up.begin(), up.end(), 1.0);
    EXPECT_EQ(kendall_tau_b(up, up), 1) << n;
  }
}

TEST(Regret, OfTheChosen) {
  const std::vector<double> predicted = {1, 2, 3}, measured = {12, 10, 11};
  EXPECT_NEAR(regret(predicted, measured, 1), 0.2, 1e-15);
  EXPECT_DOUBLE_EQ(regret(predicted, measured, 2), 0);
  EXPECT_DOUBLE_EQ(regret(predicted, measured, 99), 0);
}

TEST(Regret, FallsWithMoreChoices) {
  EXPECT_TRUE(rc::check("monotone in k", [] {
    const std::size_t n = *rc::gen::inRange<std::size_t>(1, 30);
    std::vector<double> p(n), m(n);
    for (auto& v : p) v = *rc::gen::inRange(1, 100);
    for (auto& v : m) v = *rc::gen::inRange(1, 100);
    double before = regret(p, m, 1);
    for (std::size_t k = 2; k <= n; ++k) {
      RC_ASSERT(regret(p, m, k) <= before);
      before = regret(p, m, k);
    }
    RC_ASSERT(regret(p, m, n) == 0.0);
    RC_ASSERT(regret(m, m, 1) == 0.0);
  }));
}

TEST(Errors, MeansAndAggregate) {
  const std::vector<double> errors = {0.1, -0.3};
  EXPECT_DOUBLE_EQ(mean_absolute(errors), 0.2);
  EXPECT_NEAR(mean(errors), -0.1, 1e-15);
  const std::vector<double> regrets = {0.0, 0.21};
  EXPECT_NEAR(aggregate_regret(regrets), 0.1, 1e-12);
  EXPECT_DOUBLE_EQ(aggregate_regret({}), 0);
}

TEST(Conformal, RankAndTooFewScores) {
  std::vector<double> scores = {9, 1, 8, 2, 7, 3, 6, 4, 5};
  ASSERT_TRUE(calibrate(scores, 0.9));
  EXPECT_DOUBLE_EQ(calibrate(scores, 0.9)->log_half_width, 9);  // ceil(10 x 0.9) = 9th of 9
  EXPECT_DOUBLE_EQ(calibrate(scores, 0.5)->log_half_width, 5);
  scores.pop_back();
  EXPECT_FALSE(calibrate(scores, 0.9));  // ceil(9 x 0.9) = 9 > 8
  const Interval i = conformal_interval({std::log(2), 9, 0.9}, 3);
  EXPECT_NEAR(i.lo, 1.5, 1e-12);
  EXPECT_NEAR(i.hi, 6, 1e-12);
}

TEST(Conformal, CoversExchangeablePairs) {
  EXPECT_TRUE(rc::check("leave one out covers at least the goal", [] {
    const std::size_t n = *rc::gen::inRange<std::size_t>(20, 60);
    std::vector<double> scores(n);
    for (auto& v : scores) v = *rc::gen::inRange(0, 1000);
    std::size_t inside = 0;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> others = scores;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      inside += scores[i] <= calibrate(others, 0.9)->log_half_width;
    }
    RC_ASSERT(static_cast<double>(inside) >= 0.9 * static_cast<double>(n) - 1e-9);
  }));
}

}  // namespace
}  // namespace rooftile
