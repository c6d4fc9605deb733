// Boxes and swizzles of tensor-map loads; the map itself is made in gpu/cuda/tensor_map.hpp.
#pragma once

#include "gpu/cuda/tensor_map.hpp"

namespace rooftile::micro {

enum class Swizzle { none = 0, b32 = 32, b64 = 64, b128 = 128 };

struct Box {
  unsigned row_bytes;
  unsigned rows;
  Swizzle swizzle;
  unsigned bytes() const { return row_bytes * rows; }
};

inline CUtensorMapSwizzle driver_swizzle(Swizzle swizzle) {
  switch (swizzle) {
    case Swizzle::b32:
      return CU_TENSOR_MAP_SWIZZLE_32B;
    case Swizzle::b64:
      return CU_TENSOR_MAP_SWIZZLE_64B;
    case Swizzle::b128:
      return CU_TENSOR_MAP_SWIZZLE_128B;
    default:
      return CU_TENSOR_MAP_SWIZZLE_NONE;
  }
}

/// Map of a row-major matrix of 4-byte words, without L2 promotion. Throws where the driver refuses
/// it.
inline CUtensorMap word_matrix_map(TensorMapEncoder encode, void* words, unsigned row_words,
                                   unsigned rows, const Box& box) {
  return tensor_map(encode, {.words = words,
                             .columns = row_words,
                             .rows = rows,
                             .pitch_words = row_words,
                             .box_columns = box.row_bytes / 4,
                             .box_rows = box.rows,
                             .swizzle = driver_swizzle(box.swizzle)});
}

/// Where byte `offset` of a box, in row-major order, lies in shared memory: the 16-byte chunk
/// number is XORed with the number of the 128-byte row, as far as the swizzle's span has bits (PTX
/// ISA, tensor swizzling modes). The slot is aligned to 8 x the span.
constexpr unsigned swizzled(unsigned offset, Swizzle swizzle) {
  const unsigned chunks = static_cast<unsigned>(swizzle) / 16;
  return chunks == 0 ? offset : offset ^ (((offset >> 7) & (chunks - 1)) << 4);
}

}  // namespace rooftile::micro
