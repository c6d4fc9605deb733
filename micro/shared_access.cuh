// Shared-memory loads and stores of a fixed width, in PTX, so that the compiler can neither split,
// merge, narrow nor drop them.
//
// Pitfall: without .volatile ptxas merges neighbours and keeps only the loads whose words are used
// in the end, `asm volatile` or not.
#pragma once

namespace rooftile::micro {

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

template <int Width>
__device__ __forceinline__ void load_shared(unsigned (&words)[Width / 4], unsigned address) {
  static_assert(Width == 4 || Width == 8 || Width == 16);
  if constexpr (Width == 4)
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(words[0]) : "r"(address));
  else if constexpr (Width == 8)
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];"
                 : "=r"(words[0]), "=r"(words[1])
                 : "r"(address));
  else
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address));
}

template <int Width>
__device__ __forceinline__ void store_shared(unsigned address, const unsigned (&words)[Width / 4]) {
  static_assert(Width == 4 || Width == 8 || Width == 16);
  if constexpr (Width == 4)
    asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(words[0]) : "memory");
  else if constexpr (Width == 8)
    asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(words[0]),
                 "r"(words[1])
                 : "memory");
  else
    asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(words[0]),
                 "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
}

}  // namespace rooftile::micro
