// conflict_free: four floats of padding behind each row of the transposed A put the lanes of its
// stores on different banks; thread tiles split into 4 x 4 pieces let neighbouring lanes read
// neighbouring float4s of B.
//
// The pitch stays a multiple of four floats, or the float4 loads of A would be misaligned.
#pragma once

#include "gemm/device/single_buffer.cuh"

namespace rooftile::gemm::conflict_free {

template <int BM_, int BN_, int BK_, int TM_, int TN_, int WM, int WN>
struct Rung {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, TM = TM_, TN = TN_;
  static constexpr int THREADS = (BM / TM) * (BN / TN);
  static constexpr int WIDTH = 4, RESULT_WIDTH = 4;
  static constexpr bool A_TRANSPOSED = true;
  static constexpr int A_PITCH = BM + 4;
  static constexpr int BLOCKS = blocks_per_sm(THREADS, TM* TN + TM + TN + 48);
  using Place = SplitPlace<BM, BN, TM, TN>;
};

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(Rung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  Rung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  single_buffered<Rung<BM, BN, BK, TM, TN, WM, WN>, GUARDED>(arg);
}

}  // namespace rooftile::gemm::conflict_free
