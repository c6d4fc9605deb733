// Thread-block clusters (compute capability 9.0 and later): barrier, rank, the shared memory of
// other blocks by generic addresses, and launches.
//
// Generic addresses, because loads by 32-bit addresses of the cluster's window become generic ones
// with a move in front of each. Pitfall: no block may end while another reads its shared memory.
#pragma once

#include "gpu/cuda/error.hpp"
#include "micro/timing.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define ROOFTILE_CLUSTER_OF(size)
#else
#define ROOFTILE_CLUSTER_OF(size) __cluster_dims__(size, 1, 1)
#endif

namespace rooftile::micro {

template <bool Relaxed>
__device__ __forceinline__ void cluster_barrier() {
#if __CUDA_ARCH__ >= 900
  if constexpr (Relaxed)
    asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  else
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
#endif
}

__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank = 0;
#if __CUDA_ARCH__ >= 900
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return rank;
}

/// Generic address of what lies at `pointer`, in this block's shared memory, in block `rank`.
__device__ __forceinline__ unsigned long long address_in_block(const void* pointer,
                                                               [[maybe_unused]] unsigned rank) {
  auto address = reinterpret_cast<unsigned long long>(pointer);
#if __CUDA_ARCH__ >= 900
  asm volatile("mapa.u64 %0, %0, %1;" : "+l"(address) : "r"(rank));
#endif
  return address;
}

__device__ __forceinline__ unsigned long long follow_remote(unsigned long long address) {
  asm volatile("ld.u64 %0, [%0];" : "+l"(address)::"memory");
  return address;
}

__device__ __forceinline__ void load_remote(unsigned (&words)[4], unsigned long long address) {
  asm volatile("ld.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "l"(address)
               : "memory");
}

__device__ __forceinline__ void store_remote(unsigned long long address,
                                             const unsigned (&words)[4]) {
  asm volatile("st.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(words[0]), "r"(words[1]),
               "r"(words[2]), "r"(words[3])
               : "memory");
}

/// A launch of `blocks` blocks in clusters of `size`; config() points into the object.
class ClusterLaunch {
 public:
  ClusterLaunch(int size, int blocks, int threads, std::size_t shared_bytes, cudaStream_t stream) {
    attribute_.id = cudaLaunchAttributeClusterDimension;
    attribute_.val.clusterDim = {static_cast<unsigned>(size), 1, 1};
    config_.gridDim = blocks;
    config_.blockDim = threads;
    config_.dynamicSmemBytes = shared_bytes;
    config_.stream = stream;
    config_.attrs = &attribute_;
    config_.numAttrs = 1;
  }
  ClusterLaunch(const ClusterLaunch&) = delete;
  ClusterLaunch& operator=(const ClusterLaunch&) = delete;

  /// Clusters of this kind that the GPU can hold at once; 0 where it cannot hold one.
  template <class Kernel>
  int most_clusters(Kernel kernel) const {
    int clusters = 0;
    if (cudaOccupancyMaxActiveClusters(&clusters, kernel, &config_) != cudaSuccess) {
      cudaGetLastError();  // not supported: not an error of a later launch
      return 0;
    }
    return clusters;
  }

  template <class... Parameters, class... Arguments>
  void operator()(void (*kernel)(Parameters...), Arguments... arguments) const {
    check(cudaLaunchKernelEx(&config_, kernel, arguments...), "cudaLaunchKernelEx");
  }

 private:
  cudaLaunchAttribute attribute_{};
  cudaLaunchConfig_t config_{};
};

/// Lets `kernel` use so much shared memory and clusters of more than 8 blocks.
template <class Kernel>
inline void allow_cluster(Kernel kernel, std::size_t shared_bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes)),
        "cudaFuncSetAttribute");
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
        "cudaFuncSetAttribute");
}

}  // namespace rooftile::micro
