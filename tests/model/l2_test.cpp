// L2 hit rates and DRAM traffic: brute force over blocks, limits, and the residency curve.
#include "model/memory/l2.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "model/schedule/raster.hpp"
#include "tests/model/h200_fixture.hpp"

namespace rooftile {
namespace {

TEST(L2, SquarerWavesHitMore) {
  EXPECT_GT(rectangle_hit_rate(11, 12, 128, 128), rectangle_hit_rate(4, 33, 128, 128));
  EXPECT_GT(rectangle_hit_rate(4, 33, 128, 128), rectangle_hit_rate(1, 132, 128, 128));
}

TEST(L2, LiveWindowIsSmall) {
  EXPECT_DOUBLE_EQ(live_window_bytes(2, 3, {.BM = 128, .BN = 64, .BK = 8}, 4),
                   (2 * 128 + 3 * 64) * 8 * 4 * 4.0);
}

TEST(L2, TrafficEqualsBruteForceWithRaggedEdges) {
  EXPECT_TRUE(rc::check("distinct panels", [] {
    Tile tile{.BM = *rc::gen::inRange(1, 40), .BN = *rc::gen::inRange(1, 40), .BK = 8};
    tile.raster = *rc::gen::element(Raster::row, Raster::column, Raster::zigzag, Raster::swizzle);
    tile.raster_group = *rc::gen::inRange(1, 5);
    const GemmProblem problem =
        make_problem(*rc::gen::inRange(1, 200), *rc::gen::inRange(1, 200), *rc::gen::inRange(1, 9));
    const std::int64_t slots = *rc::gen::inRange(1, 60);
    const BlockGrid grid = block_grid(tile, problem);
    const auto height = [&](std::int64_t r) {
      return std::min<std::int64_t>(tile.BM, problem.M - r * tile.BM);
    };
    const auto width = [&](std::int64_t c) {
      return std::min<std::int64_t>(tile.BN, problem.N - c * tile.BN);
    };
    std::int64_t requested = 0, touched = 0;
    for (std::int64_t first = 0; first < grid.blocks(); first += slots) {
      std::set<std::int64_t> rows, columns;
      for (std::int64_t i = first; i < std::min(first + slots, grid.blocks()); ++i) {
        const auto at = raster_position(tile.raster, tile.raster_group, grid, i);
        requested += height(at.row) + width(at.column);
        if (rows.insert(at.row).second) touched += height(at.row);
        if (columns.insert(at.column).second) touched += width(at.column);
      }
    }
    const PanelTraffic traffic = panel_traffic(tile, problem, slots);
    const auto bytes = [&](std::int64_t elements) {
      return static_cast<double>(elements * problem.K * 4);
    };
    RC_ASSERT(traffic.requested == bytes(requested));
    RC_ASSERT(traffic.first_touch() == bytes(touched));
    RC_ASSERT(traffic.compulsory() <= traffic.first_touch());
    RC_ASSERT(traffic.a.compulsory <= traffic.a.first_touch);
    RC_ASSERT(traffic.b.compulsory <= traffic.b.first_touch);
    RC_ASSERT(traffic.hit_rate() >= 0 && traffic.hit_rate() < 1);
  }));
}

TEST(L2, ResidencyFollowsTheMeasuredCurve) {
  const Residency residency(test::h200(), 62914560);
  EXPECT_DOUBLE_EQ(residency.hit_rate(1e6), 1);
  EXPECT_DOUBLE_EQ(residency.hit_rate(512e6), 0);
  const double at50 = (1 / 6.7 - 1 / 4.62) / (1 / 9.7 - 1 / 4.62);
  EXPECT_NEAR(residency.hit_rate(50e6), at50, 1e-12);
  double before = 1;
  for (double f = 1e6; f < 1e9; f *= 1.1) {
    EXPECT_LE(residency.hit_rate(f), before);
    EXPECT_LE(residency.hit_rate(f), 62914560 / f);
    before = residency.hit_rate(f);
  }
}

TEST(L2, ResidencyWithoutCurveIsAStepAtTheSize) {
  const Residency residency(DeviceProfile{}, 1e6);
  EXPECT_DOUBLE_EQ(residency.hit_rate(0.9e6), 1);
  EXPECT_DOUBLE_EQ(residency.hit_rate(1.1e6), 0);
}

TEST(L2, HotSmallProblemsNeedNoDram) {
  const Tile tile{.BM = 128, .BN = 128, .BK = 8};
  const Residency residency(test::h200(), 62914560);
  const GemmProblem small = make_problem(512, 512, 512);
  const DramTraffic none = dram_traffic(panel_traffic(tile, small, 264), small, residency);
  EXPECT_DOUBLE_EQ(none.read() + none.c_write, 0);
  const GemmProblem large = make_problem(8192, 8192, 8192);
  const DramTraffic all = dram_traffic(panel_traffic(tile, large, 264), large, residency);
  EXPECT_DOUBLE_EQ(all.compulsory, 2.0 * 8192 * 8192 * 4);
  EXPECT_DOUBLE_EQ(all.c_write, 8192.0 * 8192 * 4);
  EXPECT_DOUBLE_EQ(all.c_read, 0);
  EXPECT_GT(all.capacity, 0);
}

TEST(L2, PanelsAlongABandReturnWithTheNextBand) {
  // 768 blocks a row and 264 a wave: B returns after a whole row of blocks, A in the next wave.
  const GemmProblem wide = make_problem(512, 24576, 1024);
  const Tile tile{.BM = 32, .BN = 32, .BK = 8};
  const PanelTraffic rows = panel_traffic(tile, wide, 264);
  EXPECT_DOUBLE_EQ(rows.b.distance, (24576 + 32) * 1024 * 4.0 + 32.0 * 24576 * 4);
  EXPECT_LT(rows.a.distance, 264 * 33 * 32 * 1024 * 4.0);
  // A wave longer than a row: everything between two touches is what the wave touches.
  const GemmProblem square = make_problem(2048, 2048, 2048);
  const PanelTraffic whole = panel_traffic(tile, square, 264);
  EXPECT_GE(whole.b.distance, whole.b.compulsory);
  EXPECT_LT(whole.b.distance, 1.5 * whole.b.compulsory);
  // The column raster is the row raster of the transposed problem.
  Tile down = tile;
  down.raster = Raster::column;
  const PanelTraffic turned = panel_traffic(down, make_problem(24576, 512, 1024), 264);
  EXPECT_DOUBLE_EQ(turned.a.distance, rows.b.distance);
  EXPECT_DOUBLE_EQ(turned.b.distance, rows.a.distance);
  EXPECT_DOUBLE_EQ(turned.a.first_touch, rows.b.first_touch);
}

TEST(L2, BetaReadsC) {
  GemmProblem problem = make_problem(8192, 8192, 64);
  problem.beta = 0.5;
  const DramTraffic t =
      dram_traffic(panel_traffic({.BM = 64, .BN = 64}, problem, 264), problem, {test::h200(), 6e7});
  EXPECT_GT(t.c_read, 0);
  EXPECT_DOUBLE_EQ(t.c_read, t.c_write);
}

TEST(L2, CWritesWholeSectors) {
  // 3 x 5 floats in a matrix of pitch 100: each row's 20 bytes are one sector.
  GemmProblem problem = make_problem(3, 5, 1);
  problem.ldc = 100;
  DeviceProfile cold = test::h200();
  test::set_curve(cold, "memory.bandwidth.over_footprint", {1, 2}, {2, 1});
  const DramTraffic t =
      dram_traffic(panel_traffic({.BM = 64, .BN = 64}, problem, 264), problem, {cold, 6e7});
  EXPECT_DOUBLE_EQ(t.c_write, 3 * 32);
}

}  // namespace
}  // namespace rooftile
