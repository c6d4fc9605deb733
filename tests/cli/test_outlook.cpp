// What the page shows beyond the runs, on the recorded profile: the same as `tune` and `predict`
// say, and consistent in itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cli/outlook.hpp"
#include "cli/prediction.hpp"
#include "model/record/data_path.hpp"

namespace rooftile::cli {
namespace {

ProfileInput recorded() {
  ProfileInput input;
  input.profile = DeviceProfile::load(data_path("h200/profile.json"));
  input.kernels = open_kernel_folder(data_path("h200/kernels"));
  return input;
}

const Outlook& outlook() {
  static const Outlook made = outlook_of(available_predictors(recorded()));
  return made;
}

TEST(Outlook, TheBestTileIsTheTopOfTheLandscape) {
  std::size_t compared = 0;
  for (const TileChoice& choice : outlook().choices) {
    EXPECT_GE(choice.ties, 1u);
    EXPECT_LE(choice.ties, choice.considered);
    double least = INFINITY;
    for (const Prediction& p : outlook().landscape)
      if (problem_name(p.problem) == problem_name(choice.best.problem))
        least = std::min(least, p.time_s);
    if (!std::isfinite(least)) continue;
    ++compared;
    EXPECT_DOUBLE_EQ(choice.best.time_s, least) << problem_name(choice.best.problem);
  }
  EXPECT_GE(compared, 1u);
}

TEST(Outlook, IsWhatPredictSays) {
  const ProfileInput profile = recorded();
  for (const auto* list : {&outlook().over_m, &outlook().rasters}) {
    ASSERT_FALSE(list->empty());
    for (std::size_t i = 0; i < list->size(); i += 29) {
      const Prediction& p = (*list)[i];
      const Variant& variant = require_variant(p.variant);
      EXPECT_EQ(p.tile, variant.default_tile);
      const auto predictor = make_predictor(p.predictor, profile.profile, profile.kernels);
      EXPECT_DOUBLE_EQ(predictor->time_s(variant.describe(p.tile, p.problem), p.problem), p.time_s);
    }
  }
}

TEST(Outlook, EveryPredictorWalksOverMAndEveryRasterOverTheSizes) {
  std::set<std::string> predictors, rasters;
  for (const Prediction& p : outlook().over_m) predictors.insert(p.predictor);
  for (const Prediction& p : outlook().rasters)
    rasters.insert(std::string(to_string(p.tile.raster)));
  EXPECT_EQ(predictors, (std::set<std::string>{"analytic", "roofline", "sass"}));
  EXPECT_EQ(rasters.size(), 4u);
}

TEST(Outlook, IsEmptyWithoutPredictors) {
  const Outlook none = outlook_of({});
  EXPECT_TRUE(none.choices.empty() && none.landscape.empty() && none.over_m.empty() &&
              none.rasters.empty());
}

}  // namespace
}  // namespace rooftile::cli
