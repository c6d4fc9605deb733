// The rules that choose a kernel for small problems: legal over the whole domain, and sane where
// the answer is known.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "gemm/hand/expected_time.hpp"
#include "gemm/small/choice.hpp"

namespace rooftile::gemm::small {
namespace {

/// 132 multiprocessors, clusters and residency as an H200 reports them.
Machine hopper() {
  Machine machine;
  machine.sm_count = 132;
  machine.has_clusters = true;
  machine.clusters = {0, 0, 66, 39, 30, 22, 17, 15, 15, 9, 7, 7, 7, 7, 7, 7, 7};
  constexpr std::array<int, candidates.size()> whole{8, 6, 4, 4, 4, 4, 4, 2, 2, 4, 2, 1, 2, 2};
  for (int path = 0; path < path_count; ++path)
    machine.whole[static_cast<std::size_t>(path)] =
        machine.in_cluster[static_cast<std::size_t>(path)] = whole;
  return machine;
}

/// No clusters and no room for the large tiles.
Machine modest() {
  Machine machine;
  machine.sm_count = 20;
  for (auto& path : machine.whole) path = {4, 2, 2, 2, 1, 1, 1};
  return machine;
}

Problem any_problem() {
  Problem p;
  p.M = *rc::gen::inRange<std::int64_t>(1, 70'000);
  p.N = *rc::gen::inRange<std::int64_t>(1, 70'000);
  p.K = *rc::gen::inRange<std::int64_t>(1, 70'000);
  p.direct = *rc::gen::arbitrary<bool>();
  p.words = p.direct || *rc::gen::arbitrary<bool>();
  if (!p.direct) p.copied_bytes = 4.0 * static_cast<double>(p.M * p.K);
  return p;
}

RC_GTEST_PROP(SmallChoice, IsALaunchThatTheDeviceTakes, ()) {
  const Problem p = any_problem();
  for (const Machine& machine : {hopper(), modest()}) {
    const Choice choice = choose(p, machine);
    RC_ASSERT(std::isfinite(choice.seconds) && choice.seconds > 0);
    RC_ASSERT(choice.path != Path::direct || p.direct);
    RC_ASSERT(choice.path != Path::words || p.words);
    const auto candidate = static_cast<std::size_t>(choice.candidate);
    const auto path = static_cast<std::size_t>(choice.path);
    RC_ASSERT((choice.cluster ? machine.in_cluster : machine.whole)[path][candidate] > 0);
    RC_ASSERT(choice.splits >= 1);
    RC_ASSERT(choice.splits == 1 ||
              choice.splits <= (p.K + candidates[candidate].BK - 1) / candidates[candidate].BK);
    if (choice.cluster) {
      RC_ASSERT(choice.splits <= largest_cluster);
      RC_ASSERT(choice.splits <= candidates[candidate].BM);  // blocks own rows
      RC_ASSERT(machine.clusters[static_cast<std::size_t>(choice.splits)] > 0);
    }
    RC_ASSERT(possible(p, machine, choice));
  }
}

/// Of the splits by clusters and of none, none is expected to be faster.
RC_GTEST_PROP(SmallChoice, IsTheBestOfThePossible, ()) {
  const Problem p = any_problem();
  const Machine machine = hopper();
  const double best = choose(p, machine).seconds;
  for (const Path path : {Path::direct, Path::prepared, Path::words}) {
    if (path == Path::direct ? !p.direct : path == Path::words ? !p.words : p.direct) continue;
    for (int candidate = 0; candidate < candidate_count; ++candidate)
      for (int splits = 1; splits <= largest_cluster; ++splits) {
        const Choice other{
            .path = path, .candidate = candidate, .splits = splits, .cluster = splits > 1};
        if (possible(p, machine, other)) RC_ASSERT(estimate(p, machine, other) >= best);
      }
  }
}

TEST(SmallChoice, CopiesAreBoundedWhereWordsDoWithout) {
  Problem p{.M = 70'000, .N = 70'000, .K = 70'000, .words = true, .copied_bytes = 2e10};
  EXPECT_EQ(choose(p, hopper()).path, Path::words);
  p.words = false;
  EXPECT_EQ(choose(p, hopper()).path, Path::prepared);
}

/// Each word path that is not compiled has costs of 0 and is never chosen.
RC_GTEST_PROP(SmallChoice, NeverTakesAKernelThatIsNotCompiled, ()) {
  Problem p = any_problem();
  p.direct = false;
  p.words = true;
  const Choice choice = choose(p, hopper());
  if (choice.path == Path::words)
    RC_ASSERT(candidates[static_cast<std::size_t>(choice.candidate)].words.alone > 0);
}

TEST(SmallChoice, DeepProblemsAreSplitAndLargeOnesAreNot) {
  const Problem deep{.M = 256, .N = 256, .K = 16384, .direct = true, .words = true};
  EXPECT_GT(choose(deep, hopper()).splits, 4);
  const Problem large{.M = 4096, .N = 4096, .K = 4096, .direct = true, .words = true};
  EXPECT_EQ(choose(large, hopper()).splits, 1);
}

TEST(SmallChoice, TileIsTheCandidates) {
  for (int i = 0; i < candidate_count; ++i) {
    const Tile tile = tile_of({.candidate = i, .splits = 3});
    EXPECT_EQ(tile.BM, candidates[static_cast<std::size_t>(i)].BM);
    EXPECT_EQ(tile.split_k, 3);
    EXPECT_EQ(tile.BM % tile.WM, 0) << i;
    EXPECT_EQ(tile.BN % tile.WN, 0) << i;
  }
}

/// Not with M and N: further tiles leave fewer blocks to a tile, whose sums are then added sooner.
RC_GTEST_PROP(HandExpectedTime, GrowsWithKAndCopies, ()) {
  const hand::ExpectedWork work{.M = *rc::gen::inRange<std::int64_t>(1, 70'000),
                                .N = *rc::gen::inRange<std::int64_t>(1, 70'000),
                                .K = *rc::gen::inRange<std::int64_t>(1, 70'000)};
  const double seconds = hand::expected_seconds(work, 132, 1.98e9);
  hand::ExpectedWork deeper = work, copied = work;
  deeper.K += 1000;
  copied.copied_bytes = 1e6;
  copied.copies = 1;
  RC_ASSERT(seconds > 0);
  RC_ASSERT(hand::expected_seconds(deeper, 132, 1.98e9) > seconds);
  RC_ASSERT(hand::expected_seconds(copied, 132, 1.98e9) > seconds);
}

TEST(HandExpectedTime, OfALargeProblemIsThatOfItsTiles) {
  const hand::ExpectedWork cube{.M = 8192, .N = 8192, .K = 8192};
  const double fma_a_second = 117.8 * 132 * 1.98e9;
  EXPECT_NEAR(hand::expected_seconds(cube, 132, 1.98e9), std::pow(8192.0, 3) / fma_a_second, 1e-4);
}

/// As many as there are k-tiles for: 128x128x128 keeps one block, 256x256x256 four for two tiles.
TEST(HandExpectedTime, FixUpsAreOfTheBlocksThatRun) {
  const auto seconds = [](std::int64_t size) {
    return hand::expected_seconds({.M = size, .N = size, .K = size}, 132, 1.98e9);
  };
  EXPECT_LT(seconds(128), 27e-6);
  EXPECT_LT(seconds(256), 28e-6);
  EXPECT_LT(seconds(512), 40e-6);
}

}  // namespace
}  // namespace rooftile::gemm::small
