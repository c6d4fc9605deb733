// wgmma.mma_async of one 64 x N x 32-byte step, for every format and N of the microbenchmarks, as
// the instruction itself: Wgmma<Format, N>::shared (A and B by descriptor) and ::registers (A in
// registers). PTX ISA, section "Asynchronous warpgroup level matrix instructions".
//
// PTX names each accumulator register, so that each N needs its own text: the lists below are
// pasted together by the preprocessor, one row a value of N.
//
// Only sm_90a has these instructions; elsewhere this header declares the descriptor's layout alone.
#pragma once

#include "micro/mma_sync_operands.hpp"

namespace rooftile::micro {

inline constexpr int wgmma_m = 64;             ///< rows of one instruction
inline constexpr int wgmma_threads = 128;      ///< of a warpgroup
inline constexpr int wgmma_pitch_bytes = 128;  ///< bytes of a row of an operand tile
inline constexpr int wgmma_slices = wgmma_pitch_bytes / mma_k_bytes;  ///< steps of K in a row

/// Where operand A comes from.
enum class Source { shared, registers };

/// FP32 accumulators, 32-bit integer ones for int8.
template <Format F>
struct WgmmaAccumulator {
  using Type = float;
};
template <>
struct WgmmaAccumulator<Format::int8> {
  using Type = int;
};

/// Byte of 16-byte chunk `chunk` of row `row` in a tile of 128-byte rows with the 128-byte swizzle:
/// the chunk's number is XORed with the row's number in its group of 8 rows. The tile begins at a
/// multiple of 1024 B.
__host__ __device__ constexpr unsigned swizzled_byte(unsigned row, unsigned chunk) {
  return row * wgmma_pitch_bytes + ((chunk ^ (row % 8)) << 4);
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// Descriptor of a K-major tile in that layout: start address / 16 in bits 0-13, leading offset
/// (unused with a swizzle) in 16-29, offset between groups of 8 rows (1024 B) / 16 in 32-45,
/// swizzle mode 1 (128 B) in 62-63. The next 32 bytes of K begin 2 further on.
__device__ __forceinline__ unsigned long long tile_descriptor(unsigned address) {
  constexpr unsigned long long fixed = (1ull << 62) | (64ull << 32) | (1ull << 16);
  return fixed | ((address & 0x3ffffu) >> 4);
}

__device__ __forceinline__ void wgmma_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Until at most `Pending` groups of this warpgroup are unfinished.
template <int Pending>
__device__ __forceinline__ void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

template <Format F, int N>
struct Wgmma;

// clang-format off
#define ROOFTILE_L4 "%0,%1,%2,%3"
#define ROOFTILE_L8 ROOFTILE_L4 ",%4,%5,%6,%7"
#define ROOFTILE_L16 ROOFTILE_L8 ",%8,%9,%10,%11,%12,%13,%14,%15"
#define ROOFTILE_L32 ROOFTILE_L16 ",%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define ROOFTILE_L48 ROOFTILE_L32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
#define ROOFTILE_L64 ROOFTILE_L48 ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define ROOFTILE_L96 ROOFTILE_L64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79" \
  ",%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95"
#define ROOFTILE_L128 ROOFTILE_L96 ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108" \
  ",%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"

#define ROOFTILE_D4(c, i) "+" c (d[i]), "+" c(d[i + 1]), "+" c(d[i + 2]), "+" c(d[i + 3])
#define ROOFTILE_D8(c, i) ROOFTILE_D4(c, i), ROOFTILE_D4(c, i + 4)
#define ROOFTILE_D16(c, i) ROOFTILE_D8(c, i), ROOFTILE_D8(c, i + 8)
#define ROOFTILE_D32(c, i) ROOFTILE_D16(c, i), ROOFTILE_D16(c, i + 16)
#define ROOFTILE_D48(c, i) ROOFTILE_D32(c, i), ROOFTILE_D16(c, i + 32)
#define ROOFTILE_D64(c, i) ROOFTILE_D32(c, i), ROOFTILE_D32(c, i + 32)
#define ROOFTILE_D96(c, i) ROOFTILE_D64(c, i), ROOFTILE_D32(c, i + 64)
#define ROOFTILE_D128(c, i) ROOFTILE_D64(c, i), ROOFTILE_D64(c, i + 64)

// One value of N with R = N / 2 accumulators; p0 to p5 are the numbers R to R + 5 in PTX.
#define ROOFTILE_SHARED(n, R, p0, p1, p2, shape, types, c, tail)                              \
  if constexpr (N == n)                                                                       \
    asm volatile("{.reg .pred p; setp.ne.b32 p, " p2 ", 0;\n"                                 \
                 "wgmma.mma_async.sync.aligned.m64n" #n shape types " {" ROOFTILE_L##R "}, "  \
                 p0 ", " p1 ", p" tail ";}"                                                   \
                 : ROOFTILE_D##R(c, 0) : "l"(a), "l"(b), "n"(Accumulate ? 1 : 0));
#define ROOFTILE_REGISTERS(n, R, p0, p1, p2, p3, p4, p5, shape, types, c, tail)               \
  if constexpr (N == n)                                                                       \
    asm volatile("{.reg .pred p; setp.ne.b32 p, " p5 ", 0;\n"                                 \
                 "wgmma.mma_async.sync.aligned.m64n" #n shape types " {" ROOFTILE_L##R "}, {" \
                 p0 ", " p1 ", " p2 ", " p3 "}, " p4 ", p" tail ";}"                          \
                 : ROOFTILE_D##R(c, 0)                                                        \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(Accumulate ? 1 : 0));

// The tails are the signs of A and B and, for 16-bit formats, whether they are transposed.
#define ROOFTILE_WGMMA(F, shape, types, c, shared_tail, register_tail)                            \
  template <int N>                                                                                \
  struct Wgmma<F, N> {                                                                            \
    using Type = WgmmaAccumulator<F>::Type;                                                       \
    template <bool Accumulate>                                                                    \
    static __device__ __forceinline__ void shared(Type (&d)[N / 2], unsigned long long a,         \
                                                  unsigned long long b) {                         \
      ROOFTILE_SHARED(8, 4, "%4", "%5", "%6", shape, types, c, shared_tail)                       \
      ROOFTILE_SHARED(16, 8, "%8", "%9", "%10", shape, types, c, shared_tail)                     \
      ROOFTILE_SHARED(32, 16, "%16", "%17", "%18", shape, types, c, shared_tail)                  \
      ROOFTILE_SHARED(64, 32, "%32", "%33", "%34", shape, types, c, shared_tail)                  \
      ROOFTILE_SHARED(96, 48, "%48", "%49", "%50", shape, types, c, shared_tail)                  \
      ROOFTILE_SHARED(128, 64, "%64", "%65", "%66", shape, types, c, shared_tail)                 \
      ROOFTILE_SHARED(192, 96, "%96", "%97", "%98", shape, types, c, shared_tail)                 \
      ROOFTILE_SHARED(256, 128, "%128", "%129", "%130", shape, types, c, shared_tail)             \
    }                                                                                             \
    template <bool Accumulate>                                                                    \
    static __device__ __forceinline__ void registers(Type (&d)[N / 2], const unsigned (&a)[4],    \
                                                     unsigned long long b) {                      \
      ROOFTILE_REGISTERS(8, 4, "%4", "%5", "%6", "%7", "%8", "%9", shape, types, c,               \
                         register_tail)                                                           \
      ROOFTILE_REGISTERS(16, 8, "%8", "%9", "%10", "%11", "%12", "%13", shape, types, c,          \
                         register_tail)                                                           \
      ROOFTILE_REGISTERS(32, 16, "%16", "%17", "%18", "%19", "%20", "%21", shape, types, c,       \
                         register_tail)                                                           \
      ROOFTILE_REGISTERS(64, 32, "%32", "%33", "%34", "%35", "%36", "%37", shape, types, c,       \
                         register_tail)                                                           \
      ROOFTILE_REGISTERS(96, 48, "%48", "%49", "%50", "%51", "%52", "%53", shape, types, c,       \
                         register_tail)                                                           \
      ROOFTILE_REGISTERS(128, 64, "%64", "%65", "%66", "%67", "%68", "%69", shape, types, c,      \
                         register_tail)                                                           \
      ROOFTILE_REGISTERS(192, 96, "%96", "%97", "%98", "%99", "%100", "%101", shape, types, c,    \
                         register_tail)                                                           \
      ROOFTILE_REGISTERS(256, 128, "%128", "%129", "%130", "%131", "%132", "%133", shape, types,  \
                         c, register_tail)                                                        \
    }                                                                                             \
  };

ROOFTILE_WGMMA(Format::f16, "k16", ".f32.f16.f16", "f", ", 1, 1, 0, 0", ", 1, 1, 0")
ROOFTILE_WGMMA(Format::bf16, "k16", ".f32.bf16.bf16", "f", ", 1, 1, 0, 0", ", 1, 1, 0")
ROOFTILE_WGMMA(Format::tf32, "k8", ".f32.tf32.tf32", "f", ", 1, 1", ", 1, 1")
ROOFTILE_WGMMA(Format::fp8, "k32", ".f32.e4m3.e4m3", "f", ", 1, 1", ", 1, 1")
ROOFTILE_WGMMA(Format::int8, "k32", ".s32.s8.s8", "r", "", "")

#undef ROOFTILE_L4
#undef ROOFTILE_L8
#undef ROOFTILE_L16
#undef ROOFTILE_L32
#undef ROOFTILE_L48
#undef ROOFTILE_L64
#undef ROOFTILE_L96
#undef ROOFTILE_L128
#undef ROOFTILE_D4
#undef ROOFTILE_D8
#undef ROOFTILE_D16
#undef ROOFTILE_D32
#undef ROOFTILE_D48
#undef ROOFTILE_D64
#undef ROOFTILE_D96
#undef ROOFTILE_D128
#undef ROOFTILE_SHARED
#undef ROOFTILE_REGISTERS
#undef ROOFTILE_WGMMA
// clang-format on

#endif

}  // namespace rooftile::micro
