// The persistent walk: the grid holds as many blocks as fit on the GPU at once and each walks over
// tiles, those of its number plus multiples of the grid's size, so that blocks start once a launch.
// Tiles follow one another along the rows of C (the row raster), matrix after matrix of a batch.
//
// Tiles are counted in 32 bits: the launcher splits a batch of more.
#pragma once

#include "gemm/device/double_buffered.cuh"

namespace rooftile::gemm {

/// Divides the tiles of all matrices into those of one and those of one row.
struct TileCount {
  unsigned columns, of_matrix, all;
};

template <int BM, int BN>
__device__ __forceinline__ TileCount tile_count(const Arguments& arg) {
  const auto rows = static_cast<unsigned>((arg.M + BM - 1) / BM);
  const auto columns = static_cast<unsigned>((arg.N + BN - 1) / BN);
  return {columns, rows * columns, rows * columns * static_cast<unsigned>(arg.batch)};
}

/// Matrix `index` of the batch alone; blockIdx.z is 0 here, and so walks no batch itself.
__device__ __forceinline__ Arguments matrix_of_batch(Arguments arg, unsigned index) {
  arg.a += index * arg.stride_a;
  arg.b += index * arg.stride_b;
  arg.c += index * arg.stride_c;
  return arg;
}

/// The kernel. A warp may still read the last slice of a tile while another has come to the next
/// tile's first store to shared memory: hence the barrier between. It stands before the stores of
/// C, so that a warp that has stored its part loads of the next tile while the others store.
template <class R, bool GUARDED>
__device__ __forceinline__ void persistent_kernel(const Arguments& arg) {
  const TileCount count = tile_count<R::BM, R::BN>(arg);
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < count.all; tile += gridDim.x) {
    const unsigned inside = tile % count.of_matrix;
    const BlockOrigin origin{static_cast<long long>(inside / count.columns) * R::BM,
                             static_cast<long long>(inside % count.columns) * R::BN};
    const Arguments matrix = matrix_of_batch(arg, tile / count.of_matrix);
    float acc[R::TM][R::TN] = {};
    double_buffered<R, GUARDED>(acc, matrix, origin, whole_k<R::BK>(arg));
    __syncthreads();
    store_block<R, GUARDED>(acc, matrix, origin);
  }
}

}  // namespace rooftile::gemm
