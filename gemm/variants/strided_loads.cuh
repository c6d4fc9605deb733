// strided_loads: conflict_free with each thread's four neighbouring words loaded one by one: lanes
// stand 16 bytes apart, and every load touches all the sectors of the four. What a float4 that the
// compiler could not prove aligned becomes.
#pragma once

#include "gemm/device/single_buffer.cuh"
#include "gemm/variants/conflict_free.cuh"

namespace rooftile::gemm::strided_loads {

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(conflict_free::Rung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  conflict_free::Rung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  using R = conflict_free::Rung<BM, BN, BK, TM, TN, WM, WN>;
  single_buffered<R, GUARDED, 4, StagingForm{.word_by_word = true}>(arg);
}

}  // namespace rooftile::gemm::strided_loads
