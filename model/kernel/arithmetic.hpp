// Tile arithmetic: what follows from the sizes of block, warp and thread tile alone.
//
// Block tile (Volkov & Demmel 2008; Lai & Seznec 2013): one step of BK does 2 BM BN BK FLOP and
// fetches (BM + BN) BK elements, so the intensity 2 BM BN / ((BM + BN) s) is independent of BK and,
// at constant area, largest for BM = BN. Warp: with wm x wn lanes each k-step reads wm TM + wn TN
// distinct elements for 32 TM TN FMA. Thread: an outer product needs TM + TN loads for TM TN FMA,
// an inner product 2 TM TN.
#pragma once

#include <cstdint>

#include "model/kernel/problem.hpp"
#include "model/kernel/tile.hpp"

namespace rooftile {

inline constexpr int element_bytes = 4;  ///< FP32, the only type so far

/// FLOP per byte of global traffic of a BM x BN tile with elements of `bytes_per_element`.
double block_intensity(int BM, int BN, int bytes_per_element = element_bytes);

/// FLOP per byte that a warp requests when each lane does one multiply-add of an A and a B element
/// it loads: `distinct_bytes` is what the warp fetches for its 32 multiply-adds.
double warp_intensity(double distinct_bytes);

/// Distinct elements that a warp of wm x wn lanes reads a k-step.
constexpr int warp_elements(int wm, int wn, int TM, int TN) { return wm * TM + wn * TN; }

/// Loads of a thread for TM x TN FMA.
constexpr int outer_product_loads(int TM, int TN) { return TM + TN; }
constexpr int inner_product_loads(int TM, int TN) { return 2 * TM * TN; }

/// FLOP per byte above which a machine of these peaks is bound by arithmetic.
double balance_point(double flop_per_s, double bytes_per_s);

/// Bytes per second that tiles of this intensity request at `flop_per_s`.
double demanded_bandwidth(double flop_per_s, double intensity);

/// Smallest L2 hit rate at which `dram_bytes_per_s` sustains `demanded_bytes_per_s`; 0 when none is
/// needed.
double needed_hit_rate(double demanded_bytes_per_s, double dram_bytes_per_s);

/// Blocks of a problem along M and N.
struct BlockGrid {
  std::int64_t rows = 1, columns = 1;
  std::int64_t blocks() const { return rows * columns; }
};
BlockGrid block_grid(const Tile& tile, const GemmProblem& problem);

}  // namespace rooftile
