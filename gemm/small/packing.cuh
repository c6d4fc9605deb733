// A copy of an operand to where 16-byte accesses reach it.
#pragma once

namespace rooftile::gemm::small {

/// A copy to be made, of `rows` x `columns` in row-major order; `transposed`: from a matrix of
/// `columns` x `rows`. Rows lie `pitch_to` apart, `columns` rounded up to whole 16 bytes; the
/// elements behind a row become zeros, for 16-byte accesses read them. `to` == nullptr: none.
struct Packing {
  const float* from = nullptr;
  float* to = nullptr;
  long long rows = 0, columns = 0, pitch_from = 0, pitch_to = 0;
  bool transposed = false;
};

inline constexpr int pack_rows = 32, pack_columns = 64, pack_threads = 256;

__host__ __device__ constexpr long long pack_blocks(const Packing& p) {
  if (p.to == nullptr) return 0;
  return ((p.rows + pack_rows - 1) / pack_rows) * ((p.columns + pack_columns - 1) / pack_columns);
}

}  // namespace rooftile::gemm::small
