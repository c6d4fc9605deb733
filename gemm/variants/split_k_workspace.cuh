// split_k_workspace: K is dealt out over several blocks a tile, so that a small C still fills the
// GPU; each part's sums go to a workspace and a second kernel adds them (gemm/split_k.cu).
//
// To this kernel the workspace is C: alpha 1, beta 0, and the stride of a part is that of z.
#pragma once

#include "gemm/device/double_buffered.cuh"

namespace rooftile::gemm::split_k_workspace {

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  static_assert(STAGES == 2);
  double_buffered_kernel<DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN, TRANS>, Walk::row, GUARDED,
                         true>(arg);
}

}  // namespace rooftile::gemm::split_k_workspace
