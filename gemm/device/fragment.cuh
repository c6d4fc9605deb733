// Fragments: what one k-step of a thread reads from shared memory, and the outer product of two.
#pragma once

#include "gemm/device/access.cuh"

namespace rooftile::gemm {

/// COUNT elements from `address` (bytes) in groups of WIDTH; element i lies at
/// (i / 4) * GROUP + i % 4, times STRIDE (elements). STRIDE is 1 but for an A that was not
/// transposed.
template <int COUNT, int WIDTH, int GROUP, int STRIDE = 1>
__device__ __forceinline__ void load_fragment(float (&to)[COUNT], unsigned address) {
  static_assert(WIDTH == 1 || STRIDE == 1);
#pragma unroll
  for (int i = 0; i < COUNT; i += WIDTH)
    load_shared<WIDTH>(&to[i], address + (i / 4 * GROUP + i % 4) * STRIDE * 4);
}

/// acc += a * b^T, walking b forth and back, so that each FFMA shares one operand with the one
/// before and the register file's reuse cache serves it.
template <int TM, int TN>
__device__ __forceinline__ void outer_product(float (&acc)[TM][TN], const float (&a)[TM],
                                              const float (&b)[TN]) {
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int step = 0; step < TN; ++step) {
      const int j = i % 2 == 0 ? step : TN - 1 - step;
      acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
    }
}

}  // namespace rooftile::gemm
