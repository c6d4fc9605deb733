// Rasters: the order in which the hardware's block numbers (x fastest) walk the blocks of C; host
// twin: model/schedule/raster.hpp. Integer divisions, once a block. 32 bits suffice: 2^32 blocks of
// the smallest tile here are more than any memory holds.
//
// Several planes of rows (M of more than 65,535 block rows) keep the row raster.
#pragma once

#include "gemm/device/grid.cuh"

namespace rooftile::gemm {

enum class Walk { row, column, zigzag, swizzle };

struct WalkPosition {
  unsigned row, column;
};

template <Walk WALK>
__device__ __forceinline__ WalkPosition walk(unsigned rows, unsigned columns, unsigned group) {
  const unsigned y = blockIdx.y, x = blockIdx.x;
  if constexpr (WALK == Walk::zigzag) return {y, y % 2 == 0 ? x : columns - 1 - x};
  const unsigned index = y * columns + x;
  if constexpr (WALK == Walk::column) return {index % rows, index / rows};
  if constexpr (WALK == Walk::swizzle) {
    const unsigned height = min(group, rows);
    const unsigned band = index / (height * columns), inside = index % (height * columns);
    const unsigned own_height = min(height, rows - band * height);
    return {band * height + inside % own_height, inside / own_height};
  }
  return {y, x};
}

template <Walk WALK, int BM, int BN>
__device__ __forceinline__ BlockOrigin walked_origin(const Arguments& arg) {
  if (arg.z_rows != 0) return block_origin<BM, BN>(arg);
  const WalkPosition at = walk<WALK>(gridDim.y, gridDim.x, arg.raster_group);
  return {static_cast<long long>(at.row) * BM, static_cast<long long>(at.column) * BN};
}

}  // namespace rooftile::gemm
