// word_loads: conflict_free with global loads of one word, neighbouring lanes on neighbouring
// words. Four times the load instructions for the same sectors.
#pragma once

#include "gemm/device/single_buffer.cuh"
#include "gemm/variants/conflict_free.cuh"

namespace rooftile::gemm::word_loads {

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(conflict_free::Rung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  conflict_free::Rung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  using R = conflict_free::Rung<BM, BN, BK, TM, TN, WM, WN>;
  single_buffered<R, GUARDED, 1>(arg);
}

}  // namespace rooftile::gemm::word_loads
