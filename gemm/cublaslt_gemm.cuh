// cublasLt in FP32 without TF32: the first heuristics that it has for a problem, each a kernel that
// can be launched. Measured where it is named, never predicted.
#pragma once

#include <string>
#include <vector>

#include "gemm/arguments.cuh"
#include "gpu/cuda/handles.hpp"

namespace rooftile::gemm {

/// What one problem after another is launched with.
struct CublasLt {
  /// As much as cuBLAS itself takes on Hopper.
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;

  CublasLt();  ///< throws GpuError

  CublasLtHandle handle;
  DeviceBuffer<char> workspace;
};

/// CUBLAS_COMPUTE_32F_PEDANTIC, row-major by swapping the operands: C^T = op(B)^T op(A)^T.
class CublasLtGemm {
 public:
  static constexpr int most_heuristics = 8;

  /// `library` must outlive this. Throws GpuError.
  CublasLtGemm(const CublasLt& library, const Arguments& arguments);

  /// Of cublasLt, its first choice first; none where it does not take the problem.
  std::size_t heuristics() const { return heuristics_.size(); }
  /// Asynchronous. A heuristic may turn out not to run; C is then as it was.
  cublasStatus_t launch(std::size_t heuristic, cudaStream_t stream) const;
  /// "heuristic 2 of 8: algorithm 20, tile 18, stages 8, split-K 1", in numbers of cublasLt.h.
  std::string describe(std::size_t heuristic) const;

 private:
  const CublasLt& library_;
  Arguments arguments_;
  CublasLtOperation operation_;
  CublasLtLayout a_, b_, c_;
  std::vector<cublasLtMatmulHeuristicResult_t> heuristics_;
};

}  // namespace rooftile::gemm
