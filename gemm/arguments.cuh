// Kernel arguments of every GEMM variant, and nothing else. No standard headers, here and in all
// that the kernels include: a compiler at run time (NVRTC) has none.
#pragma once

namespace rooftile::gemm {

/// C = alpha * op(A) * op(B) + beta * C on row-major matrices, `batch` times; sizes, leading
/// dimensions and strides in elements. beta == 0 never reads C. Kernels take K == 0 (the launcher
/// passes it when alpha == 0) and then read neither A nor B. Column-major problems come as the
/// row-major ones that they are (canonical() in model/kernel/problem.hpp).
struct Arguments {
  const float* a;
  const float* b;
  float* c;
  long long M, N, K;
  long long lda, ldb, ldc;
  float alpha, beta;
  bool trans_a = false, trans_b = false;  ///< A is stored K x M, B is stored N x K
  long long batch = 1;
  long long stride_a = 0, stride_b = 0, stride_c = 0;  ///< from one matrix of the batch to the next

  // The rest is the launcher's. What a kernel's blockIdx.z walks has its step here and the others
  // are 0: the batch (strides), planes of block rows (z_rows), or parts of K (z_parts,
  // device/k_part.cuh).
  long long z_rows = 0;  ///< block rows from one z to the next
  int z_parts = 1;       ///< parts of K; 1: z does not walk them
  int raster_group = 1;  ///< of the tile; device/raster.cuh
};

}  // namespace rooftile::gemm
