// Loads and stores of a fixed width, so that the SASS holds the instruction that the rung is about.
//
// Shared memory goes through PTX, and a scalar load is .volatile: left to itself ptxas merges
// neighbouring scalar loads into LDS.128 (also along k), and then "scalar" and "vector" rungs are
// the same kernel. The asm itself is volatile because a shared load is not a pure function of its
// address; ptxas still schedules vector loads freely between barriers.
// Pitfall: a 16-byte access needs a 16-byte aligned address in either space.
#pragma once

namespace rooftile::gemm {

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

template <int WIDTH>
__device__ __forceinline__ void load_global(float* to, const float* from) {
  static_assert(WIDTH == 1 || WIDTH == 4);
  if constexpr (WIDTH == 4) {
    const float4 v = __ldg(reinterpret_cast<const float4*>(from));
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
  } else {
    to[0] = __ldg(from);
  }
}

template <int WIDTH>
__device__ __forceinline__ void load_shared(float* to, unsigned address) {
  static_assert(WIDTH == 1 || WIDTH == 4);
  if constexpr (WIDTH == 4) {
    asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3},[%4];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                 : "r"(address));
  } else {
    asm volatile("ld.volatile.shared.f32 %0,[%1];" : "=f"(to[0]) : "r"(address));
  }
}

template <int WIDTH>
__device__ __forceinline__ void store_shared(unsigned address, const float* from) {
  static_assert(WIDTH == 1 || WIDTH == 4);
  if constexpr (WIDTH == 4) {
    asm volatile("st.shared.v4.f32 [%0],{%1,%2,%3,%4};" ::"r"(address), "f"(from[0]), "f"(from[1]),
                 "f"(from[2]), "f"(from[3])
                 : "memory");
  } else {
    asm volatile("st.shared.f32 [%0],%1;" ::"r"(address), "f"(from[0]) : "memory");
  }
}

}  // namespace rooftile::gemm
