// Published figures of the field, recomputed exactly.
#include <gtest/gtest.h>

#include "model/kernel/arithmetic.hpp"
#include "model/kernel/occupancy.hpp"
#include "model/memory/l2.hpp"
#include "model/schedule/raster.hpp"

namespace rooftile {
namespace {

TEST(WorkedExamples, NaiveKernelAndL2Bandwidth) {
  // A warp of the naive kernel: 32 x 2 FLOP for one broadcast word of A and 32 words of B.
  const double intensity = warp_intensity(4 + 32 * 4);
  EXPECT_NEAR(intensity, 64.0 / 132, 1e-15);
  EXPECT_NEAR(intensity, 0.4848, 5e-5);
  // 1.9 TB/s of L2 (Titan V): published 0.912 TFLOP/s from the rounded 0.48.
  EXPECT_NEAR(1.9 * intensity, 0.921, 5e-4);
  EXPECT_NEAR(1.9 * 0.48, 0.912, 1e-12);
  EXPECT_LT(1.9 * intensity, 14.9);
}

TEST(WorkedExamples, SmallTileOnRtx2080) {
  const double intensity = block_intensity(64, 64);
  EXPECT_DOUBLE_EQ(intensity, 16);
  const double demand = demanded_bandwidth(10.1e12, intensity);
  EXPECT_DOUBLE_EQ(demand, 631.25e9);
  // At 20 % L2 hits DRAM must supply 505 GB/s, more than the card's 448: 29.0 % are needed.
  EXPECT_DOUBLE_EQ((1 - 0.20) * demand, 505e9);
  EXPECT_GT(0.8 * demand, 448e9);
  EXPECT_NEAR(needed_hit_rate(demand, 448e9), 0.290, 5e-4);
  EXPECT_GT(0.49, needed_hit_rate(demand, 448e9));
}

TEST(WorkedExamples, OneRowOfBlocksPerWave) {
  // RTX 2080: 46 SMs x 2 blocks of 128x128 in one row: 1 - 93/184.
  EXPECT_DOUBLE_EQ(rectangle_hit_rate(1, 92, 128, 128), 1 - 93.0 / 184);
  EXPECT_NEAR(rectangle_hit_rate(1, 92, 128, 128), 0.4946, 5e-5);
  const PanelTraffic wave =
      panel_traffic(Tile{.BM = 128, .BN = 128, .BK = 8}, make_problem(128, 92 * 128, 64), 46 * 2);
  EXPECT_DOUBLE_EQ(wave.hit_rate(), 1 - 93.0 / 184);
}

TEST(WorkedExamples, RegistersAndOccupancy) {
  EXPECT_EQ(65536 / 128, 512);
  const BlockResources block{.threads = 128, .registers_per_thread = 128};
  EXPECT_DOUBLE_EQ(occupancy(occupancy_limits(7, 5), block).fraction, 0.50);
  EXPECT_DOUBLE_EQ(occupancy(occupancy_limits(7, 0), block).fraction, 0.25);
}

TEST(WorkedExamples, V100) {
  EXPECT_NEAR(balance_point(15.7e12, 900e9), 17.4, 0.05);
  const BlockResources block{.threads = 256, .registers_per_thread = 128};
  EXPECT_EQ(80 * occupancy(occupancy_limits(7, 0), block).blocks_per_sm, 160);
  EXPECT_DOUBLE_EQ(block_intensity(128, 128), 32);
  EXPECT_DOUBLE_EQ(block_intensity(1, 1), 0.25);  // naive: a thread's own two words
}

TEST(WorkedExamples, CublasOnH200) {
  // 4096^3, 256x128 tiles, 132 blocks in flight, columns of 16 blocks: nine B panels, 16 of A. The
  // counter read 89.9 %.
  const Tile tile{.BM = 256, .BN = 128, .BK = 8, .raster = Raster::column};
  const BlockGrid grid = block_grid(tile, make_problem(4096, 4096, 4096));
  EXPECT_EQ(grid.rows, 16);
  const PanelCount panels = touched_panels(Raster::column, 1, grid, 0, 132);
  EXPECT_EQ(panels.rows * 256, 4096);
  EXPECT_EQ(panels.columns * 128, 1152);
  const double hit_rate = 1 - (4096.0 + 1152) / (132 * 384);
  EXPECT_NEAR(hit_rate, 0.896, 5e-4);
  EXPECT_NEAR(panel_traffic(tile, make_problem(4096, 4096, 4096), 132).hit_rate(), hit_rate, 0.01);
  // First touches of all waves: the DRAM reads, 342 MB by the counter.
  EXPECT_NEAR(panel_traffic(tile, make_problem(4096, 4096, 4096), 132).first_touch() / 342e6, 1,
              0.05);
}

TEST(WorkedExamples, BlockIntensityIndependentOfBK) {
  for (const int BK : {1, 8, 32}) {
    const double flop = 2.0 * 128 * 64 * BK, bytes = (128.0 + 64) * BK * 4;
    EXPECT_DOUBLE_EQ(block_intensity(128, 64), flop / bytes);
  }
  // At constant area the square is best.
  EXPECT_GT(block_intensity(128, 128), block_intensity(256, 64));
}

TEST(WorkedExamples, WarpAndThread) {
  // 8x8 a thread: 4x8 or 8x4 lanes read 96 elements, 1x32 reads 264. 16x8: 4x8 only.
  EXPECT_EQ(warp_elements(4, 8, 8, 8), 96);
  EXPECT_EQ(warp_elements(8, 4, 8, 8), 96);
  EXPECT_EQ(warp_elements(1, 32, 8, 8), 264);
  for (const auto& [wm, wn] :
       {std::pair{1, 32}, std::pair{2, 16}, std::pair{8, 4}, std::pair{16, 2}})
    EXPECT_LT(warp_elements(4, 8, 16, 8), warp_elements(wm, wn, 16, 8));
  EXPECT_EQ(outer_product_loads(8, 8), 16);
  EXPECT_EQ(inner_product_loads(8, 8), 128);
}

}  // namespace
}  // namespace rooftile
