// Thread block clusters and early launch (compute capability 9.0 and newer). Before that a block is
// a cluster of its own.
#pragma once

namespace rooftile::gemm {

struct Cluster {
  int size, rank;
  /// As if the block had been launched without a cluster; known to the compiler.
  __device__ __forceinline__ static Cluster alone() { return Cluster(1, 0); }
  __device__ __forceinline__ Cluster(int size_, int rank_) : size(size_), rank(rank_) {}
  __device__ __forceinline__ Cluster() : size(1), rank(0) {
#if __CUDA_ARCH__ >= 900
    asm("mov.u32 %0,%%cluster_nctarank;" : "=r"(size));
    asm("mov.u32 %0,%%cluster_ctarank;" : "=r"(rank));
#endif
  }
};

/// This block runs. Every arrival is followed by a wait.
__device__ __forceinline__ void cluster_arrive_relaxed() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}

/// This block's stores are made.
__device__ __forceinline__ void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}

__device__ __forceinline__ void cluster_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/// The address, in the cluster's shared memory, of what is at `address` in block `rank`.
__device__ __forceinline__ unsigned cluster_address(unsigned address, int rank) {
  unsigned there = address;
#if __CUDA_ARCH__ >= 900
  asm("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(there) : "r"(address), "r"(rank));
#endif
  return there;
}

/// Four floats to an address of cluster_address().
__device__ __forceinline__ void store_cluster(unsigned address, const float* from) {
#if __CUDA_ARCH__ >= 900
  asm volatile("st.shared::cluster.v4.f32 [%0],{%1,%2,%3,%4};" ::"r"(address), "f"(from[0]),
               "f"(from[1]), "f"(from[2]), "f"(from[3])
               : "memory");
#else
  asm volatile("st.shared.v4.f32 [%0],{%1,%2,%3,%4};" ::"r"(address), "f"(from[0]), "f"(from[1]),
               "f"(from[2]), "f"(from[3])
               : "memory");
#endif
}

/// For a grid launched to overlap the one before it in its stream (programmatic stream
/// serialization): waits until that one is complete. All accesses to global memory come after it.
__device__ __forceinline__ void wait_for_previous_grid() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets such a grid start its blocks once all of this grid's blocks have come here. Late, so that
/// the next one finds the multiprocessors evenly free.
__device__ __forceinline__ void let_next_grid_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

}  // namespace rooftile::gemm
