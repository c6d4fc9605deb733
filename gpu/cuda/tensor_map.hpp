// Tensor maps for the tensor memory accelerator (compute capability 9.0 and later), made by the
// driver's cuTensorMapEncodeTiled, which comes through the runtime: libcuda is not linked.
//
// Rules (CUDA Driver API, Tensor Map Object Management): address and row pitch are multiples of 16
// bytes, the bytes of a box's row too; a box has at most 256 elements a dimension; with a swizzle
// of s bytes a box's row is at most s bytes.
#pragma once

#include <cuda.h>

namespace rooftile {

using TensorMapEncoder = decltype(&cuTensorMapEncodeTiled);

/// The driver's function, or nullptr where the driver has none.
TensorMapEncoder tensor_map_encoder();

/// A row-major matrix of 4-byte words and the box that one copy moves.
struct TensorMapPlan {
  void* words = nullptr;
  unsigned long long columns = 0, rows = 0, pitch_words = 0;
  unsigned box_columns = 0, box_rows = 0;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE;
};

/// Words outside the matrix read as 0. Throws GpuError where the driver refuses the map.
CUtensorMap tensor_map(TensorMapEncoder encode, const TensorMapPlan& plan);

}  // namespace rooftile
