// XOR swizzle of a matrix that lies by k: column m of row k stands at m ^ (4 (k mod 8)). Rows stay
// as long as they are and float4s together; eight rows of a column fall on eight groups of banks.
#pragma once

#include "gemm/device/staging.cuh"

namespace rooftile::gemm {

/// Bytes to XOR with the byte offset of a column.
__host__ __device__ constexpr unsigned swizzle_bytes(int k) { return 16 * (k % 8); }

/// As StagedTile::store_transposed, swizzled.
template <int PITCH, int ROWS, int COLS, int THREADS, int WIDTH>
__device__ __forceinline__ void store_swizzled(const StagedTile<ROWS, COLS, THREADS, WIDTH>& tile,
                                               unsigned to) {
  static_assert(PITCH % 32 == 0);
  const int c = tile.column();  // a multiple of WIDTH, so the XORs of c and w combine
#pragma unroll
  for (int i = 0; i < tile.COUNT; ++i) {
    const unsigned m = tile.row(i) * 4 ^ swizzle_bytes(c);
#pragma unroll
    for (int w = 0; w < WIDTH; ++w)
      store_shared<1>(to + (c + w) * PITCH * 4 + (m ^ swizzle_bytes(w)), &tile.value[i][w]);
  }
}

}  // namespace rooftile::gemm
