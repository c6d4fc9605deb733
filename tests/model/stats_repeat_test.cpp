// Student's quantiles against the table, and the repeat interval against its promise: in simulated
// runs with scatter inside rounds and between them, another run's median falls inside.
#include <gtest/gtest.h>

#include <random>

#include "model/stats/repeat.hpp"
#include "model/stats/robust.hpp"

namespace rooftile {
namespace {

TEST(Student, EqualsTheTable) {
  // Abramowitz and Stegun, table 26.10, two-sided 95 %.
  const std::pair<int, double> table[] = {{1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},
                                          {5, 2.571},  {10, 2.228}, {20, 2.086}, {120, 1.980}};
  for (const auto& [freedom, value] : table)
    EXPECT_NEAR(student_975(freedom), value, 0.01 * value) << freedom;
  EXPECT_THROW(student_975(0), std::logic_error);
}

using Rounds = std::vector<std::vector<double>>;

Rounds run(std::mt19937& random, int rounds, int repetitions, double between, double within) {
  std::normal_distribution<double> unit;
  Rounds all;
  for (int r = 0; r < rounds; ++r) {
    const double level = 100 + between * unit(random);
    std::vector<double> values;
    for (int i = 0; i < repetitions; ++i) values.push_back(level + within * unit(random));
    all.push_back(std::move(values));
  }
  return all;
}

double pooled_median(const Rounds& rounds) {
  std::vector<double> all;
  for (const auto& round : rounds) all.insert(all.end(), round.begin(), round.end());
  return median(all);
}

/// Share of pairs of runs in which the interval of the first holds the median of the second.
double coverage(int rounds, int repetitions, double between, double within) {
  std::mt19937 random(7);
  int held = 0;
  const int pairs = 2000;
  for (int i = 0; i < pairs; ++i) {
    const Interval interval = repeat_interval(run(random, rounds, repetitions, between, within));
    const double other = pooled_median(run(random, rounds, repetitions, between, within));
    held += interval.lo <= other && other <= interval.hi;
  }
  return static_cast<double>(held) / pairs;
}

TEST(RepeatInterval, CoversAnotherRun) {
  EXPECT_GE(coverage(3, 7, 0.0, 1.0), 0.95);
  EXPECT_GE(coverage(3, 7, 1.0, 0.1), 0.95);
  EXPECT_GE(coverage(3, 7, 1.0, 0.0), 0.95);
  EXPECT_GE(coverage(3, 7, 0.5, 0.5), 0.95);
  EXPECT_GE(coverage(1, 7, 0.0, 1.0), 0.95);
}

TEST(RepeatInterval, RoundsRevealWhatOneRoundCannotSee) {
  EXPECT_LT(coverage(1, 7, 1.0, 0.1), 0.5);  // the reason for rounds
}

TEST(RepeatInterval, HoldsTheMedianAndShrinksToItWithoutScatter) {
  const Rounds same = {{5, 5, 5}, {5, 5, 5}};
  const Interval interval = repeat_interval(same);
  EXPECT_EQ(interval.lo, 5);
  EXPECT_EQ(interval.hi, 5);
  const Rounds one = {{5}};
  EXPECT_THROW(repeat_interval(one), std::logic_error);
}

}  // namespace
}  // namespace rooftile
