// Epilogue: C = alpha * acc + beta * C. beta == 0 never reads C, so NaN there vanishes (as in
// BLAS). Runs once a block, so its 64-bit addresses cost little.
#pragma once

#include "gemm/arguments.cuh"
#include "gemm/device/access.cuh"

namespace rooftile::gemm {

/// Stores a thread's elements from row `m` and column `n` of C on; element (i, j) lies GROUP apart
/// every four. WIDTH 4 needs aligned C and a row pitch of a multiple of 4.
template <int GROUP_M, int GROUP_N, int WIDTH, bool GUARDED, int TM, int TN>
__device__ __forceinline__ void store_result(const float (&acc)[TM][TN], const Arguments& arg,
                                             long long m, long long n) {
  constexpr int W = GUARDED ? 1 : WIDTH;
  const bool reads_c = arg.beta != 0.0f;
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const long long row = m + i / 4 * GROUP_M + i % 4;
    if (GUARDED && row >= arg.M) continue;
    float* to = arg.c + row * arg.ldc + n;
#pragma unroll
    for (int j = 0; j < TN; j += W) {
      const int column = j / 4 * GROUP_N + j % 4;
      if (GUARDED && n + column >= arg.N) continue;
      float result[W];
#pragma unroll
      for (int w = 0; w < W; ++w) result[w] = arg.alpha * acc[i][j + w];
      if (reads_c) {
#pragma unroll
        for (int w = 0; w < W; ++w) result[w] = fmaf(arg.beta, to[column + w], result[w]);
      }
      if constexpr (W == 4)
        *reinterpret_cast<float4*>(to + column) =
            make_float4(result[0], result[1], result[2], result[3]);
      else
        to[column] = result[0];
    }
  }
}

}  // namespace rooftile::gemm
