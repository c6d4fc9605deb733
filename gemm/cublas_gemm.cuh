// The measured baseline: cuBLAS in FP32 without TF32. Never predicted.
#pragma once

#include "gemm/arguments.cuh"
#include "gpu/cuda/handles.hpp"

namespace rooftile::gemm {

inline cublasOperation_t cublas_operation(bool transposed) {
  return transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/// CUBLAS_COMPUTE_32F_PEDANTIC, row-major by swapping the operands: C^T = op(B)^T op(A)^T.
/// Asynchronous.
inline void cublas_gemm(const CublasHandle& handle, const Arguments& g) {
  const auto op_a = cublas_operation(g.trans_a), op_b = cublas_operation(g.trans_b);
  constexpr auto type = CUDA_R_32F;
  constexpr auto compute = CUBLAS_COMPUTE_32F_PEDANTIC;
  if (g.batch == 1)
    check(cublasGemmEx_64(handle, op_b, op_a, g.N, g.M, g.K, &g.alpha, g.b, type, g.ldb, g.a, type,
                          g.lda, &g.beta, g.c, type, g.ldc, compute, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx");
  else
    check(
        cublasGemmStridedBatchedEx_64(handle, op_b, op_a, g.N, g.M, g.K, &g.alpha, g.b, type, g.ldb,
                                      g.stride_b, g.a, type, g.lda, g.stride_a, &g.beta, g.c, type,
                                      g.ldc, g.stride_c, g.batch, compute, CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx");
}

}  // namespace rooftile::gemm
