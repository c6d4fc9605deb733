// Steps of curves: synthetic staircases over their whole domain, and the recorded curves of an
// H200, whose steps a single broad ramp once hid.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "micro/knees.hpp"
#include "model/profile/device_profile.hpp"
#include "model/record/data_path.hpp"

namespace rooftile::micro {
namespace {

struct Staircase {
  std::vector<double> x, y;
};

/// Levels 1, 1 + rise, ... that change between `edges` and 1.2 times those, four points an octave.
Staircase staircase(const std::vector<double>& edges, double rise) {
  Staircase stair;
  for (double u = 0; u <= 20; u += 0.25) {
    const double x = std::exp2(u);
    double y = 1;
    for (const double edge : edges)
      y += rise * std::clamp((u - std::log2(edge)) / std::log2(1.2), 0.0, 1.0);
    stair.x.push_back(x);
    stair.y.push_back(y);
  }
  return stair;
}

TEST(Knees, EveryStepOfAStaircaseIsFoundWhereItIs) {
  EXPECT_TRUE(rc::check("staircase", [] {
    const int steps = *rc::gen::inRange(0, 4);
    const double rise = *rc::gen::inRange(2, 40) / 10.0;
    std::vector<double> edges;
    for (int k = 0; k < steps; ++k)
      edges.push_back(std::exp2(3 + 5 * k + *rc::gen::inRange(0, 20) / 10.0));
    const Staircase stair = staircase(edges, rise);
    const std::vector<Knee> found = fit_steps(stair.x, stair.y, 4);
    RC_ASSERT(found.size() == edges.size());
    for (std::size_t k = 0; k < edges.size(); ++k)
      RC_ASSERT(std::abs(std::log2(found[k].position / edges[k])) < 0.3);
  }));
}

std::vector<Knee> knees_of(const std::string& id, double min_rise) {
  const DeviceProfile profile = DeviceProfile::load(data_path("h200/profile.json"));
  const Curve& curve = profile.curve(id);
  return fit_steps(curve.x, curve.y, 4, {.noise = 0.003, .min_rise = min_rise});
}

TEST(Knees, TheRecordedLatencyHasItsThreeSteps) {
  const std::vector<Knee> found = knees_of("memory.latency.over_footprint", 0.03);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_NEAR(found[0].position, 230e3, 10e3);  // L1, 228 KiB of an SM's array
  EXPECT_NEAR(found[1].position, 28e6, 1e6);    // one L2 partition
  EXPECT_NEAR(found[2].position, 61e6, 6e6);    // L2
}

/// Seven repetitions around a step, `with` of which have it.
std::vector<std::vector<double>> repetitions(const Staircase& stair, std::size_t with) {
  std::vector<std::vector<double>> all(7, std::vector<double>(stair.y.size(), 1.0));
  std::fill_n(all.begin(), with, stair.y);
  return all;
}

TEST(Knees, AStepThatFewRepetitionsShowIsToldAsNone) {
  const Staircase stair = staircase({64}, 1);
  const std::vector<Knee> knees = fit_steps(stair.x, stair.y, 1);
  ASSERT_EQ(knees.size(), 1U);
  for (std::size_t with = 0; with <= 7; ++with) {
    const auto positions = knee_positions(stair.x, repetitions(stair, with), knees);
    EXPECT_EQ(positions.at(0).size(), with);
    EXPECT_EQ(why_no_step(positions[0].size(), 7).empty(), with >= 5) << with;
  }
  EXPECT_NE(why_no_step(4, 7).find("only 4 of 7"), std::string::npos);
}

TEST(Knees, TheRecordedInstructionFetchHasItsTwoSteps) {
  const std::vector<Knee> all = knees_of("instruction_cache.cycles.one_warp", 0.02);
  std::vector<Knee> rising;
  for (const Knee& knee : all)
    if (knee.after > knee.before) rising.push_back(knee);
  ASSERT_EQ(rising.size(), 2U);
  EXPECT_NEAR(rising[0].position, 32e3, 1e3);
  EXPECT_NEAR(rising[1].position, 129e3, 2e3);
}

}  // namespace
}  // namespace rooftile::micro
