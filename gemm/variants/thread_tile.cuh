// thread_tile: each thread computes TM x TN elements as outer products of a column of A and a row
// of B, so TM + TN shared loads feed TM * TN multiply-adds.
//
// Loads are scalar and A lies as it came ([m][k]). Lanes read B eight floats apart: four lanes
// share a bank (LDS.32: four wavefronts) and the two rows of A that a warp reads share one too.
#pragma once

#include "gemm/device/single_buffer.cuh"

namespace rooftile::gemm::thread_tile {

template <int BM_, int BN_, int BK_, int TM_, int TN_, int WM, int WN>
struct Rung {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, TM = TM_, TN = TN_;
  static constexpr int THREADS = (BM / TM) * (BN / TN);
  static constexpr int WIDTH = 1, RESULT_WIDTH = 1;
  static constexpr bool A_TRANSPOSED = false;
  static constexpr int A_PITCH = BK;
  static constexpr int BLOCKS = blocks_per_sm(THREADS, TM* TN + TM + TN + 48);
  using Place = ContiguousPlace<BN, TM, TN>;
};

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(Rung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  Rung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  single_buffered<Rung<BM, BN, BK, TM, TN, WM, WN>, GUARDED>(arg);
}

}  // namespace rooftile::gemm::thread_tile
