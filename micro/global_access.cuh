// Global-memory loads and stores of a fixed width and cache path in PTX.
#pragma once

namespace rooftile::micro {

/// l1: cached in L1 and L2 (plain ld: ld.ca becomes LDG.STRONG.SM). l2: L1 bypassed (ld.cg).
enum class LoadPath { l1, l2 };

template <int Width, LoadPath Path>
__device__ __forceinline__ void load_global(unsigned (&words)[Width / 4],
                                            unsigned long long address) {
  static_assert(Width == 4 || Width == 8 || Width == 16);
  if constexpr (Width == 4 && Path == LoadPath::l1)
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(words[0]) : "l"(address));
  else if constexpr (Width == 4)
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(words[0]) : "l"(address));
  else if constexpr (Width == 8 && Path == LoadPath::l1)
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];"
                 : "=r"(words[0]), "=r"(words[1])
                 : "l"(address));
  else if constexpr (Width == 8)
    asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2];"
                 : "=r"(words[0]), "=r"(words[1])
                 : "l"(address));
  else if constexpr (Path == LoadPath::l1)
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "l"(address));
  else
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "l"(address));
}

/// Plain st, of 1, 2 or 4 words.
template <int Words>
__device__ __forceinline__ void store_global(unsigned long long address,
                                             const unsigned (&words)[Words]) {
  static_assert(Words == 1 || Words == 2 || Words == 4);
  if constexpr (Words == 1)
    asm volatile("st.global.u32 [%0], %1;" ::"l"(address), "r"(words[0]) : "memory");
  else if constexpr (Words == 2)
    asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(address), "r"(words[0]), "r"(words[1])
                 : "memory");
  else
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(words[0]),
                 "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
}

}  // namespace rooftile::micro
