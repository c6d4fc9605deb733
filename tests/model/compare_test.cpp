// The rule of comparison: known answers, its symmetry, curves, tables, runs, the JSON's schema.
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <cmath>
#include <random>

#include "model/record/compare.hpp"
#include "tests/support/record_samples.hpp"
#include "tests/support/schema_errors.hpp"

namespace rooftile::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const EntryComparison& entry_of(const Comparison& comparison, const std::string& id) {
  for (const EntryComparison& entry : comparison.entries)
    if (entry.id == id) return entry;
  throw std::runtime_error("no entry " + id);
}

/// A spread of +- `half` around `value`.
Spread around(double value, double half) { return {value, Interval{value - half, value + half}}; }

TEST(CompareRule, SquaresAddAndExactValuesHaveNoUncertainty) {
  // 3 and 4 make 5.
  EXPECT_DOUBLE_EQ(gap_between(around(100, 3), around(110, 4), 0).uncertainty, 5);
  EXPECT_TRUE(gap_between(around(100, 3), around(105.001, 4), 0).beyond);
  EXPECT_FALSE(gap_between(around(100, 3), around(104.999, 4), 0).beyond);
  EXPECT_FALSE(gap_between({132, {}}, {132, {}}, 0).beyond);
  EXPECT_TRUE(gap_between({132, {}}, {131, {}}, 0).beyond);
}

TEST(CompareRule, TheToleranceComesOnTop) {
  EXPECT_FALSE(gap_between(around(100, 3), around(105.9, 4), 0.01).beyond);
  EXPECT_TRUE(gap_between(around(100, 3), around(106.1, 4), 0.01).beyond);
  EXPECT_FALSE(gap_between(around(-100, 0), around(-100.9, 0), 0.01).beyond);
}

TEST(CompareRule, OnlyTheSidesThatFaceEachOtherCount) {
  const Spread low{100, Interval{50, 101}}, high{104, Interval{102, 900}};
  EXPECT_DOUBLE_EQ(gap_between(low, high, 0).uncertainty, std::hypot(1, 2));
  EXPECT_DOUBLE_EQ(gap_between(high, low, 0).uncertainty, std::hypot(1, 2));
}

TEST(CompareRule, AnIntervalBesideItsValueCountsWithItsWidthAtMost) {
  EXPECT_DOUBLE_EQ(gap_between({100, {}}, {200, Interval{99, 101}}, 0).uncertainty, 2);
}

TEST(CompareRule, IsSymmetricWithoutTolerance) {
  EXPECT_TRUE(rc::check("a against b as b against a", [] {
    const auto spread = [] {
      const double value = *positive_number();
      return around(value, value * *rc::gen::inRange(0, 1000) / 1e4);
    };
    const Spread a = spread(), b = spread();
    RC_ASSERT(gap_between(a, b, 0).beyond == gap_between(b, a, 0).beyond);
    RC_ASSERT(!gap_between(a, a, 0).beyond);
  }));
}

/// Normal values whose 95 % intervals are known: at most 5 % of unchanged pairs differ, and with
/// the widening at most 5 % of unchanged curves.
TEST(CompareRule, HoldsItsLevelOnUnchangedValues) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 1);
  constexpr int trials = 4000, points = 50;
  int differing = 0, curves = 0;
  for (int trial = 0; trial < trials; ++trial) {
    bool any = false;
    for (int point = 0; point < points; ++point) {
      const Spread a = around(1000 + noise(random), 1.96), b = around(1000 + noise(random), 1.96);
      differing += point == 0 && gap_between(a, b, 0).beyond;
      any |= gap_between(a, b, 0, simultaneous_widening(points)).beyond;
    }
    curves += any;
  }
  EXPECT_NEAR(differing / double{trials}, 0.05, 0.012);
  EXPECT_NEAR(curves / double{trials}, 0.05, 0.012);
}

TEST(CompareRule, WideningIsTheRatioOfNormalQuantiles) {
  EXPECT_EQ(simultaneous_widening(1), 1);
  EXPECT_NEAR(simultaneous_widening(10), 2.80703 / 1.95996, 1e-3);   // z(0.9975)
  EXPECT_NEAR(simultaneous_widening(100), 3.48076 / 1.95996, 1e-3);  // z(0.99975)
}

TEST(CompareProfiles, WithItselfNothingDiffers) {
  const DeviceProfile profile = sample_profile();
  const Comparison c = compare_profiles(profile, profile, {});
  EXPECT_EQ(c.count(Verdict::differs), 0);
  EXPECT_EQ(c.missing(), 0);
  EXPECT_EQ(c.count(Verdict::not_comparable), 2) << "dram.latency and l1.stride have no value";
  EXPECT_TRUE(entry_of(c, "dram.latency").both_absent);
  EXPECT_EQ(c.coverage(), 1.0);
  EXPECT_EQ(c.mean_ratio(), std::nullopt);
}

TEST(CompareProfiles, EveryVerdict) {
  const DeviceProfile a = sample_profile();
  DeviceProfile b = a;
  b.metrics["ffma.latency"].value = 4.5;
  b.metrics["ffma.latency"].repeat95 = Interval{4.45, 4.55};
  b.metrics["device.sm_count"].unit = "1";
  b.metrics.erase("dram.latency");
  b.metrics["clock.ffma"].value = 1.2e9;
  b.metrics["launch.overhead"] = {2e-6, "s", "median", 7, {}, {}, {}, "", State::ok, ""};
  const Comparison c = compare_profiles(a, b, {});
  EXPECT_EQ(entry_of(c, "ffma.latency").verdict, Verdict::differs);
  EXPECT_NEAR(*entry_of(c, "ffma.latency").difference, 0.4 / 4.1, 1e-12);
  EXPECT_NEAR(*entry_of(c, "ffma.latency").uncertainty, std::hypot(0.1, 0.05) / 4.1, 1e-12);
  EXPECT_EQ(entry_of(c, "device.sm_count").verdict, Verdict::not_comparable);
  EXPECT_EQ(entry_of(c, "device.sm_count").note, "count in A, 1 in B");
  EXPECT_EQ(entry_of(c, "dram.latency").verdict, Verdict::only_in_reference);
  EXPECT_EQ(entry_of(c, "launch.overhead").verdict, Verdict::only_in_other);
  EXPECT_EQ(entry_of(c, "launch.overhead").other, 2e-6);
  EXPECT_EQ(entry_of(c, "clock.ffma").verdict, Verdict::not_comparable) << "suspect";
  EXPECT_THAT(entry_of(c, "clock.ffma").note, HasSubstr("suspect in both: hot"));
  EXPECT_EQ(c.missing(), 2);
  EXPECT_EQ(c.coverage(), 0.0);
}

TEST(CompareProfiles, AFailureOnOneSideIsNamed) {
  const DeviceProfile a = sample_profile();
  DeviceProfile b = a;
  b.metrics["ffma.latency"] = {{}, "cycle", "", 0, {}, {}, {}, "", State::failed, "no memory"};
  const EntryComparison entry = entry_of(compare_profiles(a, b, {0, "A", "C"}), "ffma.latency");
  EXPECT_EQ(entry.verdict, Verdict::not_comparable);
  EXPECT_EQ(entry.note, "failed in C: no memory");
  EXPECT_FALSE(entry.both_absent);
}

TEST(CompareProfiles, CurvesAreJudgedAtCommonPoints) {
  const DeviceProfile a = sample_profile();
  DeviceProfile b = a;
  Curve& curve = b.curves["smem.conflict.lds32"];
  curve.x = {1, 4, 8};
  curve.y = {1.05, 6, 8};
  curve.ci95 = {{1, 1.1}, {5.9, 6.1}, {7.9, 8.1}};
  const EntryComparison entry = entry_of(compare_profiles(a, b, {}), "smem.conflict.lds32");
  EXPECT_EQ(entry.verdict, Verdict::differs);
  EXPECT_EQ(entry.compared, 2);
  EXPECT_EQ(entry.differing, 1);
  ASSERT_TRUE(entry.largest);
  EXPECT_EQ(entry.largest->x, 4);
  EXPECT_NEAR(*entry.difference, 1.5 / 4.5, 1e-12);
  EXPECT_EQ(entry.note, "1 of 3 points only in A; 1 of 3 points only in B");
  curve.x = {3, 5, 6};
  EXPECT_EQ(entry_of(compare_profiles(a, b, {}), "smem.conflict.lds32").verdict,
            Verdict::not_comparable);
}

TEST(CompareProfiles, TablesTellWhichCellsChanged) {
  DeviceProfile a = sample_profile();
  a.tables["map"] = {{"sm", "latency"}, {"count", "cycle"}, {{"", {0, 200}}, {"", {1, 260}}}, ""};
  DeviceProfile b = a;
  b.tables["smem.patterns"].rows = {{"0", {2.02, 2}}, {"4i", {8, 4}}, {"new", {1, 1}}};
  b.tables["map"].rows[1].values = {2, 262};
  const Comparison c = compare_profiles(a, b, {});
  const EntryComparison& patterns = entry_of(c, "smem.patterns");
  EXPECT_EQ(patterns.verdict, Verdict::differs);
  EXPECT_EQ(patterns.compared, 4);
  ASSERT_EQ(patterns.changes.size(), 1U) << "2.02 of 2 is within 2 %";
  EXPECT_EQ(patterns.changes[0].row + " " + patterns.changes[0].column, "4i measured");
  EXPECT_EQ(patterns.note, "1 of 3 rows only in B");
  const EntryComparison& map = entry_of(c, "map");
  ASSERT_EQ(map.changes.size(), 1U) << "262 of 260 cycles is within 2 %, SM 2 is not SM 1";
  EXPECT_EQ(map.changes[0].column, "sm");
  EXPECT_EQ(map.changes[0].row, "#2");
  b.tables["map"].columns = {"sm", "cycles"};
  EXPECT_EQ(entry_of(compare_profiles(a, b, {}), "map").verdict, Verdict::not_comparable);
}

TEST(CompareProfiles, AbsentTableCellsAreEqualToEachOtherOnly) {
  DeviceProfile a = sample_profile();
  a.tables["smem.patterns"].rows[0].values = {std::nan(""), 4};
  EXPECT_EQ(compare_profiles(a, a, {}).count(Verdict::differs), 0);
  const Comparison c = compare_profiles(a, sample_profile(), {});
  ASSERT_EQ(entry_of(c, "smem.patterns").changes.size(), 1U);
  EXPECT_EQ(entry_of(c, "smem.patterns").changes[0].reference, std::nullopt);
}

TEST(CompareProfiles, CoverageCountsMetricsWithAnInterval) {
  DeviceProfile a, b;
  for (int i = 0; i < 20; ++i) {
    const std::string id = "m" + std::to_string(i);
    a.metrics[id] = {10, "cycle", "", 9, {}, {}, Interval{9, 11}, "", State::ok, ""};
    b.metrics[id] = a.metrics[id];
    b.metrics[id].value = i < 3 ? 12 : 11;
  }
  a.metrics["exact"] = b.metrics["exact"] = {1, "count", "", 1, {}, {}, {}, "", State::ok, ""};
  const Comparison c = compare_profiles(a, b, {});
  EXPECT_EQ(c.coverable, 20);
  EXPECT_EQ(c.coverage(), 0.85);
}

/// A value without an interval is exact where it counts, and a single reading elsewhere.
TEST(CompareProfiles, ReadingsWithoutIntervalAgreeWithinTheirTolerance) {
  const auto verdict = [](double reference, double other, const char* unit) {
    DeviceProfile a, b;
    a.metrics["m"] = {reference, unit, "", 1, {}, {}, {}, "", State::ok, ""};
    b.metrics["m"] = {other, unit, "", 1, {}, {}, {}, "", State::ok, ""};
    return entry_of(compare_profiles(a, b, {}), "m").verdict;
  };
  EXPECT_EQ(verdict(132, 133, "count"), Verdict::differs);
  EXPECT_EQ(verdict(0.999, 1.001, "1"), Verdict::same);
  EXPECT_EQ(verdict(14.7, 15.5, "count"), Verdict::differs);
  EXPECT_EQ(verdict(441, 445, "W"), Verdict::same);
  EXPECT_EQ(verdict(441, 145, "W"), Verdict::differs);
}

/// No interval is not one of width 0.
TEST(CompareProfiles, AMissingIntervalIsNoUncertainty) {
  DeviceProfile a, b;
  a.metrics["m"] = {14.7, "count", "", 1, {}, {}, {}, "", State::ok, ""};
  b.metrics["m"] = {15.5, "count", "", 1, {}, {}, {}, "", State::ok, ""};
  const EntryComparison entry = entry_of(compare_profiles(a, b, {}), "m");
  EXPECT_EQ(entry.verdict, Verdict::differs);
  EXPECT_EQ(entry.uncertainty, std::nullopt);
  EXPECT_EQ(entry.note, "neither has an interval");
  EXPECT_EQ(entry_of(compare_profiles(a, a, {}), "m").note, "");
}

TEST(CompareRuns, RatiosStatesAndMissingCells) {
  RunRecord slower = sample_run(), gone = sample_run(), broken = sample_run();
  gone.problem = make_problem(64, 64, 64);
  broken.problem = make_problem(128, 128, 128);
  const std::vector<RunRecord> a{slower, gone, broken};
  slower.time->median *= 1.1;
  slower.time->ci95 = {slower.time->median, slower.time->median};
  slower.sm_clock_hz = 1.5e9;
  broken.state = State::failed;
  broken.reason = "wrong result";
  broken.time.reset();
  const std::vector<RunRecord> b{slower, broken};
  const Comparison c = compare_runs(a, b, {});
  const EntryComparison& entry = entry_of(c, run_key(slower));
  EXPECT_EQ(entry.verdict, Verdict::differs);
  EXPECT_NEAR(*entry.difference, 0.1, 1e-12);
  EXPECT_NEAR(*entry.uncertainty, 2e-6 / 1.5e-3, 1e-9);
  EXPECT_THAT(entry.note, HasSubstr("SM clock 1968 -> 1500 MHz"));
  EXPECT_EQ(entry_of(c, run_key(gone)).verdict, Verdict::only_in_reference);
  EXPECT_EQ(entry_of(c, run_key(broken)).verdict, Verdict::not_comparable);
  EXPECT_THAT(entry_of(c, run_key(broken)).note, HasSubstr("failed in B: wrong result"));
  EXPECT_NEAR(*c.mean_ratio(), 1.1, 1e-12);
  EXPECT_EQ(c.coverage(), std::nullopt);
}

TEST(CompareRuns, TheLastRecordWithATimeStands) {
  RunRecord first = sample_run(), second = sample_run(), third = sample_run();
  second.time->median = 2e-3;
  second.time->ci95 = {2e-3, 2e-3};
  third.time.reset();
  third.state = State::failed;
  const std::vector<RunRecord> a{sample_run()}, b{first, second, third};
  EXPECT_EQ(compare_runs(a, b, {}).entries.at(0).other, 2e-3);
}

TEST(CompareHeads, OnlyWhatDiffersIsListed) {
  const ComparedFile a = compared_file("A", "a", sample_profile());
  ComparedFile b = a;
  b.environment.utc_time = "later";
  b.environment.start.power_w = 1;
  EXPECT_THAT(head_differences(std::vector{a, b}), IsEmpty());
  b.environment.driver_version = "999";
  b.environment.end.throttle_reasons = {};
  const auto differences = head_differences(std::vector{a, b, a});
  ASSERT_EQ(differences.size(), 2U);
  EXPECT_EQ(differences[0].member, "driver");
  EXPECT_THAT(differences[0].values, ElementsAre("580.10", "999", "580.10"));
  EXPECT_THAT(differences[1].values, ElementsAre("sw_power_cap", "none", "sw_power_cap"));
}

/// A comparison that has every member set somewhere.
Json sample_comparison() {
  const DeviceProfile a = sample_profile();
  DeviceProfile b = a;
  b.metrics["ffma.latency"].value = 5;
  b.metrics.erase("clock.ffma");
  b.curves["smem.conflict.lds32"].y[1] = 3;
  b.tables["smem.patterns"].rows[0].values[0] = 9;
  b.environment.driver_version = "999";
  const std::vector files{compared_file("A", "a.json", a), compared_file("B", "b.json", b)};
  const std::vector comparisons{compare_profiles(a, b, {})};
  return comparison_json(files, comparisons, 0.01);
}

TEST(CompareJson, FollowsItsSchema) {
  const Json json = sample_comparison();
  EXPECT_EQ(schema_errors("comparison", json), "");
  EXPECT_EQ(json["comparisons"][0]["differ"], 3);
  EXPECT_EQ(json["head_differences"][0]["member"], "driver");
  const std::vector<RunRecord> runs{sample_run()};
  const std::vector files{compared_file("A", "a", runs), compared_file("B", "b", runs)};
  const std::vector comparisons{compare_runs(runs, runs, {})};
  EXPECT_EQ(schema_errors("comparison", comparison_json(files, comparisons, 0)), "");
}

/// Each member removed or replaced, at every depth, must trouble the schema, else it checks
/// nothing.
TEST(CompareJson, SchemaRefusesMissingMembers) {
  const Json good = sample_comparison();
  for (const char* parent : {"", "/files/0", "/head_differences/0", "/comparisons/0",
                             "/comparisons/0/coverage", "/comparisons/0/entries/0"}) {
    const Json members = good[Json::json_pointer(parent)];
    for (const auto& item : members.items()) {
      Json bad = good;
      bad[Json::json_pointer(parent)].erase(item.key());
      EXPECT_NE(schema_errors("comparison", bad), "") << parent << "/" << item.key();
      bad = good;
      bad[Json::json_pointer(parent)][item.key()] = Json::array({Json::object()});
      EXPECT_NE(schema_errors("comparison", bad), "") << parent << "/" << item.key();
    }
  }
}

TEST(CompareJson, AnyTwoProfilesGiveAValidFile) {
  EXPECT_TRUE(rc::check("comparison.json follows its schema", [] {
    const auto profile = [] {
      DeviceProfile p = sample_profile();
      for (const char* id : {"ffma.latency", "smem.lds32.latency", "l1.latency"})
        if (*rc::gen::arbitrary<bool>()) p.metrics[id] = *legal_metric("cycle");
      for (double& y : p.curves["smem.conflict.lds32"].y) y = *positive_number();
      return p;
    };
    const DeviceProfile a = profile(), b = profile();
    const std::vector files{compared_file("A", "a", a), compared_file("B", "b", b)};
    const std::vector comparisons{compare_profiles(a, b, {})};
    RC_ASSERT(schema_errors("comparison", comparison_json(files, comparisons, 0)) == "");
    const Comparison& c = comparisons.front();
    RC_ASSERT(c.count(Verdict::same) + c.count(Verdict::differs) + c.missing() +
                  c.count(Verdict::not_comparable) ==
              static_cast<int>(c.entries.size()));
  }));
}

Prediction predicted(const std::string& variant, double time_s, double half) {
  Prediction p;
  p.predictor = "analytic";
  p.variant = variant;
  p.time_s = time_s;
  if (half > 0) p.input_interval = Interval{time_s - half, time_s + half};
  return p;
}

TEST(ComparePredictions, TimesAreJudgedByTheIntervalsOfTheirInputs) {
  const std::vector<Prediction> a = {predicted("same", 1, 0.05), predicted("slower", 1, 0.05),
                                     predicted("gone", 1, 0)};
  std::vector<Prediction> b = {predicted("same", 1.06, 0.05), predicted("slower", 1.08, 0.05),
                               predicted("new", 1, 0)};
  b[1].bound = Bound::dram;
  const Comparison comparison = compare_predictions(a, b, {});
  const auto verdict_of = [&](const std::string& variant) {
    for (const EntryComparison& entry : comparison.entries)
      if (entry.id.starts_with("analytic " + variant + " ")) return entry;
    throw std::runtime_error("no entry of " + variant);
  };
  EXPECT_EQ(comparison.entries.size(), 4u);
  EXPECT_EQ(verdict_of("same").verdict, Verdict::same);
  EXPECT_EQ(verdict_of("slower").verdict, Verdict::differs);
  EXPECT_EQ(verdict_of("slower").note, "bound fma -> dram");
  EXPECT_NEAR(*verdict_of("slower").difference, 0.08, 1e-12);
  EXPECT_EQ(verdict_of("gone").verdict, Verdict::only_in_reference);
  EXPECT_EQ(verdict_of("new").verdict, Verdict::only_in_other);
  EXPECT_NEAR(*comparison.mean_ratio(), std::sqrt(1.06 * 1.08), 1e-12);
}

}  // namespace
}  // namespace rooftile::test
