// From the block index to the block tile. x runs along N and y down the rows of blocks; z walks the
// matrices of a batch, or further planes of rows, since y ends at 65,535 and M / BM may not. What z
// does not walk has a step of 0 (arguments.cuh), so that no division is needed.
#pragma once

#include "gemm/arguments.cuh"

namespace rooftile::gemm {

struct BlockOrigin {
  long long m, n;  ///< first row and column of C of this block; both fit 32 bits without a sign
};

template <int BM, int BN>
__device__ __forceinline__ BlockOrigin block_origin(const Arguments& arg) {
  const long long row = blockIdx.z * arg.z_rows + blockIdx.y;
  return {row * BM, static_cast<long long>(blockIdx.x) * BN};
}

/// The last plane may reach past the last row of blocks.
__device__ __forceinline__ bool outside(const BlockOrigin& origin, const Arguments& arg) {
  return origin.m >= arg.M;
}

/// The matrix of this block's z.
template <class Float>
__device__ __forceinline__ Float* matrix_of_z(Float* first, long long stride) {
  return first + blockIdx.z * stride;
}

/// Threads that an SM of the architecture being compiled for holds at once (CUDA C++ Programming
/// Guide, technical specifications by compute capability). Host code has no such architecture.
__host__ __device__ constexpr int threads_per_sm() {
#if !defined(__CUDA_ARCH__)
  return 2048;
#elif __CUDA_ARCH__ == 750
  return 1024;
#elif (__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1200
  return 1536;
#else
  return 2048;
#endif
}

/// Blocks of `threads` that fit an SM of 65,536 registers at `registers` each: what a kernel asks
/// of the compiler in its launch bounds.
__host__ __device__ constexpr int blocks_per_sm(int threads, int registers) {
  const int by_registers = 65536 / (threads * registers), by_threads = threads_per_sm() / threads;
  const int blocks = by_registers < by_threads ? by_registers : by_threads;
  return blocks < 1 ? 1 : blocks;
}

}  // namespace rooftile::gemm
