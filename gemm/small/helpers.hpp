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
  int cluster = 1;  ///< blocks of a cluster
  /// May start while the kernel before it in the stream ends; every kernel here waits before it
  /// touches memory. Never the first of a launch: it would take 0.5 to 1.5 us off each of many
  /// launches in a row, but cuBLAS does not do so either and times of single launches would not
  /// show it. Needs a device with clusters.
  bool overlap = false;
};

/// Throws GpuError when it is refused, InputError when it has more blocks than a grid may have.
void launch_kernel(const Launch& launch, void** parameters, cudaStream_t stream);

/// Copies the operands that are to be copied; at least one.
void pack(const Packing& a, const Packing& b, cudaStream_t stream);

/// C from the partial sums; overlaps the kernel that makes them when `overlap`.
void add(const SplitArguments& arguments, bool overlap, cudaStream_t stream);

}  // namespace rooftile::gemm::small
