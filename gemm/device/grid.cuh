// From the block index to the block tile. x runs along N (row raster); the rows of blocks are
// spread over y and z, since y and z end at 65,535 and M / BM may not. No division is needed.
#pragma once

#include "gemm/arguments.cuh"

namespace rooftile::gemm {

struct BlockOrigin {
  long long m, n;  ///< first row and column of C of this block
};

template <int BM, int BN>
__device__ __forceinline__ BlockOrigin block_origin() {
  const long long row = static_cast<long long>(blockIdx.z) * gridDim.y + blockIdx.y;
  return {row * BM, static_cast<long long>(blockIdx.x) * BN};
}

/// The last z plane may reach past the last row of blocks.
__device__ __forceinline__ bool outside(const BlockOrigin& origin, const Arguments& arg) {
  return origin.m >= arg.M;
}

/// Blocks of `threads` that fit an SM of 65,536 registers at `registers` each: what a kernel asks
/// of the compiler in its launch bounds. At most 2048 threads an SM.
__host__ __device__ constexpr int blocks_per_sm(int threads, int registers) {
  const int by_registers = 65536 / (threads * registers), by_threads = 2048 / threads;
  const int blocks = by_registers < by_threads ? by_registers : by_threads;
  return blocks < 1 ? 1 : blocks;
}

}  // namespace rooftile::gemm
