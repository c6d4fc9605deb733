// Cards that stand apart from their fleet: known answers, the level of the threshold, the floor.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "model/record/fleet.hpp"
#include "model/stats/robust.hpp"
#include "tests/support/record_samples.hpp"
#include "tests/support/schema_errors.hpp"

namespace rooftile::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Profiles = std::vector<DeviceProfile>;

/// One profile a value of `id`, each with a repeat95 of +- `half`; without one where `half` is 0.
Profiles fleet_of(const std::vector<double>& values, double half, const std::string& unit = "cycle",
                  const std::string& id = "l2.latency") {
  Profiles profiles;
  for (const double value : values) {
    DeviceProfile profile = sample_profile();
    profile.metrics.clear();
    profile.environment.gpu_uuid = "GPU-" + std::to_string(profiles.size());
    Metric metric;
    metric.value = value;
    metric.unit = unit;
    if (half > 0) metric.repeat95 = Interval{value - half, value + half};
    profile.metrics[id] = metric;
    profiles.push_back(profile);
  }
  return profiles;
}

std::vector<std::size_t> outliers(const Profiles& profiles, double tolerance = 0) {
  std::vector<std::size_t> found;
  const auto metrics = judge_fleet(profiles, tolerance);
  for (std::size_t i = 0; i < profiles.size(); ++i)
    if (metrics.front().values[i].outlier) found.push_back(i);
  return found;
}

TEST(Fleet, MedianMadDeviationAndZ) {
  const auto metrics = judge_fleet(fleet_of({100, 101, 102, 103, 150}, 0.1), 0);
  ASSERT_EQ(metrics.size(), 1u);
  const FleetMetric& metric = metrics.front();
  EXPECT_EQ(metric.n, 5u);
  EXPECT_DOUBLE_EQ(*metric.median, 102);
  EXPECT_DOUBLE_EQ(*metric.mad, 1);
  EXPECT_DOUBLE_EQ(*metric.values[4].deviation, 48.0 / 102);
  EXPECT_DOUBLE_EQ(*metric.values[4].z, 48 / 1.4826);
  EXPECT_DOUBLE_EQ(*metric.values[0].z, -2 / 1.4826);
}

TEST(Fleet, NamesTheCardThatIsUnlikeTheOthers) {
  EXPECT_THAT(outliers(fleet_of({100, 101, 102, 103, 150}, 0.1)), ElementsAre(4));
  EXPECT_THAT(outliers(fleet_of({50, 101, 102, 103, 104}, 0.1)), ElementsAre(0));
  // t(5) = 18.8 and s = 1.4826: the border lies 27.87 above the median.
  EXPECT_THAT(outliers(fleet_of({100, 101, 102, 103, 129.8}, 0.1)), IsEmpty());
  EXPECT_THAT(outliers(fleet_of({100, 101, 102, 103, 129.9}, 0.1)), ElementsAre(4));
}

TEST(Fleet, NoiseOfACardItselfNamesNobody) {
  // All but one agree to the last digit, and that one lies within what its next run may give.
  EXPECT_THAT(outliers(fleet_of({100, 100, 100, 100, 101}, 2)), IsEmpty());
  EXPECT_THAT(outliers(fleet_of({100, 100, 100, 100, 101}, 0.2)), ElementsAre(4));
  EXPECT_THAT(outliers(fleet_of({100, 100, 100, 100, 101}, 0.2), 0.02), IsEmpty()) << "tolerance";
}

TEST(Fleet, CountsAreExactAndReadingsWithoutIntervalAreNot) {
  EXPECT_THAT(outliers(fleet_of({132, 132, 132, 130}, 0, "count")), ElementsAre(3));
  EXPECT_THAT(outliers(fleet_of({132.5, 132.5, 132.5, 130.5}, 0, "cycle")), IsEmpty());
  EXPECT_THAT(outliers(fleet_of({132.5, 132.5, 132.5, 120.5}, 0, "cycle")), ElementsAre(3));
}

TEST(Fleet, WhatProvesNothingTakesNoPart) {
  Profiles profiles = fleet_of({100, 100, 100, 100, 150, 100, 100, 100}, 0.1);
  profiles[4].metrics["l2.latency"].state = State::suspect;
  profiles[4].metrics["l2.latency"].reason = "hot";
  profiles[5].metrics.clear();
  profiles[6].metrics["l2.latency"].unit = "s";
  profiles[7].metrics["l2.latency"].state = State::failed;
  profiles[7].metrics["l2.latency"].value.reset();
  const FleetMetric metric = judge_fleet(profiles, 0).front();
  EXPECT_EQ(metric.n, 4u);
  EXPECT_EQ(metric.values[4].absent, "suspect: hot");
  EXPECT_EQ(metric.values[5].absent, "missing");
  EXPECT_EQ(metric.values[6].absent, "in s");
  EXPECT_EQ(metric.values[7].absent, "failed");
  EXPECT_THAT(outliers(profiles), IsEmpty());
}

TEST(Fleet, TooFewValuesAreNotJudged) {
  Profiles profiles = fleet_of({100, 100, 100, 500}, 0.1);
  EXPECT_THAT(outliers(profiles), ElementsAre(3));
  profiles[0].metrics.clear();
  const FleetMetric metric = judge_fleet(profiles, 0).front();
  EXPECT_FALSE(metric.judged());
  EXPECT_THAT(outliers(profiles), IsEmpty());
}

TEST(Fleet, IsOfOneModelAndOfFourCards) {
  Profiles profiles = fleet_of({1, 2, 3, 4}, 0.1);
  profiles[2].environment.gpu_name = "NVIDIA Example 200";
  try {
    judge_fleet(profiles, 0);
    FAIL() << "two models";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("NVIDIA Example 200"));
  }
  EXPECT_THROW(judge_fleet(fleet_of({1, 2, 3}, 0.1), 0), InputError);
}

/// Share of fleets of n equal cards in which one lies beyond the threshold, without any floor.
double false_alarms(std::size_t n, int trials) {
  std::mt19937_64 random(n);
  std::normal_distribution<double> noise;
  int named = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> values(n);
    std::generate(values.begin(), values.end(), [&] { return noise(random); });
    const double middle = median(values), s = 1.4826 * median_absolute_deviation(values);
    named += std::any_of(values.begin(), values.end(), [&](double x) {
      return std::fabs(x - middle) > outlier_threshold(n) * s;
    });
  }
  return static_cast<double>(named) / trials;
}

TEST(Fleet, TheThresholdHoldsItsLevel) {
  // At most 1 %, with three standard errors of 20,000 trials; and not so high that it finds
  // nothing.
  for (const std::size_t n : {4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 32})
    EXPECT_LE(false_alarms(n, 20000), 0.01 + 3 * std::sqrt(0.01 * 0.99 / 20000)) << n;
  for (const std::size_t n : {64, 128, 512}) {
    const double share = false_alarms(n, 2000);
    EXPECT_LE(share, 0.01 + 3 * std::sqrt(0.01 * 0.99 / 2000)) << n;
    EXPECT_GT(share, 0.001) << n;
  }
}

TEST(Fleet, JsonFollowsItsSchema) {
  const Profiles profiles = fleet_of({100, 100, 100, 100, 150}, 0.1);
  std::vector<ComparedFile> files;
  for (const DeviceProfile& profile : profiles) files.push_back(compared_file("A", "a", profile));
  const Json json = fleet_json(files, judge_fleet(profiles, 0.01), 0.01);
  EXPECT_EQ(schema_errors("fleet", json), "");
  EXPECT_TRUE(json.at("metrics").at(0).at("values").at(4).at("z").is_null()) << "MAD is 0";
  EXPECT_TRUE(json.at("metrics").at(0).at("values").at(4).at("outlier"));
}

}  // namespace
}  // namespace rooftile::test
