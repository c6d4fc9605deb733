// The loop that both naive rungs share: each thread walks one row of A and one column of B.
#pragma once

#include "gemm/device/epilogue.cuh"
#include "gemm/device/grid.cuh"

namespace rooftile::gemm {

/// The thread's element is (m, n) of the block tile. Four steps of K a trip, so that the counter is
/// 32-bit and eight loads are in flight; BK is 1.
template <bool GUARDED>
__device__ __forceinline__ void direct_product(const Arguments& arg, const BlockOrigin& origin,
                                               int m, int n) {
  const long long row = origin.m + m, column = origin.n + n;
  if (GUARDED && (row >= arg.M || column >= arg.N)) return;
  const float* a = arg.a + row * arg.lda;
  const float* b = arg.b + column;
  float acc[1][1] = {};
  const auto step = [&](int k) {
    acc[0][0] = fmaf(__ldg(a + k), __ldg(b), acc[0][0]);
    b += arg.ldb;
  };
#pragma unroll 1
  for (int trips = static_cast<int>(arg.K / 4); trips > 0; --trips, a += 4) {
#pragma unroll
    for (int k = 0; k < 4; ++k) step(k);
  }
#pragma unroll 1
  for (int rest = static_cast<int>(arg.K % 4); rest > 0; --rest, ++a) step(0);
  store_result<4, 4, 1, GUARDED>(acc, arg, row, column);
}

}  // namespace rooftile::gemm
