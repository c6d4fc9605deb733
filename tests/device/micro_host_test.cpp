// What micro/ computes on the host: the registry, the lane patterns and the search for merge rules.
// No GPU needed.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "micro/lane_patterns.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/text.hpp"
#include "model/profile/metric_catalog.hpp"

namespace rooftile::micro {
namespace {

std::set<std::string> registered_names() {
  std::set<std::string> names;
  for (const Microbenchmark& benchmark : microbenchmarks()) names.insert(benchmark.name);
  return names;
}

TEST(MicroRegistry, EqualsTheFolder) {
  std::set<std::string> stems;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(ROOFTILE_SOURCE_DIR) + "/micro"))
    if (file.path().extension() == ".cu") stems.insert(file.path().stem().string());
  EXPECT_EQ(registered_names(), stems);
}

TEST(MicroRegistry, SuppliesEachEntryOfTheCatalog) {
  const std::set<std::string> names = registered_names();
  for (const CatalogEntry& entry : metric_catalog())
    EXPECT_TRUE(names.contains(std::string(entry.supplier))) << entry.id << ": " << entry.supplier;
}

TEST(MicroRegistry, LimitsAndClockComeFirstThenByName) {
  const auto all = microbenchmarks();
  ASSERT_GE(all.size(), 4U);
  EXPECT_EQ(all[0].name, "device_limits");
  EXPECT_EQ(all[1].name, "clock");
  for (std::size_t i = 3; i < all.size(); ++i) EXPECT_LT(all[i - 1].name, all[i].name);
}

TEST(LanePatterns, AreManyDistinctAndInsideTheArena) {
  const auto patterns = lane_patterns();
  EXPECT_GE(patterns.size(), 60U);
  std::set<std::string> names;
  for (const LanePattern& pattern : patterns) {
    EXPECT_TRUE(names.insert(pattern.name).second) << pattern.name;
    bool any = false;
    for (std::size_t i = 0; i < 32; ++i) {
      any |= pattern.lanes.active[i];
      EXPECT_GE(pattern.lanes.byte_offset[i], 0) << pattern.name;
      EXPECT_LT(pattern.lanes.byte_offset[i], 32 * 1024) << pattern.name;
      EXPECT_EQ(pattern.lanes.byte_offset[i] % pattern.width_bytes, 0) << pattern.name;
    }
    EXPECT_TRUE(any) << pattern.name;
  }
}

std::vector<MeasuredPattern> pretend(const MergeRules& rules, double noise) {
  std::vector<MeasuredPattern> measured;
  for (const LanePattern& p : lane_patterns()) {
    const int wavefronts = shared_wavefronts(p.lanes, p.width_bytes, p.direction, rules);
    measured.push_back({p, wavefronts * (1 + noise)});
  }
  return measured;
}

/// Every combination of switches that can be told apart is found again from what it would measure.
TEST(MergeRulesSearch, FindsTheRulesThatMadeTheMeasurement) {
  for (int bits = 0; bits < 32; ++bits) {
    const MergeRules rules{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0,
                           (bits & 16) != 0};
    const RuleVerdict verdict = infer_rules(pretend(rules, 0.005));
    EXPECT_EQ(verdict.unexplained, 0) << bits;
    EXPECT_EQ(verdict.rules.merge_a, rules.merge_a) << bits;
    EXPECT_EQ(verdict.rules.merge_b, rules.merge_b) << bits;
    if (!rules.merge_a && !rules.merge_b) {
      EXPECT_FALSE(verdict.agreed.per_half) << "without merging the other switches are moot";
      continue;
    }
    EXPECT_EQ(verdict.rules, rules) << bits;
    EXPECT_TRUE(verdict.agreed.per_half && verdict.agreed.inactive_matches &&
                verdict.agreed.store_merge)
        << bits;
  }
}

TEST(MergeRulesSearch, CountsWhatNoRuleExplains) {
  auto measured = pretend(MergeRules{}, 0);
  measured[0].cycles += 0.5;
  EXPECT_EQ(infer_rules(measured).unexplained, 1);
  EXPECT_EQ(infer_rules(measured).rules, MergeRules{});
}

TEST(Text, FormatsIntegersNumbersAndWords) {
  EXPECT_EQ(text("{} B, {:.1f} and {}", std::size_t{7}, 2.25, "x"), "7 B, 2.2 and x");
}

}  // namespace
}  // namespace rooftile::micro
