// Merged runs: one record a cell and GPU, the newest; conflicts are those beyond the uncertainty.
#include "model/record/merge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/record_samples.hpp"

namespace rooftile {
namespace {

RunRecord run_at(const std::string& utc, double median_s, const std::string& variant = "naive") {
  RunRecord run;
  run.environment = test::sample_environment();
  run.environment.utc_time = utc;
  run.variant = variant;
  run.problem = make_problem(256, 256, 256);
  run.time =
      TimeSummary{median_s, 0, median_s, median_s, 9, {0.99 * median_s, 1.01 * median_s}, true};
  return run;
}

const std::string early = "2026-11-29T08:00:00Z", late = "2026-11-30T08:00:00Z";

TEST(MergeRuns, TheNewestStandsWhateverTheOrder) {
  const RunRecord older = run_at(early, 1.0), newer = run_at(late, 1.001);
  for (const std::vector<RunRecord>& runs :
       {std::vector{older, newer}, std::vector{newer, older}}) {
    const MergedRuns merged = merge_runs(runs);
    ASSERT_EQ(merged.runs.size(), 1u);
    EXPECT_EQ(merged.runs[0].environment.utc_time, late);
    EXPECT_EQ(merged.replaced, 1u);
    EXPECT_TRUE(merged.conflicts.empty()) << "0.1 % lies within 1 %";
  }
}

TEST(MergeRuns, OfTheSameTimeTheLaterGivenStands) {
  const MergedRuns merged = merge_runs(std::vector{run_at(late, 1.0), run_at(late, 1.001)});
  ASSERT_EQ(merged.runs.size(), 1u);
  EXPECT_EQ(merged.runs[0].time->median, 1.001);
}

TEST(MergeRuns, ADifferenceBeyondTheUncertaintyIsAConflict) {
  const MergedRuns merged = merge_runs(std::vector{run_at(late, 2.0), run_at(early, 1.0)});
  ASSERT_EQ(merged.conflicts.size(), 1u);
  EXPECT_EQ(merged.conflicts[0].kept_s, 2.0);
  EXPECT_EQ(merged.conflicts[0].kept_utc, late);
  EXPECT_EQ(merged.conflicts[0].dropped_s, 1.0);
  EXPECT_EQ(merged.conflicts[0].dropped_utc, early);
}

TEST(MergeRuns, AFailedRepetitionReplacesNoTime) {
  RunRecord failed = run_at(late, 1.0);
  failed.time.reset();
  failed.state = State::failed;
  for (const std::vector<RunRecord>& runs :
       {std::vector{failed, run_at(early, 1.0)}, std::vector{run_at(early, 1.0), failed}}) {
    const MergedRuns merged = merge_runs(runs);
    ASSERT_EQ(merged.runs.size(), 1u);
    EXPECT_TRUE(merged.runs[0].time.has_value());
  }
}

TEST(MergeRuns, TwoCardsOfOneModelAreTwoCellsAndTwoModelsAreRefused) {
  RunRecord other = run_at(late, 2.0);
  other.environment.gpu_uuid = "GPU-another";
  EXPECT_EQ(merge_runs(std::vector{run_at(early, 1.0), other}).runs.size(), 2u);
  other.environment.gpu_name = "NVIDIA Other";
  EXPECT_THROW(merge_runs(std::vector{run_at(early, 1.0), other}), InputError);
}

/// Each differs from its neighbour within the uncertainty, the oldest and the newest beyond it.
TEST(MergeRuns, ConflictsDoNotDependOnTheOrderOfThree) {
  std::vector<RunRecord> runs{run_at("2026-11-28T08:00:00Z", 1.0), run_at(early, 1.012),
                              run_at(late, 1.024)};
  std::vector<std::size_t> order{0, 1, 2};
  do {
    const MergedRuns merged =
        merge_runs(std::vector{runs[order[0]], runs[order[1]], runs[order[2]]});
    ASSERT_EQ(merged.conflicts.size(), 1u) << order[0] << order[1] << order[2];
    EXPECT_EQ(merged.conflicts[0].kept_s, 1.024);
    EXPECT_EQ(merged.conflicts[0].dropped_s, 1.0);
    EXPECT_EQ(merged.replaced, 2u);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(MergeRuns, CardsWithoutAUuidDifferByHostAndSlot) {
  std::vector<RunRecord> runs(3, run_at(early, 1.0));
  for (RunRecord& run : runs) run.environment.gpu_uuid.clear();
  EXPECT_EQ(merge_runs(runs).runs.size(), 1u);
  runs[1].environment.host += "x";
  runs[2].environment.pci_bus_id += "x";
  EXPECT_EQ(merge_runs(runs).runs.size(), 3u);
}

/// Merging loses no cell, makes none, and merging again changes nothing.
RC_GTEST_PROP(MergeRuns, KeepsEachCellOnceAndIsIdempotent, ()) {
  const auto choices = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 4), rc::gen::inRange(0, 10)));
  std::vector<RunRecord> runs;
  std::set<std::string> cells;
  for (const auto& [cell, hour] : choices) {
    runs.push_back(run_at("2026-11-29T0" + std::to_string(hour) + ":00:00Z", 1.0 + hour,
                          "variant_" + std::to_string(cell)));
    cells.insert(run_key(runs.back()));
  }
  const MergedRuns merged = merge_runs(runs);
  RC_ASSERT(merged.runs.size() == cells.size());
  RC_ASSERT(merged.runs.size() + merged.replaced == runs.size());
  for (const RunRecord& kept : merged.runs)
    for (const RunRecord& run : runs)
      if (run_key(run) == run_key(kept))
        RC_ASSERT(run.environment.utc_time <= kept.environment.utc_time);
  const MergedRuns again = merge_runs(merged.runs);
  RC_ASSERT(again.replaced == 0u);
  RC_ASSERT(again.runs.size() == merged.runs.size());
}

}  // namespace
}  // namespace rooftile
