// The loop that both naive rungs share: each thread walks one row of op(A) and one column of op(B).
#pragma once

#include "gemm/device/epilogue.cuh"
#include "gemm/device/grid.cuh"

namespace rooftile::gemm {

/// The thread's element is (m, n) of the block tile. Four steps of K a trip, so that the counter is
/// 32-bit and eight loads are in flight; BK is 1. Transposed operands take the guarded path.
template <bool GUARDED>
__device__ __forceinline__ void direct_product(const Arguments& arg, const BlockOrigin& origin,
                                               int m, int n) {
  const long long row = origin.m + m, column = origin.n + n;
  if (GUARDED && (row >= arg.M || column >= arg.N)) return;
  const bool trans_a = GUARDED && arg.trans_a, trans_b = GUARDED && arg.trans_b;
  const float* a = matrix_of_z(arg.a, arg.stride_a) + row * (trans_a ? 1 : arg.lda);
  const float* b = matrix_of_z(arg.b, arg.stride_b) + column * (trans_b ? arg.ldb : 1);
  const long long a_step = trans_a ? arg.lda : 1, b_step = trans_b ? 1 : arg.ldb;
  float acc[1][1] = {};
  const auto step = [&](int k) {
    acc[0][0] = fmaf(__ldg(a + k * a_step), __ldg(b), acc[0][0]);
    b += b_step;
  };
#pragma unroll 1
  for (int trips = static_cast<int>(arg.K / 4); trips > 0; --trips, a += 4 * a_step) {
#pragma unroll
    for (int k = 0; k < 4; ++k) step(k);
  }
#pragma unroll 1
  for (int rest = static_cast<int>(arg.K % 4); rest > 0; --rest, a += a_step) step(0);
  store_result<4, 4, 1, GUARDED>(acc, arg, row, column);
}

}  // namespace rooftile::gemm
