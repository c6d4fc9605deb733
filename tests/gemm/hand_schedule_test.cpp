// The hand-scheduled kernel's work, walked on the host as its blocks walk it: every k-tile of every
// tile once, and nobody waits for a block after itself.
#include "gemm/hand/schedule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "gemm/variants/hand_scheduled.hpp"

namespace rooftile::gemm::hand {
namespace {

struct Unit {
  int tile, begin, end;
};

int share(const Schedule& s, int block) {
  return block * s.split_share + std::min(block, s.split_rest);
}

/// As advance() in shell.cu.
std::vector<Unit> units_of(const Schedule& s, int block) {
  std::vector<Unit> units;
  const int low = share(s, block);
  for (int high = share(s, block + 1); high > low;) {
    const int tile = (high - 1) / s.k_tiles, first = tile * s.k_tiles;
    const int begin = std::max(low - first, 0);
    units.push_back({tile, begin, high - first});
    high = first + begin;
  }
  for (int tile = s.split_tiles + block; tile < s.tiles_m * s.tiles_n; tile += s.blocks)
    units.push_back({tile, 0, s.k_tiles});
  return units;
}

/// As collect(): the blocks that the owner of k-tiles from `begin` of `tile` adds up.
std::vector<int> contributors(const Schedule& s, int block, const Unit& unit) {
  std::vector<int> blocks;
  for (int from = block - 1; unit.begin > 0 && from >= 0; --from) {
    blocks.push_back(from);
    if (share(s, from) <= unit.tile * s.k_tiles) break;
  }
  return blocks;
}

/// Empty when all is well.
std::string fault_of(const Schedule& s) {
  const auto tiles = static_cast<std::size_t>(s.tiles_m) * static_cast<std::size_t>(s.tiles_n);
  std::vector<std::vector<int>> times(tiles, std::vector<int>(static_cast<std::size_t>(s.k_tiles)));
  std::vector<int> given(static_cast<std::size_t>(s.blocks), -1), taken = given;
  for (int block = 0; block < s.blocks; ++block) {
    bool collected = false;
    for (const Unit& unit : units_of(s, block)) {
      for (int k = unit.begin; k < unit.end; ++k)
        ++times[static_cast<std::size_t>(unit.tile)][static_cast<std::size_t>(k)];
      if (unit.end < s.k_tiles) {
        if (given[static_cast<std::size_t>(block)] >= 0) return "a block gives away two tiles";
        if (collected) return "a block waits before it gives away";
        given[static_cast<std::size_t>(block)] = unit.tile;
        continue;
      }
      for (const int from : contributors(s, block, unit)) {
        collected = true;
        if (taken[static_cast<std::size_t>(from)] >= 0) return "sums are taken twice";
        taken[static_cast<std::size_t>(from)] = unit.tile;
      }
    }
  }
  if (given != taken) return "what is given is not what is taken";
  for (const auto& tile : times)
    for (const int n : tile)
      if (n != 1) return "a k-tile is not done once";
  return "";
}

TEST(HandSchedule, EveryKTileOnce) {
  EXPECT_TRUE(rc::check("schedule", [] {
    const auto size = rc::gen::inRange(1, 20000);
    const auto depth = rc::gen::inRange(1, 3000);
    const Schedule s = schedule_of(*size, *size, *depth, *rc::gen::inRange(1, 200));
    RC_ASSERT(s.blocks >= 1);
    RC_ASSERT(fault_of(s).empty());
  }));
}

TEST(HandSchedule, CornersToo) {
  for (const int sms : {1, 2, 78, 114, 132, 144})
    for (const int m : {1, 256, 257, 4096, 16384})
      for (const int n : {1, 128, 129, 4096})
        for (const int k : {1, 32, 33, 64, 4096, 16384})
          EXPECT_EQ(fault_of(schedule_of(m, n, k, sms)), "") << m << " " << n << " " << k;
}

TEST(HandSchedule, BlocksShareEvenlyWhereTilesAreFew) {
  const Schedule s = schedule_of(1024, 1024, 1024, 132);
  EXPECT_EQ(s.blocks, 132);
  EXPECT_EQ(s.split_tiles, 32);
  EXPECT_EQ(s.split_share, 32 * 32 / 132);
  EXPECT_EQ(schedule_of(1, 1, 1, 132).blocks, 1);
}

TEST(HandSchedule, KTilesPastAnIntAreNotSplit) {
  const Schedule s = schedule_of(256 * 16, 128 * 16, 1LL << 30, 132);
  EXPECT_EQ(s.split_tiles, 0);
  EXPECT_EQ(s.blocks, 132);
}

TEST(HandSchedule, RefusesWhatPassesItsIndices) {
  EXPECT_EQ(too_large(1LL << 30, 1, 1), std::nullopt);
  EXPECT_TRUE(too_large((1LL << 30) + 1, 1, 1));
  EXPECT_TRUE(too_large(1LL << 30, 1LL << 30, 1));
}

TEST(HandSchedule, DescriptorAndShellSpeakOfOneTile) {
  const Tile t = hand_scheduled::default_tile;
  EXPECT_EQ(t.BM, block_m);
  EXPECT_EQ(t.BN, block_n);
  EXPECT_EQ(t.BK, block_k);
  EXPECT_EQ(t.threads(), 256);
  Tile other = t;
  other.BK = 16;
  EXPECT_TRUE(hand_scheduled::illegal(other));
}

}  // namespace
}  // namespace rooftile::gemm::hand
