// A persistent grid in the closed forms: what it saves, and what it does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/predict/predictor.hpp"
#include "tests/model/h200_fixture.hpp"

namespace rooftile::persistent_grid {
namespace {

constexpr int sms = 132, resident = 2;
constexpr double block_cost = 300, step = 40;

/// A column of tiles.
GemmProblem column(std::int64_t tiles) { return make_problem(128 * tiles, 128, 1024); }

KernelDescription kernel(const GemmProblem& problem, bool persistent) {
  const Tile tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8, .stages = 2};
  KernelDescription k = test::tiled_kernel(tile, problem, true);
  k.persistent = persistent;
  return k;
}

Prediction predicted(const std::string& predictor, std::int64_t tiles, bool persistent) {
  const GemmProblem problem = column(tiles);
  return make_predictor(predictor, test::h200())->explain(kernel(problem, persistent), problem);
}

/// From no tile to more than three rounds: each end of a round and its neighbours.
constexpr std::int64_t counts[] = {1,   2,   131, 132, 133, 263, 264, 265,
                                   395, 396, 397, 528, 529, 791, 792, 793};

TEST(Persistent, AsMuchAsItsBlocksIsTheKernelThatItComesFrom) {
  for (const std::int64_t tiles : counts) {
    if (tiles > sms * resident) continue;
    for (const char* name : {"roofline", "analytic"}) {
      const Prediction walked = predicted(name, tiles, true), plain = predicted(name, tiles, false);
      EXPECT_EQ(walked.time_s, plain.time_s) << name << ' ' << tiles;
      EXPECT_EQ(walked.occupancy_blocks_per_sm, resident);
    }
  }
}

TEST(Persistent, FurtherRoundsTakeAStepInPlaceOfBlocksThatStart) {
  for (const std::int64_t tiles : counts) {
    const Prediction walked = predicted("analytic", tiles, true);
    const Prediction plain = predicted("analytic", tiles, false);
    double saved = 0;
    for (std::int64_t left = tiles - sms * resident; left > 0; left -= sms * resident)
      saved += (left > sms ? 2 : 1) * block_cost - step;
    EXPECT_NEAR((plain.time_s - walked.time_s) * plain.clock_hz, saved, 1) << tiles;
    EXPECT_EQ(walked.l2_hit_rate, plain.l2_hit_rate);
    EXPECT_EQ(walked.waves, plain.waves);
  }
}

TEST(Persistent, MoreTilesNeverTakeLessAndNoneBeatsTheRoofline) {
  double before = 0;
  for (const std::int64_t tiles : counts) {
    const double time = predicted("analytic", tiles, true).time_s;
    EXPECT_GE(time, before) << tiles;
    EXPECT_GT(time, predicted("roofline", tiles, true).time_s) << tiles;
    before = time;
  }
}

TEST(Persistent, OneTileMoreThanFitsIsARoundMore) {
  const auto time = [](std::int64_t tiles) { return predicted("analytic", tiles, true).time_s; };
  const double alone = time(1), round = time(sms * resident);
  const double further = time(sms * resident + 1) - round;
  EXPECT_GT(further, 0.8 * (alone - 2.2e-6));
  EXPECT_LT(further, alone);
}

TEST(Persistent, TheStepIsReadForItAlone) {
  const auto reads = [](bool persistent) {
    const std::vector<std::string> inputs = predicted("analytic", 600, persistent).inputs;
    return std::count(inputs.begin(), inputs.end(), "persistent_step.static");
  };
  EXPECT_EQ(reads(true), 1);
  EXPECT_EQ(reads(false), 0);
}

TEST(Persistent, WithoutAMeasuredStepItIsABarrier) {
  DeviceProfile without = test::h200();
  without.metrics.erase("persistent_step.static");
  const GemmProblem problem = column(529);
  const KernelDescription k = kernel(problem, true);
  const Prediction with_step = make_predictor("analytic", test::h200())->explain(k, problem);
  const Prediction with_barrier = make_predictor("analytic", without)->explain(k, problem);
  constexpr double barrier = 30, later_rounds = 2;
  EXPECT_NEAR((with_step.time_s - with_barrier.time_s) * with_step.clock_hz,
              later_rounds * (step - barrier), 0.1);
}

}  // namespace
}  // namespace rooftile::persistent_grid
