// rooftile merge and the patterns in names: the parts of a job array, written and joined.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/name_pattern.hpp"
#include "data_fixture.hpp"
#include "gpu/environment.hpp"
#include "model/error.hpp"

namespace rooftile::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string lines_of(const std::vector<RunRecord>& runs) {
  std::string lines;
  for (const RunRecord& run : runs) lines += run.to_json().dump() + "\n";
  return lines;
}

class MergeCommand : public testing::Test {
 protected:
  /// Two parts that share their last cell.
  void SetUp() override {
    const auto& all = data_fixture().runs();
    std::vector<RunRecord> first(all.begin(), all.begin() + 3), second(all.begin() + 2, all.end());
    spill(folder_.path("a.jsonl"), lines_of(first));
    second.front().environment.utc_time = "2099-01-01T00:00:00Z";
    spill(folder_.path("b.jsonl"), lines_of(second));
    second.front().time->median *= 2;
    second.front().time->ci95 = {second.front().time->median, second.front().time->median};
    spill(folder_.path("slow.jsonl"), lines_of(second));
    here_.folder = folder_.folder();
  }

  ProcessResult run(const std::vector<std::string>& arguments) {
    return data_fixture().run(arguments, here_);
  }

  Scratch folder_;
  ProcessOptions here_;
};

TEST_F(MergeCommand, WritesWhatOneSweepWouldHaveWritten) {
  const ProcessResult merged =
      run({"merge", "a.jsonl", "b.jsonl", "--output", "runs.jsonl", "--json", "-"});
  ASSERT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_EQ(json::parse(merged.out).at("runs"), data_fixture().runs().size());
  EXPECT_EQ(json::parse(merged.out).at("replaced"), 1);
  EXPECT_EQ(json::parse(merged.out).at("conflicts").size(), 0u);
  EXPECT_EQ(load_runs(folder_.path("runs.jsonl")).size(), data_fixture().runs().size());
  EXPECT_EQ(run({"validate", "--runs", "runs.jsonl"}).exit_code, 0);
}

TEST_F(MergeCommand, AConflictIsSaidAndFailsUnderStrict) {
  const ProcessResult said = run({"merge", "a.jsonl", "slow.jsonl"});
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("conflicts"));
  EXPECT_THAT(said.err, HasSubstr("1 of the replaced runs differ"));
  EXPECT_EQ(run({"merge", "a.jsonl", "slow.jsonl", "--strict", "--force"}).exit_code, exit_suspect);
}

TEST_F(MergeCommand, RefusesWhatWouldDestroyOrMix) {
  EXPECT_EQ(run({"merge", "a.jsonl", "b.jsonl", "--output", "a.jsonl", "--force"}).exit_code,
            exit_usage);
  const std::string before = slurp(folder_.path("a.jsonl"));
  EXPECT_EQ(run({"merge", "b.jsonl", "--output", "a.jsonl"}).exit_code, exit_usage);
  EXPECT_EQ(slurp(folder_.path("a.jsonl")), before);
  EXPECT_EQ(run({"merge", "a.jsonl", "--output", "b.jsonl.gz"}).exit_code, exit_usage);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("b.jsonl.gz")));
  EXPECT_EQ(run({"merge"}).exit_code, exit_usage);
  EXPECT_EQ(run({"merge", "missing.jsonl"}).exit_code, exit_usage);
  const ProcessResult profile = run({"merge", data_fixture().gpu_folder() + "/profile.json"});
  EXPECT_EQ(profile.exit_code, exit_usage);
  EXPECT_FALSE(std::filesystem::exists(folder_.path("merged.jsonl")));
}

TEST_F(MergeCommand, APartThatWasCutOffIsMergedWithoutItsLastLine) {
  const std::string whole = slurp(folder_.path("b.jsonl"));
  spill(folder_.path("b.jsonl"), whole.substr(0, whole.size() - 40));
  const ProcessResult merged = run({"merge", "a.jsonl", "b.jsonl"});
  EXPECT_EQ(merged.exit_code, 0);
  EXPECT_THAT(merged.err, HasSubstr("b.jsonl: ignored an incomplete last line"));
  EXPECT_EQ(load_runs(folder_.path("merged.jsonl")).size(), data_fixture().runs().size() - 1);
}

std::string expanded(const std::string& name) {
  return expanded_name(name, [] { return std::string("GPU-1"); });
}

TEST(NamePatterns, HostProcessGpuAndPercent) {
  EXPECT_EQ(expanded("plain.jsonl"), "plain.jsonl");
  EXPECT_EQ(expanded("%h-%p"), host_name() + "-" + std::to_string(getpid()));
  EXPECT_EQ(expanded("a-%u.json"), "a-GPU-1.json");
  EXPECT_EQ(expanded("50%%"), "50%");
}

TEST(NamePatterns, AGpuWithoutAUuidHasNoName) {
  EXPECT_THROW(expanded_name("%u.json", [] { return std::string(); }), InputError);
}

TEST(NamePatterns, WhatIsNoPatternIsRefused) {
  for (const char* name : {"%", "50%.csv", "%x", "a%"}) {
    EXPECT_THROW(expanded(name), InputError) << name;
    const ProcessResult result = data_fixture().run({"list", "--json", name});
    EXPECT_EQ(result.exit_code, exit_usage) << name;
    EXPECT_THAT(result.err, HasSubstr("%%"));
  }
}

/// The file that `list --json NAME` writes under these variables, or the exit code.
std::string written(const std::string& name, const std::vector<std::string>& environment) {
  const Scratch folder;
  ProcessOptions options{environment, folder.folder(), 0, 0, ""};
  const ProcessResult result = data_fixture().run({"list", "variants", "--json", name}, options);
  if (result.exit_code != 0) return "exit " + std::to_string(result.exit_code);
  return std::filesystem::directory_iterator(folder.folder())->path().filename().string();
}

TEST(NamePatterns, JobAndRankOfTheLaunchers) {
  EXPECT_EQ(written("%j.json", {"SLURM_JOB_ID=77"}), "77.json");
  EXPECT_EQ(
      written("%j.json", {"SLURM_JOB_ID=78", "SLURM_ARRAY_JOB_ID=77", "SLURM_ARRAY_TASK_ID=1"}),
      "77_1.json");
  EXPECT_EQ(written("%j.json", {"PBS_JOBID=12.host"}), "12.host.json");
  EXPECT_EQ(written("%j.json", {"LSB_JOBID=5"}), "5.json");
  EXPECT_EQ(written("%r.json", {"SLURM_PROCID=3"}), "3.json");
  EXPECT_EQ(written("%r.json", {"OMPI_COMM_WORLD_RANK=4"}), "4.json");
  EXPECT_EQ(written("%r.json", {"PMI_RANK=5"}), "5.json");
  EXPECT_EQ(written("%r.json", {}), "0.json");
  // The innermost launcher counts: ranks of mpirun inherit what the batch script has.
  for (const char* inner : {"OMPI_COMM_WORLD_RANK=1", "PMIX_RANK=1", "PMI_RANK=1"})
    EXPECT_EQ(written("%r.json", {"SLURM_PROCID=0", inner}), "1.json") << inner;
  EXPECT_EQ(written("%j.json", {"LSB_JOBID=5", "LSB_JOBINDEX=2"}), "5_2.json");
  EXPECT_EQ(written("%j.json", {"LSB_JOBID=5", "LSB_JOBINDEX=0"}), "5.json") << "no array";
  EXPECT_EQ(written("%j.json", {}), "exit 2") << "no job";
  EXPECT_EQ(written("%u.json", {}), "exit 2") << "list has no GPU";
}

TEST(NamePatterns, TheGpuIsThatOfTheCommand) {
  const Scratch folder;
  ProcessOptions here;
  here.folder = folder.folder();
  const ProcessResult result =
      data_fixture().run({"measure", "--output", "%u.jsonl", "--shape", "256", "--variant", "naive",
                          "--replay", data_fixture().gpu_folder()},
                         here);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string uuid = data_fixture().runs().front().environment.gpu_uuid;
  EXPECT_EQ(load_runs(folder.path(uuid + ".jsonl")).size(), 1u);
}

}  // namespace
}  // namespace rooftile::cli
