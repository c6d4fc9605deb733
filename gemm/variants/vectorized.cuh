// vectorized: float4 everywhere. Global loads and shared loads move 16 bytes, for which A is
// transposed on its way into shared memory ([k][m]), since a thread's rows must be neighbours.
//
// A quarter of the load instructions. The transposing stores conflict (two lanes a bank) and
// LDS.128 of B from lanes 32 bytes apart takes eight wavefronts instead of four.
#pragma once

#include "gemm/device/single_buffer.cuh"

namespace rooftile::gemm::vectorized {

template <int BM_, int BN_, int BK_, int TM_, int TN_, int WM, int WN>
struct Rung {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, TM = TM_, TN = TN_;
  static constexpr int THREADS = (BM / TM) * (BN / TN);
  static constexpr int WIDTH = 4, RESULT_WIDTH = 4;
  static constexpr bool A_TRANSPOSED = true;
  static constexpr int A_PITCH = BM;
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

}  // namespace rooftile::gemm::vectorized
