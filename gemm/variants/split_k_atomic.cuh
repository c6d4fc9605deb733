// split_k_atomic: as split_k_workspace, but the parts add their sums to C by atomics (RED), once C
// holds beta C (gemm/split_k.cu). No workspace and no second pass; the order of additions, and so
// the last bits of the result, changes from run to run.
#pragma once

#include "gemm/device/double_buffered.cuh"

namespace rooftile::gemm::split_k_atomic {

template <class R, bool GUARDED>
__device__ __forceinline__ void add_block(const float (&acc)[R::TM][R::TN], const Arguments& arg,
                                          const BlockOrigin& origin) {
  using Place = typename R::Place;
  const Place place;
  const long long m0 = origin.m + place.m, n0 = origin.n + place.n;
#pragma unroll
  for (int i = 0; i < R::TM; ++i) {
    const long long m = m0 + i / 4 * Place::GROUP_M + i % 4;
    if (GUARDED && m >= arg.M) continue;
#pragma unroll
    for (int j = 0; j < R::TN; ++j) {
      const long long n = n0 + j / 4 * Place::GROUP_N + j % 4;
      if (!GUARDED || n < arg.N) atomicAdd(arg.c + m * arg.ldc + n, arg.alpha * acc[i][j]);
    }
  }
}

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  static_assert(STAGES == 2);
  using R = DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN, TRANS>;
  const BlockOrigin origin = block_origin<BM, BN>(arg);
  if (outside(origin, arg)) return;
  float acc[TM][TN] = {};
  double_buffered<R, GUARDED>(acc, arg, origin, part_of_k<BK>(arg));
  add_block<R, GUARDED>(acc, arg, origin);
}

}  // namespace rooftile::gemm::split_k_atomic
