// What split-K needs beside its kernel: C = beta C before parts are added to it by atomics, or a
// workspace for the parts and the kernel that adds them.
#pragma once

#include <cuda_runtime_api.h>

#include "gemm/arguments.cuh"

namespace rooftile::gemm {

/// C = beta C; beta == 0 does not read C. Asynchronous.
void scale_c(const Arguments& args, cudaStream_t stream);

/// The same problem with its results, unscaled, in a workspace of the stream: part z stands
/// stride_c z behind the first. Waits for the stream where the workspace must grow.
Arguments to_workspace(const Arguments& args, long long parts, cudaStream_t stream);

/// C = alpha (sum of the parts) + beta C, added in the order of the parts. Asynchronous.
void add_parts(const Arguments& args, const Arguments& partial, long long parts,
               cudaStream_t stream);

}  // namespace rooftile::gemm
