// Global to shared memory without registers (cp.async, compute capability 8.0 and newer). Before
// that the same calls load and store at once, and waiting is free.
#pragma once

#include "gemm/device/access.cuh"

namespace rooftile::gemm {

/// A load that stays behind wait_for_previous_grid(): the grid before this one may write there
/// while this one already runs, which rules out the read-only path of load_global().
template <int WIDTH>
__device__ __forceinline__ void load_written(float* to, const float* from) {
  static_assert(WIDTH == 1 || WIDTH == 4);
  if constexpr (WIDTH == 4)
    asm volatile("ld.global.v4.f32 {%0,%1,%2,%3},[%4];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                 : "l"(from));
  else
    asm volatile("ld.global.f32 %0,[%1];" : "=f"(to[0]) : "l"(from));
}

/// WIDTH floats (1 or 4), both addresses aligned to them; zeros, and nothing read, unless `take`.
template <int WIDTH>
__device__ __forceinline__ void copy_async(unsigned to, const float* from, bool take) {
#if __CUDA_ARCH__ >= 800
  const int bytes = take ? WIDTH * 4 : 0;
  if constexpr (WIDTH == 4)
    asm volatile("cp.async.cg.shared.global [%0],[%1],16,%2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0],[%1],4,%2;" ::"r"(to), "l"(from), "r"(bytes)
                 : "memory");
#else
  float value[WIDTH] = {};
  if (take) load_written<WIDTH>(value, from);
  store_shared<WIDTH>(to, value);
#endif
}

template <int WIDTH>
__device__ __forceinline__ void copy_async(unsigned to, const float* from) {
#if __CUDA_ARCH__ >= 800
  if constexpr (WIDTH == 4)
    asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0],[%1],4;" ::"r"(to), "l"(from) : "memory");
#else
  copy_async<WIDTH>(to, from, true);
#endif
}

/// Ends a group: the copies since the last call.
__device__ __forceinline__ void end_copy_group() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Until at most PENDING of this thread's groups are under way.
template <int PENDING>
__device__ __forceinline__ void wait_copy_groups() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

}  // namespace rooftile::gemm
