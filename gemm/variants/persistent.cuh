// persistent: the kernel of double_buffer in a grid of as many blocks as fit on the GPU at once,
// each of which walks over tiles; device/persistent.cuh.
#pragma once

#include "gemm/device/persistent.cuh"

namespace rooftile::gemm::persistent {

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  static_assert(STAGES == 2);
  persistent_kernel<DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN, TRANS>, GUARDED>(arg);
}

}  // namespace rooftile::gemm::persistent
