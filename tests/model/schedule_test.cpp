// Rasters visit each block once; panel counts, waves and the tail formula equal brute force.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <vector>

#include "model/schedule/raster.hpp"
#include "model/schedule/wave_touches.hpp"
#include "model/schedule/waves.hpp"

namespace rooftile {
namespace {

struct RasterCase {
  Raster raster;
  int group;
  BlockGrid grid;
};

RasterCase random_raster() {
  return {*rc::gen::element(Raster::row, Raster::column, Raster::zigzag, Raster::swizzle),
          *rc::gen::inRange(1, 9),
          {*rc::gen::inRange(1, 14), *rc::gen::inRange(1, 14)}};
}

TEST(Raster, EachBlockExactlyOnce) {
  EXPECT_TRUE(rc::check("bijection", [] {
    const RasterCase c = random_raster();
    std::set<BlockPosition> seen;
    for (std::int64_t i = 0; i < c.grid.blocks(); ++i) {
      const BlockPosition p = raster_position(c.raster, c.group, c.grid, i);
      RC_ASSERT(p.row >= 0 && p.row < c.grid.rows);
      RC_ASSERT(p.column >= 0 && p.column < c.grid.columns);
      seen.insert(p);
    }
    RC_ASSERT(static_cast<std::int64_t>(seen.size()) == c.grid.blocks());
  }));
}

TEST(Raster, NeighboursOfZigzagTouch) {
  const BlockGrid grid{5, 7};
  for (std::int64_t i = 1; i < grid.blocks(); ++i) {
    const auto a = raster_position(Raster::zigzag, 1, grid, i - 1);
    const auto b = raster_position(Raster::zigzag, 1, grid, i);
    EXPECT_EQ(std::abs(a.row - b.row) + std::abs(a.column - b.column), 1);
  }
}

TEST(Raster, SwizzleWalksGroupsOfRows) {
  const BlockGrid grid{5, 3};
  EXPECT_EQ(raster_position(Raster::swizzle, 2, grid, 0), (BlockPosition{0, 0}));
  EXPECT_EQ(raster_position(Raster::swizzle, 2, grid, 1), (BlockPosition{1, 0}));
  EXPECT_EQ(raster_position(Raster::swizzle, 2, grid, 2), (BlockPosition{0, 1}));
  EXPECT_EQ(raster_position(Raster::swizzle, 2, grid, 13), (BlockPosition{4, 1}));
}

TEST(Raster, TouchedPanelsEqualBruteForce) {
  EXPECT_TRUE(rc::check("closed form", [] {
    const RasterCase c = random_raster();
    const std::int64_t first = *rc::gen::inRange<std::int64_t>(0, c.grid.blocks());
    const std::int64_t count = *rc::gen::inRange<std::int64_t>(1, 2 * c.grid.blocks());
    std::set<std::int64_t> rows, columns;
    for (std::int64_t i = first; i < std::min(first + count, c.grid.blocks()); ++i) {
      const BlockPosition p = raster_position(c.raster, c.group, c.grid, i);
      rows.insert(p.row);
      columns.insert(p.column);
    }
    const PanelCount expected{
        static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns.size()),
        rows.count(c.grid.rows - 1) == 1, columns.count(c.grid.columns - 1) == 1};
    RC_ASSERT(touched_panels(c.raster, c.group, c.grid, first, count) == expected);
  }));
}

/// Wave by wave: what touched_by_waves() sums without visiting each.
WaveTouches wave_by_wave(const RasterCase& c, std::int64_t slots) {
  WaveTouches t;
  for (std::int64_t first = 0; first < c.grid.blocks(); first += slots) {
    const PanelCount p = touched_panels(c.raster, c.group, c.grid, first, slots);
    t.rows += p.rows;
    t.columns += p.columns;
    t.last_rows += p.has_last_row;
    t.last_columns += p.has_last_column;
    ++t.waves;
  }
  return t;
}

/// A failing case is named by its parameters.
void expect_equal_sums(const RasterCase& c, std::int64_t slots) {
  const WaveTouches fast = touched_by_waves(c.raster, c.group, c.grid, slots);
  const WaveTouches slow = wave_by_wave(c, slots);
  ASSERT_TRUE(fast == slow) << "raster " << static_cast<int>(c.raster) << " group " << c.group
                            << " grid " << c.grid.rows << "x" << c.grid.columns << " slots "
                            << slots << ": rows " << fast.rows << " " << slow.rows << ", columns "
                            << fast.columns << " " << slow.columns << ", last rows "
                            << fast.last_rows << " " << slow.last_rows << ", last columns "
                            << fast.last_columns << " " << slow.last_columns;
}

constexpr Raster rasters[] = {Raster::row, Raster::column, Raster::zigzag, Raster::swizzle};

TEST(WaveTouches, EqualTheSumOverWavesOnEverySmallGrid) {
  for (const Raster raster : rasters)
    for (std::int64_t rows = 1; rows <= 9; ++rows)
      for (std::int64_t columns = 1; columns <= 9; ++columns)
        for (const int group : {1, 2, 3, 5, 12})
          for (std::int64_t slots = 1; slots <= 40; ++slots)
            expect_equal_sums({raster, group, {rows, columns}}, slots);
}

TEST(WaveTouches, EqualTheSumOverWavesOnLargeGrids) {
  EXPECT_TRUE(rc::check("sums", [] {
    const RasterCase c{
        *rc::gen::elementOf(std::vector<Raster>(std::begin(rasters), std::end(rasters))),
        *rc::gen::inRange(1, 70),
        {*rc::gen::inRange(1, 400), *rc::gen::inRange(1, 400)}};
    const std::int64_t slots = *rc::gen::inRange(1, 1000);
    RC_ASSERT(touched_by_waves(c.raster, c.group, c.grid, slots) == wave_by_wave(c, slots));
  }));
}

TEST(WaveTouches, MillionsOfWavesTakeNoTime) {
  const auto start = std::chrono::steady_clock::now();
  for (const Raster raster : rasters)
    for (const int group : {1, 8, 1000})
      for (const std::int64_t slots : {1, 131, 264, 1056, 4224})
        for (const std::int64_t side : {32768, 65536, 1 << 20}) {
          const WaveTouches t = touched_by_waves(raster, group, {side, side}, slots);
          EXPECT_EQ(t.waves, (side * side + slots - 1) / slots);
          EXPECT_GE(t.rows, side);
          EXPECT_GE(t.columns, side);
        }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took.count(), 2.0);  // 180 of them; visiting the waves would take hours
}

TEST(Waves, Counts) {
  const Waves waves = make_waves(1000, 132, 2);
  EXPECT_EQ(waves.slots, 264);
  EXPECT_EQ(waves.full, 3);
  EXPECT_EQ(waves.remainder, 208);
  EXPECT_EQ(waves.tail_blocks, 2);
  EXPECT_EQ(waves.tail_sms, 132);
  EXPECT_DOUBLE_EQ(waves.efficiency(), 1000.0 / 1056);
  EXPECT_EQ(make_waves(100, 132, 2).tail_sms, 100);
}

/// Greedy dispatch of identical blocks in rounds: what the formula claims, by simulation.
double simulated(std::int64_t blocks, int sms, int b, double unit) {
  std::vector<double> free_at(static_cast<std::size_t>(sms), 0);
  while (blocks > 0) {
    const std::int64_t now = std::min<std::int64_t>(blocks, std::int64_t{sms} * b);
    for (std::int64_t s = 0; s < std::min<std::int64_t>(now, sms); ++s)
      free_at[static_cast<std::size_t>(s)] +=
          unit * static_cast<double>(now / sms + (s < now % sms));
    blocks -= now;
  }
  return *std::max_element(free_at.begin(), free_at.end());
}

TEST(Waves, TailFormulaEqualsSimulationOfThroughputBoundBlocks) {
  EXPECT_TRUE(rc::check("t(n, a) = n", [] {
    const int sms = *rc::gen::inRange(1, 40), b = *rc::gen::inRange(1, 6);
    const std::int64_t blocks = *rc::gen::inRange<std::int64_t>(1, 2000);
    const double time = schedule_time(make_waves(blocks, sms, b), sms, b,
                                      [](int n, int) { return static_cast<double>(n); });
    RC_ASSERT(time == simulated(blocks, sms, b, 1));
    RC_ASSERT(time >= static_cast<double>(blocks) / sms);
  }));
}

struct Walk {
  std::int64_t tiles;
  int sms, b;
};

Walk random_walk() {
  return {*rc::gen::inRange<std::int64_t>(1, 2000), *rc::gen::inRange(1, 40),
          *rc::gen::inRange(1, 6)};
}

/// Block i is on SM i mod S and does the tiles i, i + blocks, ...: round by round the blocks that
/// still have one, on the fullest SM and the SMs that have any.
template <typename First, typename Next>
double walked(const Walk& w, const First& first, const Next& next) {
  const std::int64_t blocks = std::min<std::int64_t>(w.tiles, std::int64_t{w.sms} * w.b);
  double total = 0;
  for (std::int64_t round = 0; round * blocks < w.tiles; ++round) {
    std::vector<int> on_sm(static_cast<std::size_t>(w.sms));
    for (std::int64_t block = 0; block < blocks && round * blocks + block < w.tiles; ++block)
      ++on_sm[static_cast<std::size_t>(block % w.sms)];
    const int n = *std::max_element(on_sm.begin(), on_sm.end());
    const auto idle = static_cast<int>(std::count(on_sm.begin(), on_sm.end(), 0));
    total += round == 0 ? first(n, w.sms - idle) : next(n, w.sms - idle);
  }
  return total;
}

TEST(Walk, EqualsTheRoundsOfBlocksThatTakeEveryTileInTurn) {
  EXPECT_TRUE(rc::check("walk", [] {
    const Walk w = random_walk();
    const auto first = [](int n, int a) { return 1000.0 + 100 * n + a; };
    const auto next = [](int n, int a) { return 100.0 * n + a; };
    const double time = walk_time(make_waves(w.tiles, w.sms, w.b), w.sms, w.b, first, next);
    RC_ASSERT(time == walked(w, first, next));
  }));
}

TEST(Walk, IsAWaveAfterAnotherWhereStartsCostNothing) {
  EXPECT_TRUE(rc::check("as waves", [] {
    const Walk w = random_walk();
    const auto t = [](int n, int a) { return 100.0 * n + a; };
    const Waves rounds = make_waves(w.tiles, w.sms, w.b);
    RC_ASSERT(walk_time(rounds, w.sms, w.b, t, t) == schedule_time(rounds, w.sms, w.b, t));
  }));
}

TEST(Walk, AnEvenOneIsNeverLongerThanItsRounds) {
  EXPECT_TRUE(rc::check("even", [] {
    const Walk w = random_walk();
    const auto first = [](int n, int) { return 101.0 * n; };
    const auto next = [](int n, int) { return 100.0 * n; };
    const Waves rounds = make_waves(w.tiles, w.sms, w.b);
    const double even = even_walk_time(rounds, w.sms, w.b, first, next);
    RC_ASSERT(even <= walk_time(rounds, w.sms, w.b, first, next) * (1 + 1e-12));
    RC_ASSERT(even >= 100.0 * static_cast<double>(w.tiles) / w.sms * (1 - 1e-12));
  }));
}

}  // namespace
}  // namespace rooftile
