// raster_column: the kernel of double_buffer, its blocks walked down the columns of C.
#pragma once

#include "gemm/device/double_buffered.cuh"
#include "gemm/device/raster.cuh"

namespace rooftile::gemm::raster_column {

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  static_assert(STAGES == 2);
  using R = DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN, TRANS>;
  const BlockOrigin origin = walked_origin<Walk::column, BM, BN>(arg);
  if (outside(origin, arg)) return;
  float acc[TM][TN] = {};
  double_buffered<R, GUARDED>(acc, arg, origin, whole_k<BK>(arg));
  store_block<R, GUARDED>(acc, arg, origin);
}

}  // namespace rooftile::gemm::raster_column
