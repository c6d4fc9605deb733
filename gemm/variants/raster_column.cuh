// raster_column: the kernel of double_buffer, its blocks walked down the columns of C.
#pragma once

#include "gemm/device/double_buffered.cuh"

namespace rooftile::gemm::raster_column {

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  static_assert(STAGES == 2);
  double_buffered_kernel<DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN, TRANS>, Walk::column,
                         GUARDED>(arg);
}

}  // namespace rooftile::gemm::raster_column
