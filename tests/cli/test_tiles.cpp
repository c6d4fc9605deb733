// Tiles other than the defaults, as far as no GPU is needed: what would be compiled, what is
// refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "data_fixture.hpp"

namespace rooftile::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(Tiles, DryRunSaysWhatWouldBeCompiled) {
  const ProcessResult result = data_fixture().run(
      {"measure", "--dry-run", "--shape", "512", "--variants", "raster_swizzle", "--tile",
       "raster_group=8", "raster_group=5", "BM=64,WM=32,WN=64", "BM=96", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json plan = json::parse(result.out).at("plan");
  ASSERT_EQ(plan.size(), 3U);
  EXPECT_EQ(plan[0].at("compiled"), "ahead of time");
  EXPECT_EQ(plan[1].at("compiled"), "ahead of time");
  EXPECT_EQ(plan[2].at("compiled"), "at run time");
  EXPECT_GT(plan[2].at("estimated_s"), plan[1].at("estimated_s"));
  EXPECT_THAT(result.err, HasSubstr("left out: raster_swizzle, 96x128"));
}

TEST(Tiles, TuneMeasuresNoSealedPair) {
  const ProcessResult result =
      data_fixture().run({"tune", "--shape", "192", "--variant", "naive", "--measure", "1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("sealed"));
}

}  // namespace
}  // namespace rooftile::cli
