// What split-K needs beside its kernel: C = beta C before parts are added to it by atomics, or a
// workspace for the parts and the kernel that adds them.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

#include "gemm/arguments.cuh"

namespace rooftile::gemm {

/// C = beta C; beta == 0 does not read C. Asynchronous.
void scale_c(const Arguments& args, cudaStream_t stream);

/// C = alpha (sum of the parts) + beta C, added in the order of the parts. `run` enqueues what
/// makes them: of the problem that it is given, whose results, unscaled, go to a workspace of the
/// stream, part z stride_c z behind the first. Waits for the stream where the workspace must grow;
/// throws InputError where the stream is being captured.
void sum_parts(const Arguments& args, long long parts, cudaStream_t stream,
               const std::function<void(const Arguments&)>& run);

}  // namespace rooftile::gemm
