// mma.sync in the shapes that programs use: the instructions, their fragments and the kernels that
// time them. PTX ISA, section "Warp level matrix instructions".
//
// Fragments, in bytes the same for each format: register i of A holds bytes 4t to 4t + 3 of row
// g + 8 (i mod 2), 16 bytes further on for i >= 2; register i of B those of column g, 16 i further
// on; g = lane / 4, t = lane mod 4. Accumulators: columns 2t and 2t + 1 of row g, then of row g
// + 8.
//
// The rate kernel: each warp holds 2 fragments of A, their negatives and 4 of B in registers and
// adds the 2 x 4 outer product to 8 accumulators, then subtracts it: independent instructions
// follow each other, operands change with each, and the sums stay as large as one product (16-bit
// sums would overflow; any sum that only grows stops changing and draws less power).
#pragma once

#include "micro/clock_load.cuh"
#include "micro/mma_sync_operands.hpp"
#include "micro/timing.cuh"

namespace rooftile::micro {

enum class MmaKind { f16, f16_acc16, f16_k8, bf16, tf32, int8, int8_m8, fp8 };

/// Shape and register counts of one kind.
struct MmaShape {
  Format format;
  const char* name;   ///< in the ids
  const char* text;   ///< shape and types
  int oldest;         ///< compute capability x 10
  int m, k_bytes;     ///< n is 8
  int a, b, c;        ///< registers a thread
  bool half = false;  ///< FP16 accumulators
};

constexpr MmaShape mma_shape(MmaKind kind) {
  switch (kind) {
    case MmaKind::f16:
      return {Format::f16, "f16", "m16n8k16 f16, FP32 accumulators", 80, 16, 32, 4, 2, 4};
    case MmaKind::f16_acc16:
      return {Format::f16, "f16_acc16", "m16n8k16 f16, FP16 accumulators", 80, 16, 32, 4, 2,
              2,           true};
    case MmaKind::f16_k8:
      return {Format::f16, "f16_k8", "m16n8k8 f16, FP32 accumulators", 75, 16, 16, 2, 1, 4};
    case MmaKind::bf16:
      return {Format::bf16, "bf16", "m16n8k16 bf16, FP32 accumulators", 80, 16, 32, 4, 2, 4};
    case MmaKind::tf32:
      return {Format::tf32, "tf32", "m16n8k8 tf32, FP32 accumulators", 80, 16, 32, 4, 2, 4};
    case MmaKind::int8:
      return {Format::int8, "int8", "m16n8k32 s8, 32-bit accumulators", 80, 16, 32, 4, 2, 4};
    case MmaKind::int8_m8:
      return {Format::int8, "int8_m8", "m8n8k16 s8, 32-bit accumulators", 75, 8, 16, 1, 1, 2};
    default:
      return {Format::fp8, "fp8", "m16n8k32 e4m3, FP32 accumulators", 89, 16, 32, 4, 2, 4};
  }
}

inline constexpr int mma_n = 8;
inline constexpr int mma_per_trip = 64;
inline constexpr int mma_max_warps = 16;
inline constexpr int mma_rows = 2, mma_columns = 4;  ///< of the outer product of fragments

/// Operands in device memory, rows of 32 B: mma_rows fragments of A (16 rows each) and mma_columns
/// of B (8 rows each) for each warp of a block.
struct MmaOperands {
  const unsigned char *a, *a_negated, *b;
  unsigned zero;  ///< 0, which the compiler cannot know
};
inline constexpr std::size_t mma_a_bytes = mma_max_warps * mma_rows * 16 * mma_k_bytes;
inline constexpr std::size_t mma_b_bytes = mma_max_warps * mma_columns * mma_n * mma_k_bytes;

template <int Count>
__device__ __forceinline__ void load_fragment(unsigned (&to)[Count], const unsigned char* rows,
                                              int second_row) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned char* from = rows + lane / 4 * mma_k_bytes + lane % 4 * 4;
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    const int row = second_row > 0 ? i % 2 * second_row : 0;
    const int byte = 16 * (second_row > 0 ? i / 2 : i);
    to[i] = *reinterpret_cast<const unsigned*>(from + row * mma_k_bytes + byte);
  }
}

/// d += A B; `d` are the bits of the accumulators.
template <MmaKind Kind>
__device__ __forceinline__ void mma(unsigned (&d)[mma_shape(Kind).c],
                                    const unsigned (&a)[mma_shape(Kind).a],
                                    const unsigned (&b)[mma_shape(Kind).b]) {
// clang-format off
#define ROOFTILE_MMA(text)                                                                     \
  asm volatile("mma.sync.aligned." text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
  // clang-format on
#if __CUDA_ARCH__ >= 800
  if constexpr (Kind == MmaKind::f16)
    ROOFTILE_MMA("m16n8k16.row.col.f32.f16.f16.f32");
  else if constexpr (Kind == MmaKind::bf16)
    ROOFTILE_MMA("m16n8k16.row.col.f32.bf16.bf16.f32");
  else if constexpr (Kind == MmaKind::tf32)
    ROOFTILE_MMA("m16n8k8.row.col.f32.tf32.tf32.f32");
  else if constexpr (Kind == MmaKind::int8)
    ROOFTILE_MMA("m16n8k32.row.col.s32.s8.s8.s32");
  else if constexpr (Kind == MmaKind::f16_acc16)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, "
        "{%0,%1};"
        : "+r"(d[0]), "+r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
#if __CUDA_ARCH__ >= 890
  if constexpr (Kind == MmaKind::fp8) ROOFTILE_MMA("m16n8k32.row.col.f32.e4m3.e4m3.f32");
#endif
#if __CUDA_ARCH__ >= 750
  if constexpr (Kind == MmaKind::f16_k8)
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]));
  else if constexpr (Kind == MmaKind::int8_m8)
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+r"(d[0]), "+r"(d[1])
                 : "r"(a[0]), "r"(b[0]));
#endif
#undef ROOFTILE_MMA
}

/// FP8 on compute capability 9 to 11: converted to FP16, multiplied twice and added.
template <MmaKind Kind>
__device__ constexpr bool mma_is_emulated() {
#if defined(__CUDA_ARCH__)
  return Kind == MmaKind::fp8 && __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200;
#else
  return false;
#endif
}

/// Whether the code that is being compiled has this kind.
template <MmaKind Kind>
__device__ constexpr bool has_mma() {
#if defined(__CUDA_ARCH__)
  return __CUDA_ARCH__ >= 10 * mma_shape(Kind).oldest;
#else
  return false;
#endif
}

/// Gives the fragment new values in the eyes of the compiler where it makes several instructions of
/// one, and would otherwise keep the converted operands, or even the products, from one to the
/// next.
template <MmaKind Kind, int Count>
__device__ __forceinline__ void refresh(unsigned (&fragment)[Count], unsigned zero) {
  if constexpr (mma_is_emulated<Kind>()) {
#pragma unroll
    for (int i = 0; i < Count; ++i) fragment[i] += zero;
  }
}

/// One product of warp 0's first fragments: `result[lane * c + i]` = register i. Writes nothing
/// where the code lacks this kind.
template <MmaKind Kind>
__global__ void mma_check_kernel(unsigned* result, MmaOperands operands) {
  if constexpr (has_mma<Kind>()) {
    constexpr MmaShape shape = mma_shape(Kind);
    unsigned a[shape.a], b[shape.b], d[shape.c] = {};
    load_fragment(a, operands.a, 8);
    load_fragment(b, operands.b, 0);
    mma<Kind>(d, a, b);
#pragma unroll
    for (int i = 0; i < shape.c; ++i) result[threadIdx.x * shape.c + i] = d[i];
  }
}

// MmaKind in a mangled name: 0 f16, 1 f16_acc16, 2 f16_k8, 3 bf16, 4 tf32, 5 int8, 6 int8_m8, 7
// fp8.
// SASS: kernel=mma_rate_kernel.*KindE[0134]E HMMA=64 UIADD3<=128 other<=8 bytes<=32768 spill=0 sm>=80
// SASS: kernel=mma_rate_kernel.*KindE2E HMMA=64 UIADD3<=128 other<=8 bytes<=32768 spill=0
// SASS: kernel=mma_rate_kernel.*KindE5E IMMA=64 UIADD3<=128 other<=8 bytes<=32768 spill=0 sm>=80
// SASS: kernel=mma_rate_kernel.*KindE6E IMMA=64 UIADD3<=128 other<=8 bytes<=32768 spill=0 sm<100
// SASS: kernel=mma_rate_kernel.*KindE6E IMMA=64 CS2R=64 other<=8 bytes<=32768 spill=0 sm>=100
// SASS: kernel=mma_rate_kernel.*KindE7E QMMA=64 UIADD3<=128 other<=8 bytes<=32768 spill=0 sm=89
// SASS: kernel=mma_rate_kernel.*KindE7E QMMA=64 other<=8 bytes<=32768 spill=0 sm>=120
// SASS: kernel=mma_rate_kernel.*KindE7E HMMA=128 FADD=256 F2FP<=256 other<=144 bytes<=32768 spill=0 sm>=90 sm<120
template <MmaKind Kind>
__global__ void __launch_bounds__(32 * mma_max_warps)
    mma_rate_kernel(BlockTimes* times, unsigned* sink, MmaOperands operands, int trips) {
  if constexpr (has_mma<Kind>()) {
    constexpr MmaShape shape = mma_shape(Kind);
    unsigned a[2][mma_rows][shape.a], b[mma_columns][shape.b];
    unsigned d[mma_rows][mma_columns][shape.c] = {};
    const int warp = threadIdx.x / 32;
#pragma unroll
    for (int i = 0; i < mma_rows; ++i) {
      const int offset = (warp * mma_rows + i) * 16 * mma_k_bytes;
      load_fragment(a[0][i], operands.a + offset, 8);
      load_fragment(a[1][i], operands.a_negated + offset, 8);
    }
#pragma unroll
    for (int j = 0; j < mma_columns; ++j)
      load_fragment(b[j], operands.b + (warp * mma_columns + j) * mma_n * mma_k_bytes, 0);
    __syncthreads();
    const unsigned long long start_ns = nanosecond_counter();
    const long long start = cycle_counter();
#pragma unroll 1
    for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
      for (int step = 0; step < mma_per_trip / (mma_rows * mma_columns); ++step) {
#pragma unroll
        for (int j = 0; j < mma_columns; ++j) refresh<Kind>(b[j], operands.zero);
#pragma unroll
        for (int i = 0; i < mma_rows; ++i) {
          refresh<Kind>(a[step % 2][i], operands.zero);
#pragma unroll
          for (int j = 0; j < mma_columns; ++j) mma<Kind>(d[i][j], a[step % 2][i], b[j]);
        }
      }
    }
    __syncthreads();
    const long long stop = cycle_counter();
    const unsigned long long stop_ns = nanosecond_counter();
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < mma_rows; ++i) {
#pragma unroll
      for (int j = 0; j < mma_columns; ++j) {
#pragma unroll
        for (int k = 0; k < shape.c; ++k) sum ^= d[i][j][k];
      }
    }
    if (sum == 0x9e3779b9u) *sink = sum;
    if (threadIdx.x == 0)
      times[blockIdx.x] = {stop - start, static_cast<long long>(stop_ns - start_ns)};
  }
}

/// One warp, each instruction adds to the accumulators of the one before.
// SASS: kernel=mma_latency_kernel.*KindE[0134]E HMMA=64 UIADD3<=128 other<=8 bytes<=32768 spill=0 sm>=80
// SASS: kernel=mma_latency_kernel.*KindE2E HMMA=64 UIADD3<=128 other<=8 bytes<=32768 spill=0
// SASS: kernel=mma_latency_kernel.*KindE5E IMMA=64 UIADD3<=128 other<=8 bytes<=32768 spill=0 sm>=80
// SASS: kernel=mma_latency_kernel.*KindE6E IMMA=64 UIADD3<=128 other<=8 bytes<=32768 spill=0 sm<100
// SASS: kernel=mma_latency_kernel.*KindE6E IMMA=64 CS2R=64 other<=8 bytes<=32768 spill=0 sm>=100
// SASS: kernel=mma_latency_kernel.*KindE7E QMMA=64 UIADD3<=128 other<=8 bytes<=32768 spill=0 sm=89
// SASS: kernel=mma_latency_kernel.*KindE7E QMMA=64 other<=8 bytes<=32768 spill=0 sm>=120
// SASS: kernel=mma_latency_kernel.*KindE7E HMMA=128 FADD=256 bytes<=32768 spill=0 sm>=90 sm<120
template <MmaKind Kind>
__global__ void mma_latency_kernel(long long* cycles, unsigned* sink, MmaOperands operands,
                                   int trips) {
  if constexpr (has_mma<Kind>()) {
    constexpr MmaShape shape = mma_shape(Kind);
    unsigned a[2][shape.a], b[shape.b], d[shape.c] = {};
    load_fragment(a[0], operands.a, 8);
    load_fragment(a[1], operands.a_negated, 8);
    load_fragment(b, operands.b, 0);
    const long long start = cycle_counter();
#pragma unroll 1
    for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
      for (int i = 0; i < mma_per_trip; ++i) {
        refresh<Kind>(a[i % 2], operands.zero);
        mma<Kind>(d, a[i % 2], b);
      }
    }
    const long long stop = cycle_counter();
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < shape.c; ++k) sum ^= d[k];
    if (sum == 0x9e3779b9u) *sink = sum;
    cycles[blockIdx.x] = stop - start;
  }
}

}  // namespace rooftile::micro
