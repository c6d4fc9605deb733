// The measured baseline: cuBLAS in FP32 without TF32. Never predicted.
#pragma once

#include "gemm/arguments.cuh"
#include "gpu/cuda/handles.hpp"

namespace rooftile::gemm {

/// CUBLAS_COMPUTE_32F_PEDANTIC, row-major by swapping the operands: C^T = B^T A^T. Asynchronous.
inline void cublas_gemm(const CublasHandle& handle, const Arguments& g) {
  check(cublasGemmEx_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, g.N, g.M, g.K, &g.alpha, g.b, CUDA_R_32F,
                        g.ldb, g.a, CUDA_R_32F, g.lda, &g.beta, g.c, CUDA_R_32F, g.ldc,
                        CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
}

}  // namespace rooftile::gemm
