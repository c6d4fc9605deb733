// What a person who has not read the manual meets: three sizes in a row, a tie longer than the
// list, baselines without a time, a machine without a GPU, the usage of compare.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/axes.hpp"
#include "cli/inputs.hpp"
#include "data_fixture.hpp"

namespace rooftile::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Hints, ThreeSizesMayBeMeantAsOneProblem) {
  EXPECT_EQ(cubes_hint({"3000", "5000", "7Ki"}),
            "--shape 3000 5000 7Ki are three cubes; one problem of M x N x K is --shape "
            "3000x5000x7Ki");
  EXPECT_EQ(cubes_hint({"1024", "4096"}), "");
  EXPECT_EQ(cubes_hint({"1024", "2048", "4096", "8192"}), "");
  EXPECT_EQ(cubes_hint({"3000x5000x7000", "64", "128"}), "");
  EXPECT_EQ(cubes_hint({"M=64", "N=64", "K=128"}), "");
}

TEST(Hints, EveryCommandWithShapesSaysThatTheyAreCubes) {
  const std::string gpu = data_fixture().gpu_folder();
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"predict"}, {"tune"}, {"measure", "--replay", gpu, "--dry-run"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--shape", "256", "512", "1024"});
    const ProcessResult three = data_fixture().run(arguments);
    EXPECT_EQ(three.exit_code, 0) << three.err;
    EXPECT_THAT(three.err, HasSubstr("--shape 256x512x1024")) << command[0];
    EXPECT_THAT(three.out, AllOf(HasSubstr("512x512x512"), Not(HasSubstr("three cubes"))));
    arguments.pop_back();
    EXPECT_THAT(data_fixture().run(arguments).err, Not(HasSubstr("cubes"))) << command[0];
  }
}

/// Commands that take problems and nothing that stands alone.
const std::vector<std::string> commands_of_problems{"predict", "tune", "measure", "run"};

TEST(Hints, AProblemThatStandsAloneIsToldItsOption) {
  for (const std::string& command : commands_of_problems)
    for (const char* shape : {"4096", "4Ki", "3000x5000x7000"}) {
      const ProcessResult result = data_fixture().run({command, shape});
      EXPECT_EQ(result.exit_code, 2);
      EXPECT_THAT(result.err, HasSubstr(fmt::format("unexpected argument '{0}': a problem is "
                                                    "--shape {0} (see `rooftile {1} --help`)",
                                                    shape, command)));
    }
}

TEST(Hints, WhatIsNoProblemOrNotAskedForGetsNoSuchHint) {
  for (const std::string& command : commands_of_problems)
    for (const char* text : {"here", "0", "3000x5000"})
      EXPECT_THAT(data_fixture().run({command, text}).err,
                  AllOf(HasSubstr("unexpected argument"), Not(HasSubstr("a problem is"))));
  EXPECT_THAT(data_fixture().run({"version", "4096"}).err,
              AllOf(HasSubstr("unexpected argument"), Not(HasSubstr("a problem is"))));
}

std::size_t ties(const std::string& shape, const std::string& top) {
  const ProcessResult result =
      data_fixture().run({"tune", "--shape", shape, "--top", top, "--json", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return json::parse(result.out).at("searches").at(0).at("ties");
}

TEST(Hints, ATieIsCountedWholeHoweverFewTilesAreShown) {
  std::size_t longest = 0;
  for (const char* shape : {"64", "1024", "4096", "4096x11008x4096"}) {
    const std::size_t whole = ties(shape, "1000");
    EXPECT_EQ(ties(shape, "1"), whole) << shape;
    EXPECT_EQ(ties(shape, "5"), whole) << shape;
    const std::string text = data_fixture().run({"tune", "--shape", shape, "--top", "1"}).out;
    if (whole > 1) {
      EXPECT_THAT(text, HasSubstr(fmt::format("--top {} shows all", whole))) << shape;
    }
    longest = std::max(longest, whole);
  }
  EXPECT_GT(longest, 1u) << "not one shape has a tie: the test shows nothing";
}

TEST(Hints, TuneSaysThatItPredicts) {
  EXPECT_THAT(data_fixture().run({"tune", "--shape", "512"}).out,
              HasSubstr("predicted, not measured: `rooftile validate`"));
}

TEST(Hints, AChoiceWithoutAPredictedTimeHasNoErrors) {
  EXPECT_THAT(data_fixture().run({"validate"}).out,
              HasSubstr("'-': a choice without a predicted time; n then counts shapes"));
}

TEST(Hints, CompareTakesTwoFilesOrMore) {
  EXPECT_THAT(data_fixture().run({"compare", "--help"}).out,
              AllOf(HasSubstr("compare [OPTIONS] FILE..."), HasSubstr("Two or more"),
                    Not(HasSubstr("2x")), Not(HasSubstr("x 2"))));
  const std::string profile = data_fixture().gpu_folder() + "/profile.json";
  EXPECT_EQ(data_fixture().run({"compare", profile}).exit_code, 2);
  EXPECT_EQ(data_fixture().run({"compare", profile, profile, profile}).exit_code, 0);
  std::vector<std::string> many(28, profile);
  many.front() = "compare";
  const ProcessResult refused = data_fixture().run(many);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("27 files; 26 at most"));
}

TEST(Hints, WithoutAGpuRunGoesOnCalmly) {
  if (!gpu_present().empty()) GTEST_SKIP() << "there is a GPU";
  const ProcessResult result = data_fixture().run({"run", "--dry-run"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, AllOf(HasSubstr("no NVIDIA GPU here"), HasSubstr("recorded"),
                                Not(HasSubstr("without CUDA"))));
}

}  // namespace
}  // namespace rooftile::cli
