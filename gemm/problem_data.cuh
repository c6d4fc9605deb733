// ProblemData: the operands of one problem on the device, with its FP64 reference.
//
// Everything is row-major: a column-major problem is held as the row-major one that it is
// (canonical()), and the reference too is of that one.
//
// Reference: R = alpha op(A) op(B) + beta C0 by cublasDgemm on widened copies; bound of element (i,
// j):
//   lambda sqrt(K + 3) u (|alpha| |A| |B| + |beta| |C0|)_ij,   u = 2^-24, lambda = 4.
// It is the probabilistic bound of Higham and Mary ("A new approach to probabilistic rounding error
// analysis", SIAM J. Sci. Comput. 41, 2019), which holds for any order of summation; the + 3 are
// the scalings. The deterministic bound, (K + 3) u, is so loose for large K that a forgotten
// product would pass.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gemm/arguments.cuh"
#include "gemm/matrix_ops.cuh"
#include "gpu/cuda/handles.hpp"
#include "model/kernel/problem.hpp"
#include "model/record/run.hpp"

namespace rooftile::gemm {

/// Matrices with 1 KiB of guard words (0xFFFFFFFF, a NaN) on both sides, between their rows and
/// between them. `offset` shifts them by so many elements, to misalign them.
class GuardedMatrix {
 public:
  /// `shape.data` is not read.
  explicit GuardedMatrix(const MatrixView& shape, int offset = 0);
  const MatrixView& view() const { return view_; }
  void poison(cudaStream_t stream);  ///< all words, guards too
  std::int64_t overwritten(cudaStream_t stream) const;
  static double bytes(const MatrixView& shape);

 private:
  DeviceBuffer<float> words_;
  MatrixView view_;
};

struct DataOptions {
  std::uint32_t seed = 20261129;
  int offset_a = 0, offset_b = 0, offset_c = 0;  ///< elements past an aligned address
  bool poison_inputs = false;  ///< A and B all NaN (for alpha == 0); the reference is then beta C0
};

class ProblemData {
 public:
  /// Allocates and fills on `stream`. Throws GpuError (out of memory among others).
  ProblemData(const GemmProblem& problem, const DataOptions& options, cudaStream_t stream);

  Arguments arguments() const;
  const GemmProblem& problem() const { return problem_; }  ///< row-major
  const GuardedMatrix& a() const { return a_; }
  const GuardedMatrix& b() const { return b_; }

  /// The FP64 reference, packed row-major, matrix after matrix, copied to the host.
  std::vector<double> reference() const;
  MatrixView c() const { return c_.view(); }

  /// C as before a run: C0 where beta != 0, NaN otherwise; guards NaN.
  void reset_c();
  /// Compares C with the reference and looks for writes outside C. `reason` is empty when all is
  /// well.
  struct Verdict {
    std::optional<Correctness> correctness;  ///< absent when C holds NaN or infinity
    std::string reason;
  };
  Verdict check_c() const;

  /// Device memory that the constructor takes at its peak.
  static std::int64_t bytes_needed(const GemmProblem& problem);

 private:
  void make_reference();
  std::string place_of(std::int64_t index) const;  ///< in words

  GemmProblem problem_;
  DataOptions options_;
  cudaStream_t stream_;
  GuardedMatrix a_, b_, c_;
  DeviceBuffer<double> reference_, scale_;
};

}  // namespace rooftile::gemm
