#include "model/memory/l2.hpp"

#include <algorithm>

#include "model/kernel/architecture.hpp"
#include "model/schedule/wave_touches.hpp"

namespace rooftile {
namespace {

std::int64_t sectors_of(std::int64_t bytes) { return (bytes + sector_bytes - 1) / sector_bytes; }

/// C elements of a row rounded up to whole sectors.
double c_bytes(const GemmProblem& problem) {
  const double row = static_cast<double>(problem.N) * element_bytes;
  const std::int64_t sectors_per_row = sectors_of(problem.N * element_bytes);
  // Rows follow one another when ldc is N; then only the end of the matrix is rounded.
  const double rows = static_cast<double>(problem.M * problem.batch);
  const std::int64_t whole = sectors_of(static_cast<std::int64_t>(row * rows));
  return problem.ldc == problem.N || problem.ldc == 0
             ? sector_bytes * static_cast<double>(whole)
             : static_cast<double>(sectors_per_row * sector_bytes) * rows;
}

/// Bytes between two touches of a panel: see the head of l2.hpp.
void add_distances(const Tile& tile, const GemmProblem& problem, const BlockGrid& grid,
                   std::int64_t slots, PanelTraffic& traffic) {
  const double row_bytes = static_cast<double>(problem.K) * element_bytes;
  const auto M = static_cast<double>(problem.M), N = static_cast<double>(problem.N);
  const double blocks = static_cast<double>(grid.blocks());
  const double c_of_block = M * N * element_bytes / blocks;
  const double wave = traffic.first_touch() / static_cast<double>(traffic.waves) /
                          static_cast<double>(problem.batch) +
                      std::min(blocks, static_cast<double>(slots)) * c_of_block;
  const bool down = tile.raster == Raster::column;
  const double height = tile.raster == Raster::swizzle ? tile.raster_group : 1;
  const double along = down ? M : N, across = down ? tile.BN : height * tile.BM;
  const double band_blocks = height * static_cast<double>(down ? grid.rows : grid.columns);
  const double band = (along + across) * row_bytes + band_blocks * c_of_block;
  // `along` is the matrix whose panels a band runs through: it meets them again a band later.
  traffic.a.distance = down ? std::max(wave, band) : wave;
  traffic.b.distance = down ? wave : std::max(wave, band);
}

}  // namespace

double rectangle_hit_rate(double rows, double columns, double BM, double BN) {
  return 1 - (rows * BM + columns * BN) / (rows * columns * (BM + BN));
}

double live_window_bytes(double rows, double columns, const Tile& tile, double k_steps) {
  return (rows * tile.BM + columns * tile.BN) * tile.BK * k_steps * element_bytes;
}

PanelTraffic panel_traffic(const Tile& tile, const GemmProblem& problem, std::int64_t slots) {
  const BlockGrid grid = block_grid(tile, problem);
  const double row_bytes = static_cast<double>(problem.K) * element_bytes;
  const auto batch = static_cast<double>(problem.batch);
  const auto M = static_cast<double>(problem.M), N = static_cast<double>(problem.N);
  const WaveTouches touches = touched_by_waves(tile.raster, tile.raster_group, grid, slots);
  const double missing_rows = static_cast<double>(grid.rows * tile.BM - problem.M);
  const double missing_columns = static_cast<double>(grid.columns * tile.BN - problem.N);
  PanelTraffic traffic;
  traffic.waves = touches.waves;
  traffic.a.first_touch = batch * row_bytes *
                          (static_cast<double>(touches.rows) * tile.BM -
                           static_cast<double>(touches.last_rows) * missing_rows);
  traffic.b.first_touch = batch * row_bytes *
                          (static_cast<double>(touches.columns) * tile.BN -
                           static_cast<double>(touches.last_columns) * missing_columns);
  traffic.a.compulsory = batch * row_bytes * M;
  traffic.b.compulsory = batch * row_bytes * N;
  traffic.requested = batch * row_bytes *
                      (M * static_cast<double>(grid.columns) + N * static_cast<double>(grid.rows));
  add_distances(tile, problem, grid, slots, traffic);
  return traffic;
}

Residency::Residency(const DeviceProfile& profile, double l2_bytes) : l2_bytes_(l2_bytes) {
  const Curve* bandwidth = profile.find_curve("memory.bandwidth.over_footprint");
  if (bandwidth == nullptr || bandwidth->y.size() < 2) {
    hit_.x = {l2_bytes, l2_bytes * (1 + 1e-9)};
    hit_.y = {1, 0};
    return;
  }
  // A footprint below the L2's size cannot be slower than the far end for lack of capacity, so the
  // curve is read as falling: the running minimum from the fastest point on.
  const auto fastest = std::max_element(bandwidth->y.begin(), bandwidth->y.end());
  const double l2 = *fastest, dram = std::min(bandwidth->y.back(), l2);
  double hit = 1;
  for (auto y = fastest; y != bandwidth->y.end(); ++y) {
    const double here = l2 > dram ? (1 / *y - 1 / dram) / (1 / l2 - 1 / dram) : 1;
    hit = std::clamp(here, 0.0, hit);
    hit_.x.push_back(bandwidth->x[static_cast<std::size_t>(y - bandwidth->y.begin())]);
    hit_.y.push_back(hit);
  }
}

double Residency::hit_rate(double footprint) const {
  if (footprint <= 0) return 1;
  return std::min(interpolate(hit_, footprint), l2_bytes_ / footprint);
}

DramTraffic dram_traffic(const PanelTraffic& panels, const GemmProblem& problem,
                         const Residency& residency) {
  const double lost_between_launches = 1 - residency.hit_rate(footprint_bytes(problem));
  const double c = c_bytes(problem);
  const auto lost_between_waves = [&](const MatrixTouches& matrix) {
    return std::max(0.0, matrix.first_touch - matrix.compulsory) *
           (1 - residency.hit_rate(matrix.distance));
  };
  DramTraffic traffic;
  traffic.compulsory = panels.compulsory() * lost_between_launches;
  traffic.capacity = lost_between_waves(panels.a) + lost_between_waves(panels.b);
  traffic.c_write = c * lost_between_launches;
  traffic.c_read = problem.beta != 0 ? c * lost_between_launches : 0;
  return traffic;
}

double least_l2_read_bytes(const Tile& tile, const GemmProblem& problem, bool staged) {
  const BlockGrid grid = staged ? block_grid(tile, problem) : BlockGrid{};
  return static_cast<double>(problem.M * grid.columns + problem.N * grid.rows) *
         static_cast<double>(problem.K * problem.batch) * element_bytes;
}

double footprint_bytes(const GemmProblem& problem) {
  const auto M = static_cast<double>(problem.M), N = static_cast<double>(problem.N),
             K = static_cast<double>(problem.K);
  return (M * K + K * N + M * N) * element_bytes * static_cast<double>(problem.batch);
}

}  // namespace rooftile
