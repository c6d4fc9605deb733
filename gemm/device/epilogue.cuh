// Epilogue: C = alpha * acc + beta * C. beta == 0 never reads C, so NaN there vanishes (as in
// BLAS). Runs once a block.
//
// It costs little by itself, but what it keeps in registers through the main loop, and which
// accumulators it wants side by side, decides on which banks the loop's operands fall. So rows and
// columns are 32-bit (they end at 2^31 - 1, and a block's edge a tile later), the pointer walks
// from row to row, and one question tells apart the two ways to store.
#pragma once

#include "gemm/arguments.cuh"
#include "gemm/device/access.cuh"
#include "gemm/device/grid.cuh"

namespace rooftile::gemm {

/// A thread's elements of one row from `to` on; element j lies GROUP_N apart every four.
template <int GROUP_N, int WIDTH, bool GUARDED, bool READS_C, int TN>
__device__ __forceinline__ void store_row(const float (&acc)[TN], const Arguments& arg, float* to,
                                          unsigned n) {
#pragma unroll
  for (int j = 0; j < TN; j += WIDTH) {
    const int column = j / 4 * GROUP_N + j % 4;
    if (GUARDED && n + column >= arg.N) continue;
    float result[WIDTH];
#pragma unroll
    for (int w = 0; w < WIDTH; ++w) {
      result[w] = arg.alpha * acc[j + w];
      if constexpr (READS_C) result[w] = fmaf(arg.beta, to[column + w], result[w]);
    }
    if constexpr (WIDTH == 4)
      *reinterpret_cast<float4*>(to + column) =
          make_float4(result[0], result[1], result[2], result[3]);
    else
      to[column] = result[0];
  }
}

template <int GROUP_M, int GROUP_N, int WIDTH, bool GUARDED, bool READS_C, int TM, int TN>
__device__ __forceinline__ void store_rows(const float (&acc)[TM][TN], const Arguments& arg,
                                           unsigned m, unsigned n) {
  float* to = matrix_of_z(arg.c, arg.stride_c) + m * arg.ldc + n;
#pragma unroll
  for (int i = 0; i < TM; to += (i % 4 == 3 ? GROUP_M - 3 : 1) * arg.ldc, ++i)
    if (!GUARDED || m + i / 4 * GROUP_M + i % 4 < arg.M)
      store_row<GROUP_N, WIDTH, GUARDED, READS_C>(acc[i], arg, to, n);
}

/// Stores a thread's elements from row `m` and column `n` of C on; element (i, j) lies GROUP apart
/// every four. WIDTH 4 needs aligned C and a row pitch of a multiple of 4.
template <int GROUP_M, int GROUP_N, int WIDTH, bool GUARDED, int TM, int TN>
__device__ __forceinline__ void store_result(const float (&acc)[TM][TN], const Arguments& arg,
                                             unsigned m, unsigned n) {
  constexpr int W = GUARDED ? 1 : WIDTH;
  if (arg.beta != 0.0f)
    store_rows<GROUP_M, GROUP_N, W, GUARDED, true>(acc, arg, m, n);
  else
    store_rows<GROUP_M, GROUP_N, W, GUARDED, false>(acc, arg, m, n);
}

}  // namespace rooftile::gemm
