// What the hand-scheduled kernel needs done beside it: operands in the form that TMA takes, and C
// where there is nothing to multiply.
#pragma once

#include <cuda_runtime_api.h>

namespace rooftile::gemm::hand {

/// Copies a row-major matrix to rows `ld_out` apart. Asynchronous.
void pack(const float* in, long long ld_in, float* out, long long ld_out, long long rows,
          long long columns, cudaStream_t stream);

/// Transposes a row-major matrix of `rows` x `columns` into one with rows `ld_out` apart.
/// Asynchronous.
void transpose(const float* in, long long ld_in, float* out, long long ld_out, long long rows,
               long long columns, cudaStream_t stream);

/// C = beta C; beta == 0 does not read C. Asynchronous.
void scale(float* c, long long ldc, float beta, long long rows, long long columns,
           cudaStream_t stream);

}  // namespace rooftile::gemm::hand
