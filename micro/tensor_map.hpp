// Tensor maps for the tensor memory accelerator (compute capability 9.0 and later), made by the
// driver's cuTensorMapEncodeTiled, which comes through the runtime: libcuda is not linked.
//
// Rules (CUDA Driver API, Tensor Map Object Management): the row pitch and the bytes of a box's
// row are multiples of 16; a box has at most 256 elements a dimension; with a swizzle of s bytes a
// box's row is at most s bytes.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <stdexcept>

#include "gpu/cuda/error.hpp"

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

/// The driver's function, or nullptr where the driver has none.
inline decltype(&cuTensorMapEncodeTiled) tensor_map_encoder() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault,
                                       &found) != cudaSuccess ||
      found != cudaDriverEntryPointSuccess)
    return nullptr;
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry);
}

/// Map of a row-major matrix of 4-byte words. Throws where the driver refuses it.
inline CUtensorMap word_matrix_map(decltype(&cuTensorMapEncodeTiled) encode, void* words,
                                   unsigned row_words, unsigned rows, const Box& box) {
  CUtensorMap map{};
  const cuuint64_t size[2] = {row_words, rows};
  const cuuint64_t pitch_bytes[1] = {cuuint64_t{4} * row_words};
  const cuuint32_t box_size[2] = {box.row_bytes / 4, box.rows};
  const cuuint32_t element_strides[2] = {1, 1};
  const CUresult result =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, words, size, pitch_bytes, box_size,
             element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE, driver_swizzle(box.swizzle),
             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw GpuError("cuTensorMapEncodeTiled", static_cast<int>(result), "CUresult",
                   "the driver refuses the tensor map", std::source_location::current());
  return map;
}

/// Where byte `offset` of a box, in row-major order, lies in shared memory: the 16-byte chunk
/// number is XORed with the number of the 128-byte row, as far as the swizzle's span has bits (PTX
/// ISA, tensor swizzling modes). The slot is aligned to 8 x the span.
constexpr unsigned swizzled(unsigned offset, Swizzle swizzle) {
  const unsigned chunks = static_cast<unsigned>(swizzle) / 16;
  return chunks == 0 ? offset : offset ^ (((offset >> 7) & (chunks - 1)) << 4);
}

}  // namespace rooftile::micro
