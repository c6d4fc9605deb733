// double_buffer: shared and register double buffering together; device/double_buffered.cuh has the
// loop and says why it needs one barrier a slice, and the kernel, from which the raster rungs
// differ in the walk alone.
#pragma once

#include "gemm/device/double_buffered.cuh"

namespace rooftile::gemm::double_buffer {

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  static_assert(STAGES == 2);
  double_buffered_kernel<DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN, TRANS>, Walk::row, GUARDED>(
      arg);
}

}  // namespace rooftile::gemm::double_buffer
