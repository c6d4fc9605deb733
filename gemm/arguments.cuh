// Kernel arguments of every GEMM variant, and nothing else. No standard headers, here and in all
// that the kernels include: a compiler at run time (NVRTC) has none.
#pragma once

namespace rooftile::gemm {

/// C = alpha * A * B + beta * C, row-major NN; sizes and leading dimensions in elements. beta == 0
/// never reads C. Kernels take K == 0 (the launcher passes it when alpha == 0) and then read
/// neither A nor B.
struct Arguments {
  const float* a;
  const float* b;
  float* c;
  long long M, N, K;
  long long lda, ldb, ldc;
  float alpha, beta;
};

}  // namespace rooftile::gemm
