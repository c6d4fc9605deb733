// The sass predictor through the binary, on the recorded H200 and its kernels.
#include <gmock/gmock.h>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "process.hpp"
#include "tests/support/schema_errors.hpp"

namespace rooftile::cli {
namespace {

using ::testing::HasSubstr;

ProcessResult on_record(std::vector<std::string> arguments) {
  const std::string data = std::string(ROOFTILE_SOURCE_DIR) + "/data";
  const Scratch scratch;
  ProcessOptions options;
  options.folder = scratch.folder();
  options.environment = {"ROOFTILE_DATA_DIR=" + data,
                         "ROOFTILE_PROFILE=" + data + "/h200/profile.json"};
  return rooftile_process(arguments, options);
}

TEST(SassCommand, ExplainsTheLoopInTablesAndJson) {
  const std::vector<std::string> question = {"predict",     "--shape",     "4096", "--variant",
                                             "xor_swizzle", "--predictor", "sass", "--explain"};
  const ProcessResult text = on_record(question);
  ASSERT_EQ(text.exit_code, 0) << text.err;
  for (const char* part : {"main loop of xor_swizzle", "register ports", "time without",
                           "instructions that warps wait longest for",
                           "xor_swizzle 128x128x8/8x8 with another choice"})
    EXPECT_THAT(text.out, HasSubstr(part));
  std::vector<std::string> as_json = question;
  as_json.insert(as_json.end(), {"--json", "-"});
  const Json document = parse_json(on_record(as_json).out, "stdout");
  EXPECT_EQ(test::schema_errors("prediction", document), "");
  const Json& loop = document.at("predictions").at(0).at("loop");
  double sum = 0;
  for (const Json& cause : loop.at("causes")) sum += cause.at("cycles").get<double>();
  EXPECT_NEAR(sum, loop.at("cycles").get<double>(), 1e-6 * sum);
  // Tiles that are not compiled are compared by analytic.
  const Json& changes = document.at("predictions").at(0).at("changes");
  ASSERT_FALSE(changes.empty());
  for (const Json& change : changes) EXPECT_EQ(change.at("predictor"), "analytic") << change.dump();
}

/// How sure: calibrated on the recorded pairs of default tiles, so that other tiles and edited
/// profiles have none.
TEST(SassCommand, SaysHowFarSuchPredictionsWereOff) {
  const auto predicted = [](std::vector<std::string> more) {
    std::vector<std::string> question{"predict",   "--shape",     "2000x3000x1000",
                                      "--variant", "xor_swizzle", "--json",
                                      "-",         "--quiet"};
    question.insert(question.end(), more.begin(), more.end());
    const Json document = parse_json(on_record(question).out, "stdout");
    EXPECT_EQ(test::schema_errors("prediction", document), "");
    return document.at("predictions");
  };
  const Json all = predicted({"--predictor", "all"});
  ASSERT_EQ(all.size(), 3U);
  std::vector<double> widths;
  for (const Json& p : all) {
    const Json& interval = p.at("prediction_interval");
    const double time_s = p.at("time_s").get<double>(), low = interval.at(0).get<double>();
    EXPECT_LT(low, time_s);
    EXPECT_NEAR(interval.at(1).get<double>() / time_s, time_s / low, 1e-9);
    widths.push_back(time_s / low);
  }
  EXPECT_GT(widths[0], widths[1]) << "the plain roofline is off by more";
  EXPECT_GT(widths[1], widths[2]);
  EXPECT_TRUE(predicted({"--tile", "BM=64"}).at(0).at("prediction_interval").is_null());
  EXPECT_TRUE(predicted({"--clock", "1.5GHz"}).at(0).at("prediction_interval").is_null());
  EXPECT_TRUE(predicted({"--quick"}).at(0).at("input_interval").is_null());
  const ProcessResult text =
      on_record({"predict", "--shape", "2000x3000x1000", "--variant", "xor_swizzle", "--explain"});
  EXPECT_THAT(text.out, HasSubstr("analytic: of "));
  EXPECT_THAT(text.out, HasSubstr("90 in 100 of such predictions hold within"));
}

/// Runs that cannot be used keep nobody from predicting.
TEST(SassCommand, BadRunsLeaveThePredictionWithoutItsInterval) {
  const std::string record = std::string(ROOFTILE_SOURCE_DIR) + "/data/h200/";
  const Json profile = parse_json(read_text_file(record + "profile.json"), "profile.json");
  const std::string runs = read_text_file(record + "runs-ladder.jsonl.gz");
  const auto predicted = [&](const std::string& gpu_name, const std::string& beside) {
    const Scratch scratch;
    Json renamed = profile;
    renamed["environment"]["gpu_name"] = gpu_name;
    write_text_file(scratch.path("profile.json"), renamed.dump());
    if (!beside.empty()) write_text_file(scratch.path("runs.jsonl"), beside);
    ProcessOptions options;
    options.folder = scratch.folder();
    return rooftile_process(
        {"predict", "--shape", "4096", "--variant", "warp_tile", "--json", "-", "--quiet"},
        options);
  };
  const auto interval = [](const ProcessResult& result) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return parse_json(result.out, "stdout").at("predictions").at(0).at("prediction_interval");
  };
  EXPECT_FALSE(interval(predicted("NVIDIA H200", runs)).is_null());
  const ProcessResult of_another = predicted("NVIDIA Other", runs);
  EXPECT_TRUE(interval(of_another).is_null());
  EXPECT_THAT(of_another.err, HasSubstr("without prediction_interval"));
  EXPECT_THAT(of_another.err, HasSubstr("gpu_name"));
  const ProcessResult damaged = predicted("NVIDIA H200", "{\n{\n");
  EXPECT_TRUE(interval(damaged).is_null());
  EXPECT_THAT(damaged.err, HasSubstr("runs.jsonl:1"));
  const ProcessResult none = predicted("NVIDIA Other", "");
  EXPECT_TRUE(interval(none).is_null());
  EXPECT_THAT(none.err, ::testing::Not(HasSubstr("prediction_interval")))
      << "nothing is wrong there";
}

TEST(SassCommand, StatedPredictionsAreJudged) {
  const Scratch scratch;
  const std::string file = scratch.path("stated.json");
  const ProcessResult stated = on_record({"predict", "--shape", "4096", "--variant", "xor_swizzle",
                                          "--predictor", "all", "--json", file, "--quiet"});
  ASSERT_EQ(stated.exit_code, 0) << stated.err;
  const ProcessResult judged = on_record({"validate", "--predictions", file, "--json", "-"});
  ASSERT_EQ(judged.exit_code, 0) << judged.err;
  const Json predictors = parse_json(judged.out, "stdout").at("predictors");
  for (const char* name : {"roofline", "analytic", "sass"})
    EXPECT_EQ(predictors.at(name).at("dev").at("n"), 1) << name;
  const ProcessResult none = on_record({"predict", "--shape", "100", "--json", file, "--force"});
  ASSERT_EQ(none.exit_code, 0) << none.err;
  const ProcessResult refused = on_record({"validate", "--predictions", file});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("is among the predictions"));
  const ProcessResult both = on_record({"validate", "--predictions", file, "--ablate"});
  EXPECT_EQ(both.exit_code, 2);
}

TEST(SassCommand, ManyWithoutCodeAreCounted) {
  const ProcessResult result =
      on_record({"predict", "--suite", "landscape.json", "--shape", "512", "--predictor", "all"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("more are left out by sass; --compile"));
}

TEST(SassCommand, WithoutCodeItSaysSo) {
  const ProcessResult tile = on_record({"predict", "--shape", "4096", "--variant", "xor_swizzle",
                                        "--predictor", "sass", "--tile", "BM=64"});
  EXPECT_EQ(tile.exit_code, 2);
  EXPECT_THAT(tile.err, HasSubstr("no SASS of xor_swizzle 64x128x8/8x8 (fast NN)"));
  const ProcessResult both = on_record({"predict", "--shape", "4096", "--variant", "xor_swizzle",
                                        "--predictor", "all", "--tile", "BM=64"});
  EXPECT_EQ(both.exit_code, 0) << "roofline and analytic do without";
  EXPECT_THAT(both.err, HasSubstr("no SASS"));
  const ProcessResult folder =
      on_record({"predict", "--shape", "4096", "--predictor", "sass", "--kernels", "/absent"});
  EXPECT_EQ(folder.exit_code, 2);
  EXPECT_THAT(folder.err, HasSubstr("/absent/index.json"));
}

/// --kernels takes the place of ./kernels, whatever state that is in.
TEST(SassCommand, TheFolderThatIsGivenIsTheOnlyOneOpened) {
  const std::string data = std::string(ROOFTILE_SOURCE_DIR) + "/data";
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("kernels"));
  spill(scratch.path("kernels/index.json"), "{ broken");
  const auto exit_code = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"predict",   "--shape",     "1024",
                                       "--variant", "xor_swizzle", "--predictor",
                                       "sass",      "--profile",   data + "/h200/profile.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return rooftile_process(arguments, {{}, scratch.folder(), 0, 0, ""}).exit_code;
  };
  EXPECT_EQ(exit_code({}), 2);
  EXPECT_EQ(exit_code({"--kernels", data + "/h200/kernels"}), 0);
}

TEST(SassCommand, TuneSearchesWhatIsCompiled) {
  const ProcessResult result = on_record({"tune", "--shape", "1024", "--variant", "xor_swizzle",
                                          "--predictor", "sass", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json document = parse_json(result.out, "stdout");
  ASSERT_EQ(document.at("predictions").size(), 1u);
  EXPECT_EQ(document.at("predictions").at(0).at("predictor"), "sass");
}

}  // namespace
}  // namespace rooftile::cli
