// rooftile characterize on the replay device: selection, plan, resume, interruption, overwriting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "data_fixture.hpp"
#include "model/profile/metric_catalog.hpp"

namespace rooftile::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

ProcessResult characterize_into(const std::string& path, std::vector<std::string> more,
                                const ProcessOptions& options = {}) {
  std::vector<std::string> arguments{"characterize", "--replay", data_fixture().gpu_folder(),
                                     "--output", path};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return data_fixture().run(arguments, options);
}

json read_json(const std::string& path) { return json::parse(slurp(path)); }

TEST(Characterize, OnlySelects) {
  const Scratch folder;
  const std::string path = folder.path("p.json");
  const ProcessResult result = characterize_into(path, {"--only", "^ffma$"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const DeviceProfile profile = DeviceProfile::load(path);
  EXPECT_EQ(profile.metrics.count("ffma.latency"), 1U);
  for (const auto& [id, metric] : profile.metrics)
    EXPECT_EQ(find_catalog_entry(id, EntryKind::metric)->supplier, "ffma") << id;
  const ProcessResult none = characterize_into(folder.path("q.json"), {"--only", "fmaf"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("did you mean"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("q.json")));
}

TEST(Characterize, AnExistingProfileIsKeptWithoutForce) {
  const Scratch folder;
  const std::string path = folder.path("p.json");
  spill(path, "precious");
  const ProcessResult refused = characterize_into(path, {"--only", "^ffma$"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("--resume"), HasSubstr("--force")));
  EXPECT_EQ(slurp(path), "precious");
  EXPECT_EQ(characterize_into(path, {"--only", "^ffma$", "--resume"}).exit_code, 2);
  EXPECT_EQ(slurp(path), "precious");
  EXPECT_EQ(characterize_into(path, {"--only", "^ffma$", "--force"}).exit_code, 0);
  EXPECT_NO_THROW(DeviceProfile::load(path));
}

TEST(Characterize, DryRunShowsPlanAndTimeAndWritesNothing) {
  const Scratch folder;
  const std::string path = folder.path("p.json");
  const ProcessResult text = characterize_into(path, {"--dry-run", "--replay-delay", "0.5"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, AllOf(HasSubstr("would run"), HasSubstr("ffma"), HasSubstr("in all")));
  const auto plan = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--dry-run", "--replay-delay", "0.5", "--json", "-"});
    return json::parse(characterize_into(path, more).out);
  };
  const json one = plan({"--only", "^ffma$"});
  ASSERT_EQ(one.at("plan").size(), 1U);
  EXPECT_GT(one.at("estimated_s"), 0);
  EXPECT_LT(plan({"--only", "^ffma$", "--quick"}).at("estimated_s"), one.at("estimated_s"));
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_EQ(characterize_into(path, {"--only", "^ffma$"}).exit_code, 0);
  const json rest = plan({"--only", "^(ffma|clock)$", "--resume"});
  ASSERT_EQ(rest.at("plan").size(), 1U);
  EXPECT_EQ(rest.at("plan")[0].at("name"), "clock");
  EXPECT_EQ(rest.at("kept"), json::array({"ffma"}));
}

TEST(Characterize, ResumeKeepsWhatIsFinishedAndSaysSo) {
  const Scratch folder;
  const std::string path = folder.path("p.json");
  ASSERT_EQ(characterize_into(path, {"--only", "^ffma$"}).exit_code, 0);
  json marked = read_json(path);
  marked["metrics"]["ffma.latency"]["method"] = "kept";
  spill(path, marked.dump());
  const ProcessResult result = characterize_into(path, {"--only", "^(ffma|clock)$", "--resume"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("keeps 1 of 2 microbenchmarks (ffma)"), HasSubstr("1 not finished")));
  EXPECT_EQ(read_json(path)["metrics"]["ffma.latency"]["method"], "kept");
  EXPECT_EQ(read_json(path)["metrics"].count("clock.ffma"), 1U);
  const ProcessResult again = characterize_into(path, {"--only", "^(ffma|clock)$", "--resume"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("keeps 2 of 2"));
}

TEST(Characterize, ResumeRunsAgainWhatIsNotOfThisBuildModeOrState) {
  const Scratch folder;
  const std::string path = folder.path("p.json");
  ASSERT_EQ(characterize_into(path, {"--only", "^ffma$"}).exit_code, 0);
  const json good = read_json(path);
  const auto resumed = [&](const char* pointer, const json& value,
                           std::vector<std::string> more = {}) {
    json edited = good;
    edited["metrics"]["ffma.latency"]["method"] = "kept";
    edited[json::json_pointer(pointer)] = value;
    spill(path, edited.dump());
    more.insert(more.end(), {"--only", "^ffma$", "--resume"});
    const ProcessResult result = characterize_into(path, more);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(read_json(path)["metrics"]["ffma.latency"]["method"], "kept") << pointer;
    return result.err;
  };
  EXPECT_THAT(resumed("/completed/ffma/git_revision", "000000"), HasSubstr("1 by revision 000000"));
  EXPECT_THAT(resumed("/completed/ffma/mode", "quick"), HasSubstr("1 with --quick"));
  EXPECT_THAT(resumed("/schema_version", 1, {"--quick"}), HasSubstr("1 without --quick"));
  EXPECT_THAT(resumed("/completed", json::object()), HasSubstr("1 not finished"));
  EXPECT_THAT(resumed("/metrics/ffma.throughput/state", "suspect"), HasSubstr("suspect"));
  EXPECT_EQ(read_json(path)["completed"]["ffma"]["mode"], "full");
}

/// A profile that was interrupted after the first round goes on with the second and ends as if it
/// had not been interrupted.
TEST(Characterize, ResumeGoesOnAfterTheLastWholeRound) {
  const Scratch folder;
  const std::string path = folder.path("p.json");
  ASSERT_EQ(characterize_into(path, {"--only", "^ffma$"}).exit_code, 0);
  const json whole = read_json(path);
  EXPECT_EQ(whole.count("unfinished"), 0U);
  json begun = whole;
  begun["unfinished"]["ffma"] = begun["completed"]["ffma"];
  begun["unfinished"]["ffma"].update(
      {{"rounds", 1}, {"metrics", json::object()}, {"curves", json::object()}});
  begun["completed"].erase("ffma");
  const auto resumed = [&](const json& file) {
    spill(path, file.dump());
    const ProcessResult result = characterize_into(path, {"--only", "^ffma$", "--resume"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(read_json(path).count("unfinished"), 0U);
    EXPECT_EQ(read_json(path)["completed"], whole["completed"]);
    return result.err;
  };
  EXPECT_THAT(resumed(begun), HasSubstr("1 from round 2 on"));
  begun["unfinished"]["ffma"]["git_revision"] = "000000";
  EXPECT_THAT(resumed(begun), HasSubstr("1 not finished"));
}

TEST(Characterize, AnInterruptedFullRunKeepsItsRounds) {
  const Scratch folder;
  const std::string path = folder.path("p.json");
  ProcessOptions options;
  options.signal = SIGINT;
  options.signal_after_s = 7;  // of 12; the first round is saved after 4
  characterize_into(path, {"--only", "^(ffma|clock)$", "--quiet", "--replay-delay", "2"}, options);
  const json killed = read_json(path);
  ASSERT_EQ(killed.count("unfinished"), 1U);
  EXPECT_GE(killed["unfinished"]["ffma"].at("rounds"), 1);
  const ProcessResult result = characterize_into(path, {"--only", "^(ffma|clock)$", "--resume"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("from round"));
}

TEST(Characterize, AnotherGpuIsRefused) {
  const Scratch folder;
  const std::string path = folder.path("p.json");
  ASSERT_EQ(characterize_into(path, {"--only", "^ffma$"}).exit_code, 0);
  json other = read_json(path);
  other["environment"]["gpu_uuid"] = "GPU-other";
  spill(path, other.dump());
  const ProcessResult result = characterize_into(path, {"--resume"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("GPU-other"), HasSubstr("--force")));
  EXPECT_EQ(read_json(path), other);
}

}  // namespace
}  // namespace rooftile::cli
