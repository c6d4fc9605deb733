// The formulas of arithmetic.hpp; each has its source there.
#include "model/kernel/arithmetic.hpp"

#include <algorithm>

namespace rooftile {

double block_intensity(int BM, int BN, int bytes_per_element) {
  return 2.0 * BM * BN / (static_cast<double>(BM + BN) * bytes_per_element);
}

double warp_intensity(double distinct_bytes) { return 2.0 * 32 / distinct_bytes; }

double balance_point(double flop_per_s, double bytes_per_s) { return flop_per_s / bytes_per_s; }

double demanded_bandwidth(double flop_per_s, double intensity) { return flop_per_s / intensity; }

double needed_hit_rate(double demanded_bytes_per_s, double dram_bytes_per_s) {
  return std::max(0.0, 1 - dram_bytes_per_s / demanded_bytes_per_s);
}

BlockGrid block_grid(const Tile& tile, const GemmProblem& problem) {
  return {(problem.M + tile.BM - 1) / tile.BM, (problem.N + tile.BN - 1) / tile.BN};
}

}  // namespace rooftile
