// The device's part of the fuzz test: an FP64 reference straight from the definition of GEMM in the
// problem's own layout, and the comparison with it. Nothing here comes back to the host until the
// end.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace rooftile::gemm {

/// Where element (row, column) of matrix z of a batch lies.
struct Steps {
  std::int64_t row = 0, column = 0, matrix = 0;
};

/// C = alpha op(A) op(B) + beta C0; a and b are stepped through as op(A) and op(B).
struct FuzzCase {
  const float *a, *b, *c0;
  Steps a_steps, b_steps, c_steps;
  std::int64_t M, N, K, batch;
  float alpha, beta;
};

/// Sums and the sums of their terms' magnitudes, packed by matrix, row and column.
void fuzz_reference(const FuzzCase& problem, double* sum, double* magnitude, cudaStream_t stream);

/// What went wrong with one kernel, over all problems.
struct FuzzFailures {
  unsigned long long wrong, overwritten;  ///< elements of C; words beside it
  int first_problem;                      ///< starts at the largest int
};

/// Compares C, which lies in the `words` words from `buffer` on as C0 lies in those from `before`
/// on; an error may be `factor` times the magnitude. Puts C back to C0 on the way, and whatever
/// else differs afterwards was overwritten.
void fuzz_check(const FuzzCase& problem, float* c, const double* sum, const double* magnitude,
                double factor, std::uint32_t* buffer, const std::uint32_t* before,
                std::int64_t words, int number, FuzzFailures* failures, cudaStream_t stream);

}  // namespace rooftile::gemm
