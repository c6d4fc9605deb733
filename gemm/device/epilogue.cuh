// Epilogue: C = alpha * acc + beta * C. beta == 0 never reads C, so NaN there vanishes (as in
// BLAS). Runs once a block.
//
// It costs little by itself, but what it keeps in registers through the main loop, and which
// accumulators it wants side by side, decides on which banks the loop's operands fall. Hence two
// ways from row to row, of which each kernel takes the one whose loop reads its banks better by the
// port rule (scripts/check_sass.py, model/sass/ports.hpp), double buffers the first, single ones
// the second: the pointer walks and one question tells apart the two ways to store, or each row is
// a multiplication and each store asks. Rows and columns are 32-bit: they end at 2^31 - 1, and a
// block's edge a tile later.
#pragma once

#include "gemm/arguments.cuh"
#include "gemm/device/access.cuh"
#include "gemm/device/grid.cuh"

namespace rooftile::gemm {

/// A thread's elements of one row from `to` on; element j lies GROUP_N apart every four.
template <int GROUP_N, int WIDTH, bool GUARDED, int TN>
__device__ __forceinline__ void store_row(const float (&acc)[TN], const Arguments& arg, float* to,
                                          unsigned n, bool reads_c) {
#pragma unroll
  for (int j = 0; j < TN; j += WIDTH) {
    const int column = j / 4 * GROUP_N + j % 4;
    if (GUARDED && n + column >= arg.N) continue;
    float result[WIDTH];
#pragma unroll
    for (int w = 0; w < WIDTH; ++w) result[w] = arg.alpha * acc[j + w];
    if (reads_c) {
#pragma unroll
      for (int w = 0; w < WIDTH; ++w) result[w] = fmaf(arg.beta, to[column + w], result[w]);
    }
    if constexpr (WIDTH == 4)
      *reinterpret_cast<float4*>(to + column) =
          make_float4(result[0], result[1], result[2], result[3]);
    else
      to[column] = result[0];
  }
}

template <int GROUP_M, int GROUP_N, int WIDTH, bool GUARDED, int TM, int TN>
__device__ __forceinline__ void walk_rows(const float (&acc)[TM][TN], const Arguments& arg,
                                          unsigned m, unsigned n, bool reads_c) {
  float* to = matrix_of_z(arg.c, arg.stride_c) + m * arg.ldc + n;
#pragma unroll
  for (int i = 0; i < TM; to += (i % 4 == 3 ? GROUP_M - 3 : 1) * arg.ldc, ++i)
    if (!GUARDED || m + i / 4 * GROUP_M + i % 4 < arg.M)
      store_row<GROUP_N, WIDTH, GUARDED>(acc[i], arg, to, n, reads_c);
}

template <int GROUP_M, int GROUP_N, int WIDTH, bool GUARDED, int TM, int TN>
__device__ __forceinline__ void multiply_rows(const float (&acc)[TM][TN], const Arguments& arg,
                                              long long m, unsigned n, bool reads_c) {
  float* const c = matrix_of_z(arg.c, arg.stride_c);
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const long long row = m + i / 4 * GROUP_M + i % 4;
    if (!GUARDED || row < arg.M)
      store_row<GROUP_N, WIDTH, GUARDED>(acc[i], arg, c + row * arg.ldc + n, n, reads_c);
  }
}

enum class Rows { walked, multiplied };

/// Stores a thread's elements from row `m` and column `n` of C on; element (i, j) lies GROUP apart
/// every four. WIDTH 4 needs aligned C and a row pitch of a multiple of 4.
template <int GROUP_M, int GROUP_N, int WIDTH, bool GUARDED, Rows ROWS = Rows::walked, int TM,
          int TN>
__device__ __forceinline__ void store_result(const float (&acc)[TM][TN], const Arguments& arg,
                                             unsigned m, unsigned n) {
  constexpr int W = GUARDED ? 1 : WIDTH;
  if constexpr (ROWS == Rows::multiplied)
    multiply_rows<GROUP_M, GROUP_N, W, GUARDED>(acc, arg, m, n, arg.beta != 0.0f);
  else if (arg.beta != 0.0f)
    walk_rows<GROUP_M, GROUP_N, W, GUARDED>(acc, arg, m, n, true);
  else
    walk_rows<GROUP_M, GROUP_N, W, GUARDED>(acc, arg, m, n, false);
}

}  // namespace rooftile::gemm
