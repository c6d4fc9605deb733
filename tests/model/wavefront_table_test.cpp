// Shared-memory wavefronts against cycles measured on an H200 at saturation, and their invariants.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "model/error.hpp"
#include "model/memory/wavefronts.hpp"
#include "tests/model/h200_fixture.hpp"

namespace rooftile {
namespace {

using FloatOffset = int (*)(int);

LaneAddresses lanes_at(FloatOffset offset) {
  LaneAddresses lanes;
  for (int i = 0; i < 32; ++i) {
    lanes.byte_offset[static_cast<std::size_t>(i)] = 4 * offset(i);
    lanes.active[static_cast<std::size_t>(i)] = true;
  }
  return lanes;
}

struct Row {
  const char* name;
  int width;
  FloatOffset offset;
  int wavefronts;
};

// Lambdas decay to function pointers with a unary plus.
const Row table[] = {
    {"128: 4i", 16, +[](int i) { return 4 * i; }, 4},
    {"128: 0", 16, +[](int) { return 0; }, 2},
    {"128: 4(i/2), condition A", 16, +[](int i) { return 4 * (i / 2); }, 2},
    {"128: i^2 pairs, condition B", 16, +[](int i) { return 4 * (i % 2 + i / 4 * 2); }, 2},
    {"128: i^4 pairs", 16, +[](int i) { return 4 * (i % 4 + i / 8 * 4); }, 4},
    {"128: 4(i%16)", 16, +[](int i) { return 4 * (i % 16); }, 4},
    {"128: 4(i%8)", 16, +[](int i) { return 4 * (i % 8); }, 4},
    {"128: 8(i%4)", 16, +[](int i) { return 8 * (i % 4); }, 4},
    {"128: 4(i/8)", 16, +[](int i) { return 4 * (i / 8); }, 2},
    {"128: 8(i/8)", 16, +[](int i) { return 8 * (i / 8); }, 2},
    {"128: 4(i/4)", 16, +[](int i) { return 4 * (i / 4); }, 2},
    {"128: 8(i/4)", 16, +[](int i) { return 8 * (i / 4); }, 2},
    {"128: 8(i%8), row-major lanes", 16, +[](int i) { return 8 * (i % 8); }, 8},
    {"128: 8i", 16, +[](int i) { return 8 * i; }, 8},
    {"128: 32i", 16, +[](int i) { return 32 * i; }, 32},
    {"128: Z-order row", 16, +[](int i) { return 4 * (i % 2 + 2 * (i / 16)); }, 2},
    {"128: Z-order column", 16, +[](int i) { return 4 * (i % 16 / 2); }, 2},
    {"32: i", 4, +[](int i) { return i; }, 1},
    {"32: 0", 4, +[](int) { return 0; }, 1},
    {"32: 33i", 4, +[](int i) { return 33 * i; }, 1},
    {"32: 2i", 4, +[](int i) { return 2 * i; }, 2},
    {"32: 4i", 4, +[](int i) { return 4 * i; }, 4},
    {"32: 8i", 4, +[](int i) { return 8 * i; }, 8},
    {"32: 16i", 4, +[](int i) { return 16 * i; }, 16},
    {"32: 32i", 4, +[](int i) { return 32 * i; }, 32},
    {"64: 2i", 8, +[](int i) { return 2 * i; }, 2},
    {"64: 0", 8, +[](int) { return 0; }, 1},
    {"64: 2(i/2)", 8, +[](int i) { return 2 * (i / 2); }, 1},
    {"64: 2(i%16)", 8, +[](int i) { return 2 * (i % 16); }, 2},
    {"64: 4i", 8, +[](int i) { return 4 * i; }, 4},
};

TEST(Wavefronts, MeasuredTable) {
  for (const Row& row : table)
    EXPECT_EQ(shared_wavefronts(lanes_at(row.offset), row.width, Direction::load, {}),
              row.wavefronts)
        << row.name;
}

int load128(FloatOffset offset) {
  return shared_wavefronts(lanes_at(offset), 16, Direction::load, {});
}

TEST(Wavefronts, PairOfFragmentLoadsByLaneOrder) {
  // Row-major 4x8 lanes of 8x8: A at rows i/8, B at columns i%8. Split tiles: 4-float pieces.
  EXPECT_EQ(load128([](int i) { return 8 * (i / 8); }) + load128([](int i) { return 8 * (i % 8); }),
            10);
  EXPECT_EQ(load128([](int i) { return 4 * (i / 8); }) + load128([](int i) { return 4 * (i % 8); }),
            6);
  EXPECT_EQ(load128([](int i) { return 4 * (i % 2 + 2 * (i / 16)); }) +
                load128([](int i) { return 4 * (i % 16 / 2); }),
            4);
}

TEST(Wavefronts, StoresDoNotMergeUnlessSwitchedOn) {
  const LaneAddresses same = lanes_at([](int) { return 0; });
  EXPECT_EQ(shared_wavefronts(same, 16, Direction::store, {}), 4);
  EXPECT_EQ(shared_wavefronts(same, 16, Direction::store, {.store_merge = true}), 2);
  EXPECT_EQ(shared_wavefronts(same, 8, Direction::store, {}), 2);
}

TEST(Wavefronts, SwitchesTurnConditionsOff) {
  const LaneAddresses a = lanes_at([](int i) { return 4 * (i / 2); });
  const LaneAddresses b = lanes_at([](int i) { return 4 * (i % 2 + i / 4 * 2); });
  EXPECT_EQ(shared_wavefronts(a, 16, Direction::load, {.merge_a = false}), 4);
  EXPECT_EQ(shared_wavefronts(a, 16, Direction::load, {.merge_b = false}), 2);
  EXPECT_EQ(shared_wavefronts(b, 16, Direction::load, {.merge_b = false}), 4);
}

TEST(Wavefronts, PerHalfJudgesEachHalfAlone) {
  // First half satisfies A, second half satisfies neither.
  const LaneAddresses mixed = lanes_at([](int i) { return i < 16 ? 4 * (i / 2) : 4 * i; });
  EXPECT_EQ(shared_wavefronts(mixed, 16, Direction::load, {.per_half = false}), 4);
  EXPECT_EQ(shared_wavefronts(mixed, 16, Direction::load, {.per_half = true}), 3);
  const LaneAddresses a_then_b =
      lanes_at([](int i) { return i < 16 ? 2 * (i / 2) : 2 * (i % 2 + i / 4 * 2); });
  EXPECT_EQ(shared_wavefronts(a_then_b, 8, Direction::load, {.per_half = false}), 2);
  EXPECT_EQ(shared_wavefronts(a_then_b, 8, Direction::load, {.per_half = true}), 1);
}

TEST(Wavefronts, InactiveLanes) {
  LaneAddresses lanes = lanes_at([](int i) { return 4 * i; });
  for (std::size_t i = 1; i < 32; i += 2) lanes.active[i] = false;
  // Only even lanes: every pair of A has an inactive member.
  EXPECT_EQ(shared_wavefronts(lanes, 16, Direction::load, {.inactive_matches = false}), 4);
  // Merged halves of 8 active lanes, 8 floats apart: 64 words, two in each bank.
  EXPECT_EQ(shared_wavefronts(lanes, 16, Direction::load, {.inactive_matches = true}), 4);
  lanes = lanes_at([](int i) { return 4 * (i / 2); });
  for (std::size_t i = 1; i < 32; i += 2) lanes.active[i] = false;
  EXPECT_EQ(shared_wavefronts(lanes, 16, Direction::load, {.inactive_matches = true}), 2);
  EXPECT_EQ(shared_wavefronts(lanes, 16, Direction::load, {.inactive_matches = false}), 4);
  lanes.active.fill(false);
  EXPECT_EQ(shared_wavefronts(lanes, 16, Direction::load, {}), 0);
}

TEST(Wavefronts, RefusesWhatHardwareRefuses) {
  EXPECT_THROW(shared_wavefronts(strided_lanes(4), 12, Direction::load, {}), InputError);
  EXPECT_THROW(shared_wavefronts(strided_lanes(4), 16, Direction::load, {}), InputError);
  EXPECT_THROW(shared_wavefronts(strided_lanes(-4), 4, Direction::load, {}), InputError);
}

TEST(Wavefronts, RulesComeFromTheProfile) {
  DeviceProfile profile;
  EXPECT_EQ(merge_rules(profile), MergeRules{});
  test::set(profile, "smem.merge_a", 0);
  test::set(profile, "smem.merge_store", 1);
  EXPECT_EQ(merge_rules(profile), (MergeRules{.merge_a = false, .store_merge = true}));
}

LaneAddresses random_lanes(int width) {
  LaneAddresses lanes;
  const int span = *rc::gen::element(4, 32, 300);
  for (std::size_t i = 0; i < 32; ++i) {
    lanes.byte_offset[i] = width * *rc::gen::inRange(0, span);
    lanes.active[i] = *rc::gen::weightedElement<bool>({{9, true}, {1, false}});
  }
  return lanes;
}

MergeRules random_rules() {
  return {.merge_a = *rc::gen::arbitrary<bool>(),
          .merge_b = *rc::gen::arbitrary<bool>(),
          .per_half = *rc::gen::arbitrary<bool>(),
          .inactive_matches = *rc::gen::arbitrary<bool>(),
          .store_merge = *rc::gen::arbitrary<bool>()};
}

/// Straight from the definition: distinct words of each bank by sets.
int by_definition(const LaneAddresses& lanes, int width, int first, int count) {
  std::array<std::set<int>, 32> bank;
  for (int i = first; i < first + count; ++i)
    if (lanes.active[static_cast<std::size_t>(i)])
      for (int w = 0; w < width / 4; ++w) {
        const int word = lanes.byte_offset[static_cast<std::size_t>(i)] / 4 + w;
        bank[static_cast<std::size_t>(word % 32)].insert(word);
      }
  std::size_t most = 0;
  for (const auto& words : bank) most = std::max(most, words.size());
  return static_cast<int>(most);
}

TEST(WavefrontProperties, WithoutMergingItIsTheSumOverGroups) {
  EXPECT_TRUE(rc::check("groups by definition", [] {
    const int width = *rc::gen::element(4, 8, 16);
    const LaneAddresses lanes = random_lanes(width);
    const int group = 128 / width;
    const bool any = std::count(lanes.active.begin(), lanes.active.end(), true) > 0;
    int expected = 0;  // a group takes its turn even without an active lane
    for (int first = 0; first < 32 && any; first += group)
      expected += std::max(1, by_definition(lanes, width, first, group));
    RC_ASSERT(shared_wavefronts(lanes, width, Direction::load,
                                {.merge_a = false, .merge_b = false}) == expected);
  }));
}

TEST(WavefrontProperties, BoundsAndLowerBound) {
  EXPECT_TRUE(rc::check("bounds", [] {
    const int width = *rc::gen::element(4, 8, 16);
    LaneAddresses lanes = random_lanes(width);
    const Direction direction = *rc::gen::element(Direction::load, Direction::store);
    const MergeRules rules = random_rules();
    const bool any = std::count(lanes.active.begin(), lanes.active.end(), true) > 0;
    const int n = shared_wavefronts(lanes, width, direction, rules);
    RC_ASSERT(n >= (any ? 1 : 0));
    RC_ASSERT(n <= 32);
    lanes.active.fill(true);
    RC_ASSERT(shared_wavefronts(lanes, width, direction, rules) >=
              least_shared_wavefronts(width, direction, rules));
  }));
}

TEST(WavefrontProperties, LanesOfAGroupMayBePermuted) {
  EXPECT_TRUE(rc::check("permutation inside groups, no merging", [] {
    const int width = *rc::gen::element(4, 8, 16);
    const LaneAddresses lanes = random_lanes(width);
    const int group = 128 / width;
    LaneAddresses permuted = lanes;
    for (int first = 0; first < 32; first += group) {
      const int turn = *rc::gen::inRange(0, group);
      for (int i = 0; i < group; ++i) {
        const auto from = static_cast<std::size_t>(first + i);
        const auto to = static_cast<std::size_t>(first + (i + turn) % group);
        permuted.byte_offset[to] = lanes.byte_offset[from];
        permuted.active[to] = lanes.active[from];
      }
    }
    const MergeRules none{.merge_a = false, .merge_b = false};
    RC_ASSERT(shared_wavefronts(lanes, width, Direction::load, none) ==
              shared_wavefronts(permuted, width, Direction::load, none));
  }));
}

TEST(WavefrontProperties, MergingNeverCostsAndShiftsNeverMatter) {
  EXPECT_TRUE(rc::check("merge <= no merge; whole-row shifts", [] {
    const int width = *rc::gen::element(8, 16);
    LaneAddresses lanes = random_lanes(width);
    const MergeRules none{.merge_a = false, .merge_b = false};
    const int merged = shared_wavefronts(lanes, width, Direction::load, {});
    RC_ASSERT(merged <= shared_wavefronts(lanes, width, Direction::load, none));
    for (auto& offset : lanes.byte_offset) offset += 128;
    RC_ASSERT(shared_wavefronts(lanes, width, Direction::load, {}) == merged);
  }));
}

TEST(WavefrontProperties, BroadcastOfOneWordIsOneWavefront) {
  EXPECT_TRUE(rc::check("broadcast", [] {
    LaneAddresses lanes;
    lanes.active.fill(true);
    lanes.byte_offset.fill(4 * *rc::gen::inRange(0, 10000));
    RC_ASSERT(shared_wavefronts(lanes, 4, Direction::load, random_rules()) == 1);
  }));
}

TEST(L1Wavefronts, StridesAsMeasured) {
  // The recorded H200 against this rule: recorded_profile_test.cpp.
  const std::pair<int, int> rows[] = {{1, 1}, {2, 2}, {3, 1}, {4, 4}, {5, 2},
                                      {6, 2}, {7, 2}, {8, 8}, {9, 3}, {32, 32}};
  for (const auto& [stride, wavefronts] : rows)
    EXPECT_EQ(l1_wavefronts(strided_lanes(4 * stride), 4), wavefronts) << "stride " << stride;
  EXPECT_EQ(l1_wavefronts(strided_lanes(16), 16), 4);
  EXPECT_EQ(l1_wavefronts(strided_lanes(0), 4), 1);
}

/// In rising order, as most accesses are, and in any other; all lanes and some.
TEST(Sectors, AndLinesAreTheDistinctOnesThatActiveLanesTouch) {
  EXPECT_TRUE(rc::check("sets", [] {
    LaneAddresses lanes = random_lanes(4);
    if (*rc::gen::arbitrary<bool>()) std::sort(lanes.byte_offset.begin(), lanes.byte_offset.end());
    if (*rc::gen::arbitrary<bool>()) lanes.active.fill(true);
    std::set<int> sectors_touched, lines_touched;
    for (std::size_t i = 0; i < lanes.active.size(); ++i) {
      if (!lanes.active[i]) continue;
      sectors_touched.insert(lanes.byte_offset[i] / 32);
      lines_touched.insert(lanes.byte_offset[i] / 128);
    }
    RC_ASSERT(sectors(lanes, 4) == static_cast<int>(sectors_touched.size()));
    RC_ASSERT(lines(lanes) == static_cast<int>(lines_touched.size()));
  }));
}

TEST(Sectors, CoalescedStridedBroadcast) {
  EXPECT_EQ(sectors(strided_lanes(4), 4), 4);
  EXPECT_EQ(sectors(strided_lanes(8), 4), 8);
  EXPECT_EQ(sectors(strided_lanes(16), 16), 16);
  EXPECT_EQ(sectors(strided_lanes(4096), 4), 32);
  EXPECT_EQ(sectors(strided_lanes(0), 4), 1);
}

}  // namespace
}  // namespace rooftile
