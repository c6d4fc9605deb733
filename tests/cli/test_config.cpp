// Options from a configuration file: where it is looked for, what stands above what, what is
// recorded, what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "data_fixture.hpp"
#include "model/profile/device_profile.hpp"

namespace rooftile::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

ProcessResult predict(const Scratch& folder, std::vector<std::string> more,
                      std::vector<std::string> environment = {}) {
  std::vector<std::string> arguments{"predict", "--json", "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  ProcessOptions options;
  options.folder = folder.folder();
  options.environment = std::move(environment);
  return data_fixture().run(arguments, options);
}

std::vector<std::string> predictors_of(const ProcessResult& result) {
  const json document = json::parse(result.out);
  std::vector<std::string> names;
  for (const json& prediction : document.at("predictions")) {
    const std::string name = prediction.at("predictor");
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

std::size_t shapes_of(const ProcessResult& result) {
  const json document = json::parse(result.out);
  std::set<std::string> shapes;
  for (const json& prediction : document.at("predictions"))
    shapes.insert(prediction.at("problem").dump());
  return shapes.size();
}

TEST(Config, ASectionStandsForItsCommandAndTheCommandLineAboveIt) {
  const Scratch folder;
  spill(folder.path("rooftile.toml"),
        "predictor = \"analytic\"\n"
        "[measure]\nvariants = \"naive\"\n"
        "[predict]\npredictor = \"roofline\"  # the section's own\nshape = [\"256\", \"512\"]\n");
  const ProcessResult from_file = predict(folder, {});
  ASSERT_EQ(from_file.exit_code, 0) << from_file.err;
  EXPECT_EQ(predictors_of(from_file), std::vector<std::string>{"roofline"});
  EXPECT_EQ(shapes_of(from_file), 2U);
  EXPECT_THAT(from_file.err, HasSubstr("options of rooftile.toml: --predictor=roofline"));

  for (const std::vector<std::string>& typed :
       {std::vector<std::string>{"--predictor", "analytic", "--shape", "1024"},
        std::vector<std::string>{"--predictor=analytic", "--shape=1024"}}) {
    const ProcessResult result = predict(folder, typed);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(predictors_of(result), std::vector<std::string>{"analytic"});
    EXPECT_EQ(shapes_of(result), 1U);
    EXPECT_THAT(result.err, Not(HasSubstr("options of")));
  }
}

TEST(Config, TheFirstFileThatIsNamedOrThere) {
  const Scratch folder, home;
  std::filesystem::create_directory(home.path("rooftile"));
  const auto file = [](const char* shapes) {
    return "[predict]\nshape = " + std::string(shapes) + "\npredictor = \"roofline\"\n";
  };
  const std::string xdg = "XDG_CONFIG_HOME=" + home.folder();
  spill(home.path("rooftile/config.toml"), file("[\"1\", \"2\", \"3\", \"4\"]"));
  EXPECT_EQ(shapes_of(predict(folder, {}, {xdg})), 4U);
  spill(folder.path("rooftile.toml"), file("[\"1\", \"2\", \"3\"]"));
  EXPECT_EQ(shapes_of(predict(folder, {}, {xdg})), 3U);
  spill(folder.path("other.toml"), file("[\"1\", \"2\"]"));
  const std::string other = "ROOFTILE_CONFIG=" + folder.path("other.toml");
  EXPECT_EQ(shapes_of(predict(folder, {}, {xdg, other})), 2U);
  spill(folder.path("given.toml"), file("\"1\""));
  EXPECT_EQ(shapes_of(predict(folder, {"--config", "given.toml"}, {xdg, other})), 1U);
  EXPECT_EQ(shapes_of(predict(folder, {"--config=given.toml"}, {xdg, other})), 1U);
}

TEST(Config, AFlagIsTrueOrFalse) {
  const Scratch folder;
  spill(folder.path("rooftile.toml"),
        "quiet = true\nforce = false\n[characterize]\nonly = \"^ffma$\"\n");
  ProcessOptions options;
  options.folder = folder.folder();
  const std::vector<std::string> typed{"characterize", "--replay", data_fixture().gpu_folder(),
                                       "--output", "p.json"};
  const ProcessResult result = data_fixture().run(typed, options);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("--only="), HasSubstr("--quiet"), Not(HasSubstr("force"))));
  for (const auto& [id, metric] : DeviceProfile::load(folder.path("p.json")).metrics)
    EXPECT_TRUE(id.starts_with("ffma.") || id.starts_with("device.")) << id;
  EXPECT_EQ(data_fixture().run(typed, options).exit_code, 2) << "there is no --force";
}

TEST(Config, FalseInASectionStandsAboveTrueForAll) {
  const Scratch folder;
  spill(folder.path("rooftile.toml"), "quiet = true\n[predict]\nquiet = false\nshape = 64\n");
  const ProcessResult result = predict(folder, {});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("--shape=64"), Not(HasSubstr("--quiet"))));
}

TEST(Config, FalseStandsAboveTheEnvironment) {
  const Scratch folder;
  spill(folder.path("rooftile.toml"), "[measure]\ncounters = false\n");
  ProcessOptions options;
  options.folder = folder.folder();
  options.environment = {"ROOFTILE_COUNTERS=1"};
  const ProcessResult result = data_fixture().run(
      {"measure", "--replay", data_fixture().gpu_folder(), "--shape", "256", "--dry-run"}, options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("--counters=false"));
}

TEST(Config, AnOptionThatIsTypedTakesWhatItExcludesAway) {
  const Scratch folder;
  spill(folder.path("rooftile.toml"), "[characterize]\nresume = true\n");
  ProcessOptions options;
  options.folder = folder.folder();
  const ProcessResult result =
      data_fixture().run({"characterize", "--replay", data_fixture().gpu_folder(), "--only",
                          "^ffma$", "--output", "p.json", "--force"},
                         options);
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(Config, CommandsThatTakeNoneAreNotHurtByABadOne) {
  const Scratch folder;
  spill(folder.path("rooftile.toml"), "broken");
  ProcessOptions options;
  options.folder = folder.folder();
  for (const std::vector<std::string>& command : {std::vector<std::string>{"version"},
                                                  {"--version"},
                                                  {"completion", "bash"},
                                                  {"man", "predict"}})
    EXPECT_EQ(data_fixture().run(command, options).exit_code, 0) << command.front();
}

TEST(Config, WhatIsNotAnOptionIsRefused) {
  const Scratch folder;
  const std::string path = folder.path("bad.toml");
  const auto refusal = [&](const std::string& text) {
    spill(path, text);
    const ProcessResult result = predict(folder, {"--shape", "64", "--config", "bad.toml"});
    EXPECT_EQ(result.exit_code, 2) << text;
    return result.err;
  };
  EXPECT_THAT(refusal("predictr = \"sass\"\n"),
              AllOf(HasSubstr("bad.toml"), HasSubstr("predictor")));
  EXPECT_THAT(refusal("[predic]\nshape = \"64\"\n"),
              AllOf(HasSubstr("section"), HasSubstr("predict")));
  EXPECT_THAT(refusal("[predict]\ntop = 3\n"), HasSubstr("unknown option 'top'"));
  EXPECT_THAT(refusal("config = \"x\"\n"), HasSubstr("unknown option 'config'"));
  EXPECT_THAT(refusal("quiet = \"perhaps\"\n"), HasSubstr("true or false"));
  EXPECT_THAT(refusal("predictor = \"exact\"\n"), HasSubstr("exact"));
  EXPECT_THAT(refusal("predictor = 2020-01-01\n"), HasSubstr("takes text"));
  EXPECT_THAT(refusal("json = \"x\"\n"), HasSubstr("belongs below"));
  for (const char* malformed : {"\nquiet", "\npredictor = \"sass", "\n[predict",
                                "\nquiet = true\nquiet = false", "\nshape = [,]", "\n="})
    EXPECT_THAT(refusal(malformed), HasSubstr("bad.toml:")) << malformed;
  EXPECT_EQ(predict(folder, {"--shape", "64", "--config", "absent.toml"}).exit_code, 2);
  EXPECT_EQ(predict(folder, {"--shape", "64", "--config", "bad.toml", "--help"}).exit_code, 0);
}

}  // namespace
}  // namespace rooftile::cli
