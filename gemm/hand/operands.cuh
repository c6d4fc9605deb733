// C where there is nothing to multiply, or before parts are added to it.
#pragma once

#include <cuda_runtime_api.h>

namespace rooftile::gemm::hand {

/// C = beta C; beta == 0 does not read C. Asynchronous.
void scale(float* c, long long ldc, float beta, long long rows, long long columns,
           cudaStream_t stream);

}  // namespace rooftile::gemm::hand
