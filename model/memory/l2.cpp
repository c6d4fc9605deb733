#include "model/memory/l2.hpp"

#include <algorithm>

#include "model/schedule/raster.hpp"

namespace rooftile {
namespace {

constexpr double sector_bytes = 32;

/// C elements of a row rounded up to whole sectors.
double c_bytes(const GemmProblem& problem) {
  const double row = static_cast<double>(problem.N) * element_bytes;
  const double sectors_per_row = static_cast<double>((problem.N * element_bytes + 31) / 32);
  // Rows follow one another when ldc is N; then only the end of the matrix is rounded.
  const double rows = static_cast<double>(problem.M * problem.batch);
  return problem.ldc == problem.N || problem.ldc == 0
             ? sector_bytes * static_cast<double>((static_cast<std::int64_t>(row * rows) + 31) / 32)
             : sectors_per_row * sector_bytes * rows;
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
  const std::int64_t blocks = grid.blocks();
  const double missing_rows = static_cast<double>(grid.rows * tile.BM - problem.M);
  const double missing_columns = static_cast<double>(grid.columns * tile.BN - problem.N);
  PanelTraffic traffic;
  for (std::int64_t first = 0; first < blocks; first += slots) {
    const PanelCount p = touched_panels(tile.raster, tile.raster_group, grid, first, slots);
    const double distinct =
        static_cast<double>(p.rows) * tile.BM - (p.has_last_row ? missing_rows : 0) +
        static_cast<double>(p.columns) * tile.BN - (p.has_last_column ? missing_columns : 0);
    traffic.first_touch += distinct * row_bytes;
    traffic.wave_bytes = std::max(traffic.wave_bytes, distinct * row_bytes);
    ++traffic.waves;
  }
  const auto batch = static_cast<double>(problem.batch);
  const auto M = static_cast<double>(problem.M), N = static_cast<double>(problem.N);
  traffic.first_touch *= batch;
  traffic.requested = batch * row_bytes *
                      (M * static_cast<double>(grid.columns) + N * static_cast<double>(grid.rows));
  traffic.compulsory = batch * row_bytes * (M + N);
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
  const double total = footprint_bytes(problem);
  const double lost_between_launches = 1 - residency.hit_rate(total);
  const double c = c_bytes(problem);
  const double c_of_wave = panels.waves > 0 ? c / static_cast<double>(panels.waves) : 0;
  DramTraffic traffic;
  traffic.compulsory = panels.compulsory * lost_between_launches;
  traffic.capacity = std::max(0.0, panels.first_touch - panels.compulsory) *
                     (1 - residency.hit_rate(panels.wave_bytes + c_of_wave));
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
