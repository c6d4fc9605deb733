// Hostile and clumsy use: values out of all proportion, empty values, files that collide, closed
// streams, refused places, two processes on one file.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "data_fixture.hpp"

namespace rooftile::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

/// Either a usage error or a result of finite, positive times; never a crash or an internal error.
void expect_sane(const ProcessResult& result, const std::string& what) {
  if (result.exit_code == 2) return;
  ASSERT_EQ(result.exit_code, 0) << what << ": " << result.err;
  const json document = json::parse(result.out);
  for (const json& prediction : document.at("predictions"))
    EXPECT_GT(prediction.at("time_s").get<double>(), 0) << what;
}

TEST(Hostile, NoMetricValueBreaksPredictOrTune) {
  for (const char* id : {"device.sm_count", "device.max_threads_per_sm", "device.max_blocks_per_sm",
                         "device.registers_per_sm", "device.l2_size", "clock.ffma",
                         "ffma.throughput", "l1.latency", "dram.bandwidth.read"})
    for (const char* value : {"1e-300", "0.5", "1", "1e9", "1e20", "1e300"}) {
      const std::string edit = std::string(id) + "=" + value;
      expect_sane(data_fixture().run({"predict", "--shape", "512", "--json", "-", "--set", edit}),
                  edit);
      expect_sane(data_fixture().run({"tune", "--shape", "512", "--variant", "warp_tile", "--json",
                                      "-", "--set", edit}),
                  edit);
    }
}

TEST(Hostile, ImplausibleProfileValuesNameTheField) {
  const Scratch folder;
  const std::string path = folder.path("p.json");
  const json good = json::parse(slurp(data_fixture().gpu_folder() + "/profile.json"));
  for (const auto& [id, value] :
       std::vector<std::pair<std::string, double>>{{"device.sm_count", 0.5},
                                                   {"device.sm_count", 1e30},
                                                   {"clock.ffma", 1},
                                                   {"ffma.throughput", 0},
                                                   {"dram.bandwidth.read", 1e300},
                                                   {"l1.latency", 1e300}}) {
    json broken = good;
    broken["metrics"][id]["value"] = value;
    spill(path, broken.dump());
    const ProcessResult result =
        data_fixture().run({"predict", "--shape", "64", "--profile", path});
    EXPECT_EQ(result.exit_code, 2) << id;
    EXPECT_THAT(result.err, AllOf(HasSubstr(id + ".value"), HasSubstr("from")));
  }
}

TEST(Hostile, AnIntervalBelowZeroIsCutAndNotRefused) {
  const Scratch folder;
  json noisy = json::parse(slurp(data_fixture().gpu_folder() + "/profile.json"));
  noisy["metrics"]["ffma.throughput"]["repeat95"] = {-5.0, 1e300};
  spill(folder.path("p.json"), noisy.dump());
  const ProcessResult result = data_fixture().run(
      {"predict", "--shape", "512", "--profile", folder.path("p.json"), "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  expect_sane(result, "interval");
}

TEST(Hostile, EmptyValuesAreRefused) {
  const Scratch folder;
  ProcessOptions here;
  here.folder = folder.folder();
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"validate", "--profile", ""},
           {"validate", "--runs", ""},
           {"report", "--output", ""},
           {"run", "--output", ""},
           {"predict", "--shape", "64", "--clock", ""},
           {"predict", "--shape", "64", "--tile", ""},
           {"predict", "--shape", "64", "--json", ""},
           {"measure", "--replay", data_fixture().gpu_folder(), "--output", ""},
           {"list", "--filter", ""}}) {
    const ProcessResult result = data_fixture().run(arguments, here);
    EXPECT_EQ(result.exit_code, 2) << arguments[0] << arguments[1];
    EXPECT_THAT(result.err, HasSubstr("empty"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.folder()));
}

TEST(Hostile, ResultsDoNotReplaceInputsOrEachOther) {
  const Scratch folder;
  ProcessOptions here;
  here.folder = folder.folder();
  const std::string profile = slurp(data_fixture().gpu_folder() + "/profile.json");
  spill(folder.path("p.json"), profile);
  EXPECT_EQ(data_fixture()
                .run({"predict", "--shape", "64", "--profile", "p.json", "--json",
                      folder.path("./p.json")},
                     here)
                .exit_code,
            2);
  EXPECT_EQ(slurp(folder.path("p.json")), profile);
  EXPECT_EQ(data_fixture().run({"list", "--csv", "x", "--md", "./x"}, here).exit_code, 2);
  EXPECT_EQ(data_fixture()
                .run({"measure", "--replay", data_fixture().gpu_folder(), "--shape", "256",
                      "--output", "r.jsonl", "--json", "r.jsonl"},
                     here)
                .exit_code,
            2);
  EXPECT_EQ(data_fixture().run({"list", "--csv", "/dev/null", "--md", "/dev/null"}, here).exit_code,
            0);
}

TEST(Hostile, ResultPlacesAreCheckedBeforeTheWork) {
  const Scratch folder;
  ProcessOptions here;
  here.folder = folder.folder();
  const ProcessResult result =
      data_fixture().run({"measure", "--replay", data_fixture().gpu_folder(), "--shape", "256",
                          "--json", "no/such/folder/x.json"},
                         here);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("--json"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("runs.jsonl")));
  EXPECT_EQ(
      data_fixture().run({"report", "--output", "page", "--json", "page/x.json"}, here).exit_code,
      0);
  EXPECT_TRUE(std::filesystem::exists(folder.path("page/x.json")));
}

TEST(Hostile, RefusedPlacesExit4) {
  if (geteuid() == 0) GTEST_SKIP() << "root is refused nothing";
  const Scratch folder;
  spill(folder.path("p.json"), "{}");
  std::filesystem::permissions(folder.path("p.json"), std::filesystem::perms::none);
  EXPECT_EQ(data_fixture()
                .run({"predict", "--shape", "64", "--profile", folder.path("p.json")})
                .exit_code,
            4);
}

TEST(Hostile, ALogBelongsToOneProcess) {
  const Scratch folder;
  const std::string path = folder.path("runs.jsonl");
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0666);
  ASSERT_GE(file, 0);
  ASSERT_EQ(::flock(file, LOCK_EX), 0);
  for (const char* mode : {"--resume", "--force"}) {
    const ProcessResult result =
        data_fixture().run({"measure", "--replay", data_fixture().gpu_folder(), "--shape", "256",
                            "--output", path, mode});
    EXPECT_EQ(result.exit_code, 2) << mode;
    EXPECT_THAT(result.err, HasSubstr("another rooftile"));
  }
  ::close(file);
  EXPECT_EQ(data_fixture()
                .run({"measure", "--replay", data_fixture().gpu_folder(), "--shape", "256",
                      "--output", path, "--resume"})
                .exit_code,
            0);
}

/// Runs the binary through the shell, so that streams can be closed.
int shell(const std::string& arguments) {
  const std::string command = "ROOFTILE_DATA_DIR='" + data_fixture().folder() +
                              "' '" ROOFTILE_BINARY "' >/dev/null " + arguments;
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

TEST(Hostile, ClosedStreamsDoNotLeakIntoFiles) {
  const Scratch folder;
  for (const auto& [closed, expected] :
       std::vector<std::pair<std::string, int>>{{"2>&-", 0},
                                                {"2>/dev/full", 0},
                                                {"<&- 2>&-", 0},
                                                {">&- 2>&-", 1},
                                                {"<&- >&- 2>&-", 1}}) {
    const std::string path = folder.path("runs.jsonl");
    EXPECT_EQ(shell("measure --replay '" + data_fixture().gpu_folder() +
                    "' --shape 256 --force --output '" + path + "' " + closed),
              expected)
        << closed;
    EXPECT_NO_THROW(EXPECT_FALSE(load_runs(path).empty())) << closed;
  }
}

TEST(Hostile, MessagesCannotSteerTheTerminal) {
  const ProcessResult result =
      data_fixture().run({"predict", "--shape", "\x1b[2J\u202e\xc2\x9b" + std::string(90000, '9')});
  EXPECT_EQ(result.exit_code, 2);
  for (const char* steering : {"\x1b", "\u202e", "\xc2\x9b"})
    EXPECT_EQ(result.err.find(steering), std::string::npos);
  EXPECT_LT(result.err.size(), 5000u);
}

TEST(Hostile, ASearchFollowsOnePredictor) {
  EXPECT_EQ(data_fixture().run({"tune", "--shape", "64", "--predictor", "all"}).exit_code, 2);
}

}  // namespace
}  // namespace rooftile::cli
