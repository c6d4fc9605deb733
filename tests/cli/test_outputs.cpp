// Where results go and where runs come from: existing files, `-`, compressed runs, counters, and
// problems of any size in no time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>

#include "data_fixture.hpp"
#include "tests/support/gzip_file.hpp"

namespace rooftile::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

using Arguments = std::vector<std::string>;

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// One quick call of each command that prints a result.
std::vector<Arguments> every_command() {
  const std::string gpu = data_fixture().gpu_folder();
  return {{"predict", "--shape", "64"},
          {"tune", "--shape", "64", "--variant", "smem_tile"},
          {"validate"},
          {"report"},
          {"run", "--replay", gpu, "--shape", "256", "--variants", "naive"},
          {"list"},
          {"doctor"},
          {"version"},
          {"characterize", "--replay", gpu},
          {"measure", "--replay", gpu, "--shape", "256", "--variants", "naive"}};
}

TEST(Outputs, NoCommandReplacesAResultUnlessForced) {
  for (const Arguments& command : every_command())
    for (const char* format : {"--json", "--csv", "--md"}) {
      const Scratch folder;
      ProcessOptions here;
      here.folder = folder.folder();
      const std::string path = folder.path("result");
      spill(path, "precious");
      const ProcessResult refused = data_fixture().run(with(command, {format, path}), here);
      EXPECT_EQ(refused.exit_code, 2) << command[0] << format;
      EXPECT_THAT(refused.err, AllOf(HasSubstr(format), HasSubstr("--force")));
      EXPECT_EQ(slurp(path), "precious") << command[0] << format;
    }
  for (const Arguments& command : every_command()) {
    const Scratch folder;
    ProcessOptions here;
    here.folder = folder.folder();
    const std::string path = folder.path("result.json");
    spill(path, "old");
    const ProcessResult forced =
        data_fixture().run(with(command, {"--json", path, "--force"}), here);
    EXPECT_EQ(forced.exit_code, 0) << command[0] << forced.err;
    EXPECT_TRUE(json::accept(slurp(path))) << command[0];
  }
}

TEST(Outputs, ResumeGoesOnWithItsOtherResults) {
  for (const Arguments& command : every_command()) {
    const Scratch folder;
    ProcessOptions here;
    here.folder = folder.folder();
    if (command[0] != "measure" && command[0] != "characterize" && command[0] != "run") continue;
    const Arguments once = with(command, {"--json", command[0] + ".json"});
    EXPECT_EQ(data_fixture().run(once, here).exit_code, 0) << command[0];
    EXPECT_EQ(data_fixture().run(with(once, {"--resume"}), here).exit_code, 0) << command[0];
  }
}

TEST(Outputs, ADashIsNoName) {
  const Scratch folder;
  ProcessOptions here;
  here.folder = folder.folder();
  for (const Arguments& command : every_command()) {
    if (command[0] == "list" || command[0] == "doctor" || command[0] == "version") continue;
    const ProcessResult result = data_fixture().run(with(command, {"--output", "-"}), here);
    EXPECT_EQ(result.exit_code, 2) << command[0];
    EXPECT_THAT(result.err, AllOf(HasSubstr("--output"), HasSubstr("--json -"))) << command[0];
    EXPECT_EQ(result.out, "") << command[0];
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.folder()));
}

TEST(Outputs, PlacesAreCheckedBeforeTheWork) {
  const Scratch folder;
  ProcessOptions here;
  here.folder = folder.folder();
  spill(folder.path("v.json"), "precious");
  for (const Arguments& command :
       std::vector<Arguments>{{"predict", "--shape", "64"},
                              {"validate"},
                              {"tune", "--shape", "64", "--measure", "1"}}) {
    const ProcessResult result =
        data_fixture().run(with(command, {"--output", "v.json", "--profile", "/no/such"}), here);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("v.json exists")) << command[0];
  }
  EXPECT_EQ(slurp(folder.path("v.json")), "precious");
}

TEST(Outputs, OfTwoThatWriteOneFileOneWinsWhole) {
  const Scratch folder;
  const std::string path = folder.path("profile.json");
  const auto characterize = [&] {
    return data_fixture().run({"characterize", "--replay", data_fixture().gpu_folder(),
                               "--replay-delay", "0.01", "--force", "--quiet", "--output", path});
  };
  auto other = std::async(std::launch::async, characterize);
  for (auto left = std::future_status::timeout; left != std::future_status::ready;
       left = other.wait_for(std::chrono::milliseconds(1)))
    if (std::filesystem::exists(path)) {
      ASSERT_TRUE(json::accept(slurp(path)));
    }
  EXPECT_EQ(other.get().exit_code, 0);
  auto first = std::async(std::launch::async, characterize);
  auto second = std::async(std::launch::async, characterize);
  EXPECT_EQ(first.get().exit_code, 0);
  EXPECT_EQ(second.get().exit_code, 0);
  EXPECT_NO_THROW(DeviceProfile::load(path));
  const auto begin = std::filesystem::directory_iterator(folder.folder());
  EXPECT_EQ(std::distance(begin, std::filesystem::directory_iterator()), 1) << "nothing else left";
}

TEST(Inputs, CompressedRunsAreRead) {
  const Scratch folder;
  ProcessOptions here;
  here.folder = folder.folder();
  const std::string lines = slurp(data_fixture().gpu_folder() + "/runs-synthetic.jsonl");
  test::write_gzip(folder.path("some.jsonl.gz"), lines);
  const auto figures = [&](const Arguments& runs) {
    const ProcessResult result = data_fixture().run(with({"validate", "--json", "-"}, runs), here);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out).at("predictors");
  };
  const json plain = figures({});
  EXPECT_EQ(figures({"--runs", "some.jsonl.gz"}), plain);
  // Beside a profile of one's own.
  std::filesystem::copy_file(data_fixture().gpu_folder() + "/profile.json",
                             folder.path("profile.json"));
  test::write_gzip(folder.path("runs.jsonl.gz"), lines);
  EXPECT_EQ(figures({}), plain);
  test::write_gzip(folder.path("bad.jsonl.gz"), lines);
  std::filesystem::resize_file(folder.path("bad.jsonl.gz"), 400);
  const ProcessResult bad = data_fixture().run({"validate", "--runs", "bad.jsonl.gz"}, here);
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err, AllOf(HasSubstr("bad.jsonl.gz"), HasSubstr("end too early")));
}

TEST(Inputs, RecordedRunsMayBeCompressed) {
  const Scratch folder;
  namespace fs = std::filesystem;
  fs::copy(data_fixture().folder(), folder.path("data"), fs::copy_options::recursive);
  const std::string runs = folder.path("data/h200/runs-synthetic.jsonl");
  test::write_gzip(runs + ".gz", slurp(runs));
  fs::remove(runs);
  ProcessOptions options;
  options.environment = {"ROOFTILE_DATA_DIR=" + folder.path("data")};
  options.folder = folder.folder();
  EXPECT_EQ(rooftile_process({"validate"}, options).exit_code, 0);
}

TEST(Counters, AreAskedForByAnOptionOrItsEnvironmentTwin) {
  const Arguments base{"measure", "--replay", data_fixture().gpu_folder(), "--shape", "256"};
  EXPECT_THAT(data_fixture().run({"measure", "--help"}).out,
              AllOf(HasSubstr("--counters"), HasSubstr("ROOFTILE_COUNTERS")));
  for (const char* command : {"run", "tune"})
    EXPECT_THAT(data_fixture().run({command, "--help"}).out, HasSubstr("--counters"));
  EXPECT_EQ(data_fixture().run(with(base, {"--counters"})).exit_code, 0);
  for (const auto& [value, expected] : std::vector<std::pair<std::string, int>>{
           {"1", 0}, {"0", 0}, {"true", 0}, {"false", 0}, {"", 0}, {"perhaps", 2}}) {
    ProcessOptions options;
    options.environment = {"ROOFTILE_COUNTERS=" + value};
    EXPECT_EQ(data_fixture().run(base, options).exit_code, expected) << value;
  }
}

/// CPU time of the command with the shape, which other work on the machine does not change.
double cpu_seconds(const Arguments& command, const std::string& shape) {
  const auto children = [] {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  };
  const double before = children();
  const ProcessResult result = data_fixture().run(with(command, {"--shape", shape, "--json", "-"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_GE(json::parse(result.out).at("predictions").size(), 16u);
  return children() - before;
}

/// A tune that visits every wave takes 70 times as long at 2^20 as at 1024.
TEST(Scaling, TheLargestProblemsTakeNoLongerThanOthers) {
  for (const Arguments& command :
       std::vector<Arguments>{{"predict", "--predictor", "all"}, {"tune", "--top", "20"}}) {
    const double common = cpu_seconds(command, "1024");
    for (const char* shape : {"1Mi", "1Mix1x1Mi", "1x1Mix1Mi", "1048573x1048571x1"})
      EXPECT_LT(cpu_seconds(command, shape), 10 * common) << command[0] << " " << shape;
  }
}

}  // namespace
}  // namespace rooftile::cli
