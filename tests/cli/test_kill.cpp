// Kill and resume: whatever the moment and the signal, the file stays valid and --resume ends with
// the same lines as an uninterrupted sweep.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <sstream>

#include "data_fixture.hpp"
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

class Kill : public testing::TestWithParam<std::tuple<int, double>> {};

TEST_P(Kill, ResumeFinishesTheSweep) {
  const auto [signal, after_s] = GetParam();
  const Scratch folder;
  const std::string whole = folder.path("whole.jsonl"), killed = folder.path("killed.jsonl");
  ASSERT_EQ(data_fixture().run(sweep(whole, "0")).exit_code, 0);

  ProcessOptions options;
  options.signal = signal;
  options.signal_after_s = after_s;
  const ProcessResult interrupted = data_fixture().run(sweep(killed, "0.1"), options);
  // A slow machine may not have started, a fast one not be half through: both are fine, 0 is not.
  EXPECT_EQ(interrupted.exit_code, 128 + signal) << interrupted.err;
  EXPECT_LT(sorted_lines(killed).size(), sorted_lines(whole).size());
  if (!slurp(killed).empty()) {
    EXPECT_NO_THROW(load_runs(killed));
  }

  std::vector<std::string> resumed = sweep(killed, "0");
  resumed.push_back("--resume");
  const ProcessResult result = data_fixture().run(resumed);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(sorted_lines(killed), sorted_lines(whole));
}

INSTANTIATE_TEST_SUITE_P(SignalsAndMoments, Kill,
                         testing::Combine(testing::Values(SIGINT, SIGTERM, SIGKILL),
                                          testing::Values(0.15, 0.35, 0.65)));

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

TEST(KillTail, CharacterizeKeepsWhatItFinished) {
  const Scratch folder;
  const std::string path = folder.path("profile.json");
  std::vector<std::string> arguments{"characterize",   "--replay", data_fixture().gpu_folder(),
                                     "--quiet",        "--output", path,
                                     "--replay-delay", "0.1"};
  ProcessOptions options;
  options.signal = SIGINT;
  options.signal_after_s = 0.5;
  EXPECT_EQ(data_fixture().run(arguments, options).exit_code, 128 + SIGINT);
  arguments.back() = "0";
  arguments.push_back("--resume");
  EXPECT_EQ(data_fixture().run(arguments).exit_code, 0);
  EXPECT_NO_THROW(DeviceProfile::load(path));
}

}  // namespace
}  // namespace rooftile::cli
