// Kill and resume: whatever the moment and the signal, the file stays valid and --resume ends with
// what an uninterrupted run would have written.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "data_fixture.hpp"
#include "model/profile/device_profile.hpp"
#include "model/record/run.hpp"

namespace rooftile::cli {
namespace {

std::vector<std::string> sweep(const std::string& output, const char* delay) {
  return {"measure",
          "--replay",
          data_fixture().gpu_folder(),
          "--replay-delay",
          delay,
          "--shape",
          "256",
          "512",
          "1024",
          "--variants",
          "naive,smem_tile,warp_tile",
          "--quiet",
          "--output",
          output};
}

std::vector<std::string> sorted_lines(const std::string& path) {
  std::istringstream text(slurp(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  return lines;
}

struct Moment {
  int signal;
  double after_s;
  bool quick;  ///< of characterize: one round instead of three
};
void PrintTo(const Moment& moment, std::ostream* out) {
  *out << "signal " << moment.signal << " after " << moment.after_s << " s";
}

/// 20 moments over the time that an uninterrupted run takes, always the same ones.
std::vector<Moment> moments() {
  std::mt19937 engine(20);
  std::uniform_real_distribution<double> within(0.05, 0.85);
  std::vector<Moment> drawn;
  for (int i = 0; i < 20; ++i)
    drawn.push_back({std::array{SIGINT, SIGTERM, SIGKILL}[static_cast<std::size_t>(i) % 3],
                     within(engine), i % 2 == 1});
  return drawn;
}

class Kill : public testing::TestWithParam<Moment> {
 protected:
  ProcessOptions options() const {
    ProcessOptions options;
    options.signal = GetParam().signal;
    options.signal_after_s = GetParam().after_s;
    return options;
  }
};

TEST_P(Kill, ResumeFinishesTheSweep) {
  const Scratch folder;
  const std::string whole = folder.path("whole.jsonl"), killed = folder.path("killed.jsonl");
  ASSERT_EQ(data_fixture().run(sweep(whole, "0")).exit_code, 0);

  const ProcessResult interrupted = data_fixture().run(sweep(killed, "0.12"), options());
  // A slow machine may not have started, a fast one not be half through: both are fine, 0 is not.
  EXPECT_EQ(interrupted.exit_code, 128 + GetParam().signal) << interrupted.err;
  if (std::filesystem::exists(killed)) {
    EXPECT_LT(sorted_lines(killed).size(), sorted_lines(whole).size());
    if (!slurp(killed).empty()) {
      EXPECT_NO_THROW(load_runs(killed));
    }
  }

  std::vector<std::string> resumed = sweep(killed, "0");
  resumed.push_back("--resume");
  const ProcessResult result = data_fixture().run(resumed);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(sorted_lines(killed), sorted_lines(whole));
}

TEST_P(Kill, ResumeFinishesTheProfile) {
  const Scratch folder;
  const auto characterize = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"characterize", "--replay", data_fixture().gpu_folder(),
                                       "--quiet",      "--output", folder.path(name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (GetParam().quick) arguments.emplace_back("--quick");
    return arguments;
  };
  ASSERT_EQ(data_fixture().run(characterize("whole.json", {})).exit_code, 0);
  const DeviceProfile whole = DeviceProfile::load(folder.path("whole.json"));
  const char* delay = GetParam().quick ? "0.2" : "0.05";  // a full run has more to do
  const ProcessResult interrupted =
      data_fixture().run(characterize("killed.json", {"--replay-delay", delay}), options());
  EXPECT_EQ(interrupted.exit_code, 128 + GetParam().signal) << interrupted.err;
  const std::string killed = folder.path("killed.json");
  if (std::filesystem::exists(killed)) {
    EXPECT_LT(DeviceProfile::load(killed).completed.size(), whole.completed.size());
  }

  const ProcessResult result = data_fixture().run(characterize("killed.json", {"--resume"}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json resumed = DeviceProfile::load(killed).to_json(), expected = whole.to_json();
  for (const char* part : {"metrics", "curves", "tables", "completed"})
    EXPECT_EQ(resumed.at(part), expected.at(part)) << part;
}

INSTANTIATE_TEST_SUITE_P(Moments, Kill, testing::ValuesIn(moments()));

TEST(KillTail, AnIncompleteLastLineIsCutOffAndMeasuredAgain) {
  const Scratch folder;
  const std::string path = folder.path("runs.jsonl");
  ASSERT_EQ(data_fixture().run(sweep(path, "0")).exit_code, 0);
  const std::vector<std::string> whole = sorted_lines(path);
  const std::string text = slurp(path);
  for (std::size_t cut : {std::size_t{1}, std::size_t{2}, text.size() / 3}) {
    spill(path, text.substr(0, text.size() - cut));
    std::vector<std::string> resumed = sweep(path, "0");
    resumed.push_back("--resume");
    ASSERT_EQ(data_fixture().run(resumed).exit_code, 0);
    EXPECT_EQ(sorted_lines(path), whole) << cut;
  }
}

}  // namespace
}  // namespace rooftile::cli
