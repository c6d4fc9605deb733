// What micro/ computes on the host: the registry, the lane patterns and the search for merge rules.
// No GPU needed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "gemm/variant.hpp"
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
  // What runs once comes after all that runs in rounds.
  for (std::size_t i = 3; i < all.size(); ++i)
    EXPECT_LT(std::pair(all[i - 1].once, all[i - 1].name), std::pair(all[i].once, all[i].name));
}

/// What makes two patterns alike: width, direction, and the lanes' offsets from the lowest.
using LaneKey = std::tuple<int, Direction, std::vector<int>>;

LaneKey key_of(int width_bytes, Direction direction, const LaneAddresses& lanes) {
  int lowest = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < 32; ++i)
    if (lanes.active[i]) lowest = std::min(lowest, lanes.byte_offset[i]);
  std::vector<int> offsets;
  for (std::size_t i = 0; i < 32; ++i)
    offsets.push_back(lanes.active[i] ? lanes.byte_offset[i] - lowest : -1);
  return {width_bytes, direction, std::move(offsets)};
}

TEST(LanePatterns, AreManyDistinctAndInsideTheArena) {
  const auto patterns = lane_patterns();
  EXPECT_GE(patterns.size(), 300U);
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

TEST(LanePatterns, HoldThePublishedTable) {
  std::map<std::string, int> wavefronts;
  for (const LanePattern& p : lane_patterns())
    wavefronts[p.name] = shared_wavefronts(p.lanes, p.width_bytes, p.direction, MergeRules{});
  const std::map<std::string, int> published = {
      {"lds128 4i", 4},        {"lds128 0", 2},
      {"lds128 4(i/2)", 2},    {"lds128 pairs i^2", 2},
      {"lds128 pairs i^4", 4}, {"lds128 4(i%16)", 4},
      {"lds128 4(i%8)", 4},    {"lds128 8(i%4)", 4},
      {"lds128 4(i/8)", 2},    {"lds128 8(i/8)", 2},
      {"lds128 4(i/4)", 2},    {"lds128 8(i/4)", 2},
      {"lds128 8(i%8)", 8},    {"lds128 8i", 8},
      {"lds128 32i", 32},      {"lds128 4(i%2+2(i/16))", 2},
      {"lds32 i", 1},          {"lds32 0", 1},
      {"lds32 33i", 1},        {"lds32 2i", 2},
      {"lds32 4i", 4},         {"lds32 8i", 8},
      {"lds32 16i", 16},       {"lds32 32i", 32},
      {"lds64 2i", 2},         {"lds64 0", 1},
      {"lds64 2(i/2)", 1},     {"lds64 2(i%16)", 2},
      {"lds64 4i", 4},         {"lds128 4((i%16)/2)", 2}};
  for (const auto& [name, count] : published) {
    ASSERT_TRUE(wavefronts.contains(name)) << name;
    EXPECT_EQ(wavefronts[name], count) << name;
  }
}

/// Each of the 31 pairings i^mask is there at each width, under whatever name.
TEST(LanePatterns, HoldEveryPairing) {
  std::set<std::pair<int, int>> found;
  for (const LanePattern& p : lane_patterns()) {
    if (p.direction != Direction::load) continue;
    const auto& at = p.lanes.byte_offset;
    for (unsigned mask = 1; mask < 32; ++mask) {
      bool paired = true;
      for (unsigned i = 0; i < 32; ++i)
        paired = paired && p.lanes.active[i] && at[i] == at[i ^ mask];
      const std::set<int> addresses(at.begin(), at.end());
      if (paired && addresses.size() == 16) found.insert({p.width_bytes, static_cast<int>(mask)});
    }
  }
  EXPECT_EQ(found.size(), 3U * 31U);
}

/// micro/ knows nothing of the variants; what their kernels do to shared memory is there as
/// formulas, for every legal tile, on the fast path and the guarded one.
TEST(LanePatterns, HoldWhatEveryVariantUses) {
  std::set<LaneKey> listed;
  for (const LanePattern& p : lane_patterns())
    listed.insert(key_of(p.width_bytes, p.direction, p.lanes));
  std::set<LaneKey> used;
  for (const Variant& variant : variants())
    for (const Tile& tile : variant.tile_space()) {
      if (variant.illegal(tile)) continue;
      for (const std::int64_t size : {4096, 4097})
        for (const SharedAccess& access :
             variant.describe(tile, make_problem(size, size, size)).shared) {
          LaneKey key = key_of(access.width_bytes, access.direction, access.lanes);
          if (!used.insert(key).second) continue;
          EXPECT_TRUE(listed.contains(key))
              << variant.name << ", " << access.name << ", BM " << tile.BM << " BN " << tile.BN
              << " BK " << tile.BK << " TM " << tile.TM << " TN " << tile.TN;
        }
    }
  EXPECT_GE(used.size(), 100U);
}

TEST(LanePatterns, MatchWithinOneAndAHalfPercentOfAWholeNumber) {
  EXPECT_TRUE(matches_wavefronts(1.0078, 1));
  EXPECT_TRUE(matches_wavefronts(31.97, 32));
  EXPECT_FALSE(matches_wavefronts(1.016, 1));
  EXPECT_FALSE(matches_wavefronts(32.49, 32)) << "rounds to 32, but lies 1.53 % above";
  EXPECT_FALSE(matches_wavefronts(4.0, 2));
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
