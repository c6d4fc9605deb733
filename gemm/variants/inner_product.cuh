// inner_product: the thread tile of thread_tile, each element as a dot product of its own: TM x TN
// multiply-adds read 2 TM TN words instead of TM + TN.
//
// The loads are volatile (device/access.cuh). Written in plain C++ and unrolled, the compiler finds
// the shared operands and makes the outer product of it.
#pragma once

#include "gemm/device/single_buffer.cuh"
#include "gemm/variants/thread_tile.cuh"

namespace rooftile::gemm::inner_product {

template <class R>
struct DotProducts : OuterProducts<R> {
  __device__ __forceinline__ static void multiply(float (&acc)[R::TM][R::TN], unsigned a,
                                                  unsigned b) {
#pragma unroll
    for (int k = 0; k < R::BK; ++k)
#pragma unroll
      for (int i = 0; i < R::TM; ++i)
#pragma unroll
        for (int j = 0; j < R::TN; ++j) {
          float x, y;
          load_shared<1>(&x, a + (i * R::A_PITCH + k) * 4);
          load_shared<1>(&y, b + (k * R::BN + j) * 4);
          acc[i][j] = fmaf(x, y, acc[i][j]);
        }
  }
};

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(thread_tile::Rung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  thread_tile::Rung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  using R = thread_tile::Rung<BM, BN, BK, TM, TN, WM, WN>;
  single_buffered<R, GUARDED, 1, StagingForm{}, DotProducts<R>>(arg);
}

}  // namespace rooftile::gemm::inner_product
