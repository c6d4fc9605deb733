// L2 hit rate and DRAM traffic of a GEMM from the blocks that run together.
//
// A wave of r x c blocks requests r c (BM + BN) panel rows and needs r BM + c BN distinct ones: hit
// rate 1 - (r BM + c BN) / (r c (BM + BN)). Ragged edges and waves that are no rectangle are exact
// here because distinct panels are counted, each with its true size. Blocks advance through K
// together, so hits inside a wave need only a window of a few BK steps in L2, far below its size.
//
// What a wave touches first comes from DRAM unless L2 still holds it: from an earlier wave or, on a
// hot cache, from the launch before. The bytes touched in between (stack distance) differ by
// matrix: a band of the raster runs along the blocks of one matrix, whose panels return in the next
// wave (distance: what a wave touches), while those of the other return with the next band
// (distance: what a band touches, where that is more); between launches it is all of A, B, C. How
// much survives a distance is read from the measured curve of bandwidth over footprint, since a
// partitioned L2 keeps copies and loses lines long before its nominal size.
#pragma once

#include <cstdint>

#include "model/kernel/arithmetic.hpp"
#include "model/kernel/tile.hpp"
#include "model/profile/device_profile.hpp"

namespace rooftile {

/// 1 - (r BM + c BN) / (r c (BM + BN)) of a full rectangle of r x c blocks.
double rectangle_hit_rate(double rows, double columns, double BM, double BN);

/// Distinct bytes that r x c blocks need at a time when they are `k_steps` steps of BK apart at
/// most.
double live_window_bytes(double rows, double columns, const Tile& tile, double k_steps);

/// What the waves of a problem touch of A or of B.
struct MatrixTouches {
  double first_touch = 0;  ///< distinct bytes of each wave, summed over waves
  double compulsory = 0;   ///< the whole matrix, once
  double distance = 0;     ///< bytes that all blocks touch between two waves that need a panel
};

/// Panel traffic of all waves of a problem, in bytes; every panel row of BK elements is rounded up
/// to sectors by the caller's access pattern, not here.
struct PanelTraffic {
  MatrixTouches a, b;
  double requested = 0;  ///< by all blocks: the L2 reads of a kernel that loads each panel once
  std::int64_t waves = 0;
  double first_touch() const { return a.first_touch + b.first_touch; }
  double compulsory() const { return a.compulsory + b.compulsory; }
  double hit_rate() const { return requested > 0 ? 1 - first_touch() / requested : 0; }
};

/// Waves of `slots` blocks in raster order.
PanelTraffic panel_traffic(const Tile& tile, const GemmProblem& problem, std::int64_t slots);

/// Share of a footprint that repeated sweeps find in L2, by footprint.
class Residency {
 public:
  /// From "memory.bandwidth.over_footprint": with 1 / BW(F) = h / BW_L2 + (1 - h) / BW_DRAM, where
  /// BW_L2 is the largest point of the curve and BW_DRAM the last. Without the curve a step at
  /// `l2_bytes`.
  Residency(const DeviceProfile& profile, double l2_bytes);
  /// Never more than the L2's size over the footprint.
  double hit_rate(double footprint_bytes) const;

 private:
  Curve hit_;
  double l2_bytes_ = 0;
};

struct DramTraffic {
  double compulsory = 0;  ///< first touches of A and B that the launch before did not leave in L2
  double capacity = 0;    ///< touched in an earlier wave and lost since
  double c_read = 0;      ///< only where beta != 0
  double c_write = 0;
  double read() const { return compulsory + capacity + c_read; }
};

/// Bytes between DRAM and L2 for a launch that repeats on a hot cache.
DramTraffic dram_traffic(const PanelTraffic& panels, const GemmProblem& problem,
                         const Residency& residency);

/// Bytes that the SMs must read from L2 at the least: all of A and B once; for kernels that stage
/// panels in shared memory, every panel once for each block that uses it.
double least_l2_read_bytes(const Tile& tile, const GemmProblem& problem, bool staged);

/// A, B and C in bytes.
double footprint_bytes(const GemmProblem& problem);

}  // namespace rooftile
