// The binary as a user meets it: exit codes, streams, files, messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "data_fixture.hpp"
#include "tests/support/schema_errors.hpp"

namespace rooftile::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string notice = "using recorded NVIDIA H200, not this machine";

TEST(Process, HelpOfEveryCommand) {
  for (const CommandEntry* entry : command_table()) {
    const ProcessResult result = data_fixture().run({std::string(entry->name), "--help"});
    EXPECT_EQ(result.exit_code, 0) << entry->name;
    EXPECT_THAT(result.out,
                AllOf(HasSubstr("Examples:"), HasSubstr("rooftile " + std::string(entry->name))));
    EXPECT_EQ(result.err, "");
  }
  EXPECT_THAT(data_fixture().run({"--help"}).out, HasSubstr("characterize"));
  EXPECT_EQ(data_fixture().run({}).exit_code, 2);
}

TEST(Process, UsageErrorsExit2AndSuggest) {
  auto error = [](std::vector<std::string> arguments) {
    const ProcessResult result = data_fixture().run(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments.front();
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_THAT(error({"predcit"}), AllOf(HasSubstr("'predcit'"), HasSubstr("predict")));
  EXPECT_THAT(error({"predict", "--shpae", "64"}),
              AllOf(HasSubstr("--shpae"), HasSubstr("--shape")));
  EXPECT_THAT(error({"predict"}), HasSubstr("--shape"));
  EXPECT_THAT(error({"predict", "--shape", "12abc"}), HasSubstr("12abc"));
  EXPECT_THAT(error({"predict", "--shape", "64", "--variant", "warp_tiel"}),
              HasSubstr("warp_tile"));
  EXPECT_THAT(error({"predict", "--shape", "64", "--filter", "zzz"}), HasSubstr("did you mean"));
  EXPECT_THAT(error({"predict", "--shape", "64", "--predictor", "analitic"}),
              HasSubstr("analytic"));
  EXPECT_THAT(error({"tune", "--shape", "64", "--top", "0"}), HasSubstr("--top"));
  EXPECT_THAT(error({"predict", "--shape", "64", "--json", "-", "--csv", "-"}),
              HasSubstr("only one"));
  EXPECT_THAT(error({"list", "metrik"}), HasSubstr("metrics"));
  EXPECT_THAT(error({"measure", "--resume", "--force"}), HasSubstr("--force"));
}

bool has_gpu() { return std::filesystem::exists("/proc/driver/nvidia/gpus"); }

TEST(Process, NoGpuIsExit3ForCharacterizeAndMeasureOnly) {
  if (has_gpu()) GTEST_SKIP() << "this machine has a GPU";
  const Scratch folder;
  ProcessOptions here;
  here.folder = folder.folder();
  EXPECT_EQ(data_fixture().run({"characterize"}, here).exit_code, 3);
  EXPECT_EQ(data_fixture().run({"measure"}, here).exit_code, 3);
  EXPECT_EQ(data_fixture().run({"tune", "--shape", "512", "--measure", "1"}, here).exit_code, 3);
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"predict", "--shape", "512"},
                                             {"tune", "--shape", "512"},
                                             {"validate"},
                                             {"report"},
                                             {"run"},
                                             {"list"},
                                             {"doctor"},
                                             {"version"},
                                             {"measure", "--dry-run"},
                                             {"run", "--dry-run"}})
    EXPECT_EQ(data_fixture().run(arguments, here).exit_code, 0) << arguments.front();
  EXPECT_FALSE(std::filesystem::exists(folder.path("profile.json")))
      << "recorded data are not copied";
  EXPECT_TRUE(std::filesystem::exists(folder.path("report/index.html")));
  EXPECT_EQ(data_fixture().run({"run", "--device", "0"}, here).exit_code, 3);
}

TEST(Process, RecordedDataAreNamedInEveryOutput) {
  const std::vector<std::string> base{"predict", "--shape", "512"};
  EXPECT_THAT(data_fixture().run(base).err, HasSubstr(notice));
  EXPECT_THAT(data_fixture().run(base).out, HasSubstr(notice));
  for (const char* format : {"--json", "--csv", "--md"}) {
    std::vector<std::string> arguments = base;
    arguments.insert(arguments.end(), {format, "-"});
    EXPECT_THAT(data_fixture().run(arguments).out, HasSubstr(notice)) << format;
  }
  EXPECT_THAT(data_fixture().run({"validate"}).out, HasSubstr(notice));
}

TEST(Process, JsonIsAloneOnStdoutAndParses) {
  for (std::vector<std::string> arguments : std::vector<std::vector<std::string>>{
           {"predict", "--shape", "512", "--explain"},
           {"tune", "--shape", "512"},
           {"validate"},
           {"list"},
           {"doctor"},
           {"version"},
           {"measure", "--dry-run"},
           {"measure", "--shape", "256", "--replay", data_fixture().gpu_folder()},
           {"characterize", "--replay", data_fixture().gpu_folder()}}) {
    arguments.insert(arguments.end(), {"--json", "-"});
    const ProcessResult result = data_fixture().run(arguments);
    EXPECT_TRUE(json::accept(result.out)) << arguments.front() << ": " << result.out.substr(0, 200);
    EXPECT_TRUE(result.out.find("NaN") == std::string::npos) << arguments.front();
  }
}

TEST(Process, TermsAddUp) {
  const ProcessResult result = data_fixture().run(
      {"predict", "--shape", "1000x777x333", "4096", "--predictor", "all", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json predictions = json::parse(result.out).at("predictions");
  EXPECT_GE(predictions.size(), 4u);
  for (const json& prediction : predictions) {
    double sum_s = 0;
    for (const json& term : prediction.at("terms")) sum_s += term.at("seconds").get<double>();
    const double time_s = prediction.at("time_s").get<double>();
    EXPECT_GT(time_s, 0);
    EXPECT_NEAR(sum_s, time_s, 1e-9 * time_s) << prediction.at("variant");
  }
}

TEST(Process, WhatIfChangesThePrediction) {
  auto time_s = [](std::vector<std::string> more) {
    std::vector<std::string> arguments{"predict",   "--shape", "4096", "--variant",
                                       "warp_tile", "--json",  "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const json document = json::parse(data_fixture().run(arguments).out);
    if (!more.empty()) {
      EXPECT_THAT(document.at("notice").get<std::string>(), HasSubstr("what if"));
    }
    return document.at("predictions").at(0).at("time_s").get<double>();
  };
  const double base_s = time_s({});
  EXPECT_LT(time_s({"--clock", "2.5GHz"}), base_s);
  EXPECT_GT(time_s({"--set", "ffma.throughput=0.5x"}), base_s);
}

TEST(Process, BrokenProfilesExit2AndNameTheField) {
  const Scratch folder;
  const std::string path = folder.path("profile.json");
  const json good = json::parse(slurp(data_fixture().gpu_folder() + "/profile.json"));
  auto error = [&](const std::string& text) {
    spill(path, text);
    const ProcessResult result =
        data_fixture().run({"predict", "--shape", "64", "--profile", path});
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  json broken = good;
  broken["schema_version"] = 999;
  EXPECT_THAT(error(broken.dump()), AllOf(HasSubstr("999"), HasSubstr("newer")));
  broken = good;
  broken["metrics"]["clock.ffma"]["value"] = "fast";
  EXPECT_THAT(error(broken.dump()), AllOf(HasSubstr("clock.ffma"), HasSubstr("value")));
  broken = good;
  broken["metrics"]["clock.ffma"]["unit"] = "furlong";
  EXPECT_THAT(error(broken.dump()), AllOf(HasSubstr("clock.ffma"), HasSubstr("furlong")));
  broken = good;
  broken["metrics"].erase("ffma.throughput");
  EXPECT_THAT(error(broken.dump()), HasSubstr("ffma.throughput"));
  EXPECT_THAT(error("{"), HasSubstr(path));
  EXPECT_THAT(error(""), HasSubstr(path));
  EXPECT_THAT(error("[1]"), HasSubstr(path));
  const ProcessResult missing =
      data_fixture().run({"predict", "--shape", "64", "--profile", "/no/such"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("/no/such"));
}

TEST(Process, GatesExit1AndNameFigureAndLimit) {
  EXPECT_EQ(data_fixture().run({"validate", "--fail-above", "analytic.dev.mape=0.9"}).exit_code, 0);
  const ProcessResult result =
      data_fixture().run({"validate", "--fail-above", "analytic.dev.mape=0.001", "--fail-below",
                          "analytic.dev.kendall_tau_b=0.1"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("analytic.dev.mape"), HasSubstr("0.001")));
  EXPECT_EQ(data_fixture().run({"validate", "--fail-above", "analytic.dev.mpae=1"}).exit_code, 2);
}

TEST(Process, ValidateTakesThePartsOfTheModelOut) {
  const ProcessResult csv = data_fixture().run({"validate", "--ablate", "--csv", "-"});
  ASSERT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_THAT(csv.out, AllOf(HasSubstr("analytic,nothing,"), HasSubstr("analytic,tail,")));
  const auto document = [](const std::vector<std::string>& arguments) {
    return Json::parse(data_fixture().run(arguments).out);
  };
  const Json with = document({"validate", "--ablate", "--json", "-"});
  EXPECT_EQ(test::schema_errors("validation", with), "");
  EXPECT_FALSE(with.at("ablation").empty());
  EXPECT_TRUE(document({"validate", "--json", "-"}).at("ablation").empty());
}

TEST(Process, ValidateFindsTheErrorsThatTheRunsWereMadeWith) {
  const json figures = json::parse(data_fixture().run({"validate", "--json", "-"}).out)
                           .at("predictors")
                           .at("analytic")
                           .at("dev");
  // Measured = predicted x (1.05, 1.07, ...): every prediction is too low.
  EXPECT_LT(figures.at("bias").get<double>(), -0.04);
  EXPECT_NEAR(figures.at("mape").get<double>(), -figures.at("bias").get<double>(), 1e-12);
}

TEST(Process, FullAndReadOnlyOutputsAreErrors) {
  ProcessOptions full;
  full.stdout_path = "/dev/full";
  const ProcessResult result = data_fixture().run({"list"}, full);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("cannot write to stdout"));
  EXPECT_EQ(data_fixture().run({"--help"}, full).exit_code, 1);
  EXPECT_EQ(data_fixture().run({"list", "--json", "/dev/full"}).exit_code, 2);
  EXPECT_EQ(data_fixture().run({"list", "--json", "/no/such/folder/x"}).exit_code, 2);
  EXPECT_EQ(data_fixture().run({"report", "--output", "/dev/null"}).exit_code, 2);
  if (geteuid() == 0) return;  // root may write anywhere
  const Scratch folder;
  std::filesystem::permissions(folder.folder(), std::filesystem::perms::owner_read);
  EXPECT_EQ(data_fixture().run({"validate", "--output", folder.path("v.json")}).exit_code, 4);
}

TEST(Process, ExistingResultsAreKept) {
  const Scratch folder;
  const std::string path = folder.path("v.json");
  spill(path, "precious");
  EXPECT_EQ(data_fixture().run({"validate", "--output", path}).exit_code, 2);
  EXPECT_EQ(data_fixture()
                .run({"measure", "--shape", "256", "--replay", data_fixture().gpu_folder(),
                      "--output", path})
                .exit_code,
            2);
  EXPECT_EQ(slurp(path), "precious");
  EXPECT_EQ(data_fixture().run({"validate", "--output", path, "--force"}).exit_code, 0);
  EXPECT_TRUE(json::accept(slurp(path)));
}

TEST(Process, QuietLeavesNoProgress) {
  const std::vector<std::string> base{"measure",
                                      "--shape",
                                      "256",
                                      "--variants",
                                      "warp_tile",
                                      "--replay",
                                      data_fixture().gpu_folder()};
  std::vector<std::string> quiet = base;
  quiet.push_back("--quiet");
  EXPECT_THAT(data_fixture().run(base).err, HasSubstr("measure:"));
  EXPECT_THAT(data_fixture().run(quiet).err, Not(HasSubstr("measure:")));
}

TEST(Process, RunIsTheWholeLineAndMayBeRepeated) {
  const Scratch folder;
  const std::vector<std::string> arguments{
      "run",  "--replay",   data_fixture().gpu_folder(), "--shape",  "256",
      "1024", "--variants", "warp_tile,naive",           "--output", folder.folder()};
  for (int repetition = 0; repetition < 2; ++repetition) {
    const ProcessResult result = data_fixture().run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, AllOf(HasSubstr("index.html"), HasSubstr("not this machine")));
    for (const char* name : {"profile.json", "validation.json"})
      EXPECT_TRUE(json::accept(slurp(folder.path(name)))) << name;
    EXPECT_TRUE(std::filesystem::exists(folder.path("report/index.html")));
  }
}

}  // namespace
}  // namespace rooftile::cli
