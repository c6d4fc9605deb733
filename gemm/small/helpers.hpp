// The kernels of helpers.cuh for the host, and the one launch that all kernels of gemm/small share.
#pragma once

#include <cuda_runtime_api.h>

#include "gemm/small/packing.cuh"
#include "gemm/small/split_arguments.cuh"

namespace rooftile::gemm::small {

struct Launch {
  const void* function = nullptr;
  long long blocks = 0;
  int threads = 0, shared_bytes = 0;
  int cluster = 1;       ///< blocks of a cluster
  bool overlap = false;  ///< may start while the kernel before it in the stream ends
};

/// Throws GpuError when it is refused.
void launch_kernel(const Launch& launch, void** parameters, cudaStream_t stream);

/// Copies the operands that are to be copied.
void pack(const Packing& a, const Packing& b, bool overlap, cudaStream_t stream);

/// C from the partial sums; overlaps the kernel that makes them when `overlap`.
void add(const SplitArguments& arguments, bool overlap, cudaStream_t stream);

}  // namespace rooftile::gemm::small
