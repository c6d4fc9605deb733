// The vendor's libraries as variants of `measure`, as far as no GPU is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "data_fixture.hpp"
#include "model/record/libraries.hpp"

namespace rooftile::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

ProcessResult plan_of(std::vector<std::string> more) {
  more.insert(more.begin(), {"measure", "--dry-run", "--shape", "512", "--json", "-"});
  return data_fixture().run(more);
}

std::vector<std::string> planned_by(const std::vector<std::string>& more) {
  const ProcessResult result = plan_of(more);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json plan = json::parse(result.out).at("plan");
  std::vector<std::string> names;
  for (const json& cell : plan) names.push_back(cell.at("variant"));
  return names;
}

TEST(Libraries, CublasIsPartOfEverySweepAndCublasLtOfThoseThatNameIt) {
  const auto by_default = planned_by({});
  EXPECT_THAT(by_default, testing::Contains("cublas"));
  EXPECT_THAT(by_default, testing::Not(testing::Contains("cublaslt")));
  EXPECT_THAT(planned_by({"--variants", "cublaslt,cublas"}),
              testing::ElementsAre("cublaslt", "cublas"));
}

TEST(Libraries, AnUnknownOneIsRefusedWithTheNearestNames) {
  const ProcessResult result = plan_of({"--variants", "cublasl"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("unknown 'cublasl': did you mean cublas"));
  EXPECT_THAT(result.err, HasSubstr("cublaslt"));
}

TEST(Libraries, HaveNoTilesAndNoPredictions) {
  for (const char* library : library_names) {
    const ProcessResult refused = plan_of({"--variants", library, "--tile", "BM=64"});
    EXPECT_EQ(refused.exit_code, 2) << library;
    EXPECT_THAT(refused.err, HasSubstr(std::string("--tile: ") + library + " chooses its own"));
    EXPECT_EQ(planned_by({"--variants", std::string("vectorized,") + library, "--tile",
                          "BM=64,BN=64,BK=8,TM=8,TN=8"})
                  .size(),
              2U)
        << "the tile is the variant's";
    EXPECT_EQ(data_fixture().run({"predict", "--shape", "512", "--variant", library}).exit_code, 2);
  }
}

}  // namespace
}  // namespace rooftile::cli
