// warp_tile: a warp computes a compact WM x WN tile instead of a strip, its lanes in Z-order.
//
// A warp then reads WM + WN instead of 2 TM + BN distinct elements a k-step, and both operands meet
// a condition under which the hardware merges the quarter-warps of an LDS.128: two wavefronts each.
#pragma once

#include "gemm/device/single_buffer.cuh"

namespace rooftile::gemm::warp_tile {

template <int BM_, int BN_, int BK_, int TM_, int TN_, int WM, int WN>
struct Rung {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, TM = TM_, TN = TN_;
  static constexpr int THREADS = (BM / TM) * (BN / TN);
  static constexpr int WIDTH = 4, RESULT_WIDTH = 4;
  static constexpr bool A_TRANSPOSED = true;
  static constexpr int A_PITCH = BM + 4;
  static constexpr int BLOCKS = blocks_per_sm(THREADS, TM* TN + TM + TN + 48);
  using Place = ZOrderPlace<BN, TM, TN, WM, WN>;
};

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(Rung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  Rung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  single_buffered<Rung<BM, BN, BK, TM, TN, WM, WN>, GUARDED>(arg);
}

}  // namespace rooftile::gemm::warp_tile
