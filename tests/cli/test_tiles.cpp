// Tiles other than the defaults, as far as no GPU is needed: what would be compiled, what is
// refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "data_fixture.hpp"
#include "gemm/variant.hpp"
#include "tests/support/temporary_folder.hpp"

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

TEST(Tiles, ASuiteThatNamesItsKernelsLeavesNoneToTheOptions) {
  const test::TemporaryFolder folder;
  const std::string suite = folder / "suite.json";
  write_text_file(suite, R"({"schema": "rooftile.suite", "schema_version": 1, "shapes": ["128"],
                             "kernels": [{"variant": "warp_tile", "tile": "64x64x8/8x8/64x32"},
                                         {"variant": "cublas"}]})");
  const std::vector<std::string> asked{"measure", "--dry-run", "--suite", suite};
  const auto with = [&asked](std::vector<std::string> more) {
    more.insert(more.begin(), asked.begin(), asked.end());
    return data_fixture().run(more);
  };
  const ProcessResult whole = with({"--json", "-"});
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const json plan = json::parse(whole.out).at("plan");
  ASSERT_EQ(plan.size(), 2U);
  EXPECT_EQ(plan[0].at("tile").at("BM"), 64);
  EXPECT_EQ(with({"--filter", "^cublas"}).exit_code, 0);
  for (const auto& option :
       {std::vector<std::string>{"--variants", "naive"}, {"--tile", "BM=64"}}) {
    const ProcessResult refused = with(option);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("names its kernels"));
  }
}

/// Shapes of the command line replace a suite's, for those who measure and those who predict.
TEST(Tiles, ASuitesKernelsOnOtherShapes) {
  const test::TemporaryFolder folder;
  const std::string kernels = folder / "kernels.json", shapes = folder / "shapes.json";
  write_text_file(kernels, R"({"schema": "rooftile.suite", "schema_version": 1, "shapes": ["128"],
                               "kernels": [{"variant": "warp_tile", "tile": "64x64x8/8x8/64x32"},
                                           {"variant": "naive"}, {"variant": "cublas"}]})");
  write_text_file(shapes,
                  R"({"schema": "rooftile.suite", "schema_version": 1, "shapes": ["128"]})");
  const auto run = [](std::vector<std::string> arguments) { return data_fixture().run(arguments); };
  const auto cells = [&run](std::vector<std::string> arguments, const char* list) {
    arguments.insert(arguments.end(), {"--json", "-", "--quiet"});
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<std::string> names;
    const json document = json::parse(result.out);
    for (const json& cell : document.at(list))
      names.push_back(cell.at("variant").get<std::string>() + " " +
                      std::to_string(cell.at("problem").at("M").get<int>()));
    return names;
  };
  using testing::ElementsAre;
  using testing::UnorderedElementsAre;
  EXPECT_THAT(cells({"predict", "--suite", kernels}, "predictions"),
              UnorderedElementsAre("naive 128", "warp_tile 128"));
  EXPECT_THAT(
      cells({"predict", "--suite", kernels, "--shape", "256", "--filter", "^warp"}, "predictions"),
      ElementsAre("warp_tile 256"));
  EXPECT_THAT(cells({"predict", "--suite", shapes, "--variant", "naive"}, "predictions"),
              ElementsAre("naive 128"));
  const ProcessResult plan =
      run({"measure", "--dry-run", "--suite", kernels, "--shape", "256", "--json", "-"});
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_EQ(json::parse(plan.out).at("plan").size(), 3U);

  const std::vector<std::pair<std::vector<std::string>, const char*>> refused{
      {{"predict"}, "--shape or --suite is required"},
      {{"predict", "--suite", kernels, "--variant", "naive"}, "names its kernels"},
      {{"predict", "--suite", kernels, "--tile", "BM=64"}, "names its kernels"},
      {{"predict", "--suite", shapes, "--shape", "256"}, "names shapes alone"},
      {{"measure", "--dry-run", "--suite", shapes, "--shape", "256"}, "names shapes alone"},
      {{"predict", "--suite", kernels, "--filter", "^vectorized$"}, "none of its kernels"},
      {{"predict", "--suite", folder / "absent.json"}, "absent.json"}};
  for (const auto& [arguments, text] : refused) {
    const ProcessResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << testing::PrintToString(arguments);
    EXPECT_THAT(result.err, HasSubstr(text));
  }
}

TEST(Tiles, ASuiteOfAnIllegalTileCannotBePredicted) {
  const test::TemporaryFolder folder;
  const std::string suite = folder / "suite.json";
  write_text_file(suite, R"({"schema": "rooftile.suite", "schema_version": 1, "shapes": ["128"],
                             "kernels": [{"variant": "warp_tile", "tile": "96x128x8/8x8/64x32"}]})");
  const ProcessResult result = data_fixture().run({"predict", "--suite", suite});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr(suite + ": warp_tile cannot be 96x128x8"));
}

/// Which file that is, also where nobody named it.
TEST(Tiles, TheDefaultSuiteMayNameItsKernelsToo) {
  const test::TemporaryFolder data;
  write_text_file(data / "suite.json", R"({"schema": "rooftile.suite", "schema_version": 1,
                                           "shapes": ["128"], "kernels": [{"variant": "naive"}]})");
  ProcessOptions with_data;
  with_data.environment = {"ROOFTILE_DATA_DIR=" + data.path()};
  const ProcessResult refused =
      rooftile_process({"measure", "--dry-run", "--variants", "naive"}, with_data);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr(data / "suite.json" + " names its kernels"));
}

/// Thousands, so only where they are asked for; each in the form that --tile and suites read.
TEST(Tiles, ListNamesEveryLegalTile) {
  const ProcessResult result =
      data_fixture().run({"list", "tiles", "--filter", "^smem_tile$", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json tiles = json::parse(result.out).at("tiles");
  const Variant& variant = require_variant("smem_tile");
  std::size_t legal = 0;
  for (const Tile& tile : variant.tile_space()) legal += variant.illegal(tile) ? 0 : 1;
  EXPECT_EQ(tiles.size(), legal);
  for (const json& row : tiles)
    EXPECT_FALSE(variant.illegal(parse_tile(row.at("tile").get<std::string>(), Tile{}))) << row;
  EXPECT_FALSE(json::parse(data_fixture().run({"list", "--json", "-"}).out).contains("tiles"));
}

TEST(Tiles, TuneMeasuresNoSealedPair) {
  const ProcessResult result =
      data_fixture().run({"tune", "--shape", "192", "--variant", "naive", "--measure", "1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("sealed"));
}

}  // namespace
}  // namespace rooftile::cli
