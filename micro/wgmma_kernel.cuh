// The two kernels behind the wgmma microbenchmarks: many instructions in flight (rate), and one at
// a time (latency), for each format, N and source of A.
//
// Operands: rows of 128 B with random values, four slices of 32 B of K; in shared memory with the
// 128-byte swizzle, as GEMM kernels keep them. All warpgroups share B (N rows), each has its own A
// (64 rows). One loop trip is a tile's step: 32 instructions, eight times through the four slices,
// the first of which starts the accumulators anew, so that they stay as large as in a GEMM with
// K = 32 instructions. (Sums that grow without end stop changing once an addend falls below their
// last bit, and then draw less power.)
//
// In the rate kernel a trip begins as soon as all but the newest commit group are done: the tensor
// core never waits for the issue of the next instruction, and no clock or barrier is in the loop.
#pragma once

#include "micro/clock_load.cuh"
#include "micro/timing.cuh"
#include "micro/wgmma_instruction.cuh"

namespace rooftile::micro {

inline constexpr int wgmma_per_trip = 32;
inline constexpr int wgmma_largest_n = 256;

/// Instructions in a trip of the latency loop: many where its overhead would show, few where the
/// compiler takes long.
constexpr int wgmma_latency_per_trip(int n) { return n <= 32 ? 64 : 16; }
/// Warpgroups that an SM holds with their accumulators in registers.
constexpr int wgmma_groups(int n) { return n > 128 ? 2 : 4; }
constexpr std::size_t wgmma_shared_bytes(int n) {
  return static_cast<std::size_t>(wgmma_groups(n) * wgmma_m + n) * wgmma_pitch_bytes;
}

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// Copies rows of 128 B to shared memory with the swizzle, all threads of the block.
__device__ __forceinline__ void stage_rows(unsigned char* to, const unsigned char* from, int rows) {
  for (unsigned i = threadIdx.x; i < 8u * static_cast<unsigned>(rows); i += blockDim.x)
    *reinterpret_cast<uint4*>(to + swizzled_byte(i / 8, i % 8)) =
        *reinterpret_cast<const uint4*>(from + 16 * i);
}

/// A and B in shared memory, visible to the asynchronous proxy through which wgmma reads them, and
/// this thread's part of A in registers.
template <Source A>
struct WgmmaOperands {
  unsigned long long a_tile, b_tile;
  unsigned a[wgmma_slices][4];

  __device__ __forceinline__ WgmmaOperands(unsigned char* arena, const unsigned char* b_rows,
                                           const unsigned char* a_rows, int n) {
    const unsigned group = threadIdx.x / wgmma_threads;
    stage_rows(arena, b_rows, n);
    stage_rows(arena + n * wgmma_pitch_bytes, a_rows,
               static_cast<int>(blockDim.x / wgmma_threads) * wgmma_m);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    // A shuffle tells the compiler that a value is the same in all lanes of a warp: it then keeps
    // descriptors in uniform registers. The tile of B it knows to be so, but works its address out
    // again in each loop trip, slowly, where no other descriptor is about.
    const auto arena_address = static_cast<unsigned>(__cvta_generic_to_shared(arena));
    const unsigned b_address =
        A == Source::registers ? __shfl_sync(~0u, arena_address, 0) : arena_address;
    const unsigned a_row = __shfl_sync(~0u, n + group * wgmma_m, 0);
    b_tile = tile_descriptor(b_address);
    a_tile = tile_descriptor(b_address + a_row * wgmma_pitch_bytes);
    if constexpr (A == Source::registers)
      load_fragments(a_rows + group * wgmma_m * wgmma_pitch_bytes);
  }

  /// Of each slice: bytes 4t to 4t + 3 of rows g and g + 8, then the same 16 bytes further on,
  /// where g = lane / 4 counts from the warp's first row and t = lane % 4 (PTX ISA, register
  /// fragments of wgmma: the same in bytes for each format).
  __device__ __forceinline__ void load_fragments(const unsigned char* rows) {
    const unsigned warp = threadIdx.x % wgmma_threads / 32, lane = threadIdx.x % 32;
    const unsigned char* from = rows + (16 * warp + lane / 4) * wgmma_pitch_bytes + lane % 4 * 4;
#pragma unroll
    for (int slice = 0; slice < wgmma_slices; ++slice) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        a[slice][i] = *reinterpret_cast<const unsigned*>(
            from + slice * mma_k_bytes + i % 2 * 8 * wgmma_pitch_bytes + i / 2 * 16);
    }
  }

  template <Format F, int N, bool Accumulate>
  __device__ __forceinline__ void multiply(typename WgmmaAccumulator<F>::Type (&d)[N / 2],
                                           int slice) const {
    const unsigned long long b = b_tile + static_cast<unsigned>(slice) * (mma_k_bytes / 16);
    if constexpr (A == Source::shared)
      Wgmma<F, N>::template shared<Accumulate>(
          d, a_tile + static_cast<unsigned>(slice) * (mma_k_bytes / 16), b);
    else
      Wgmma<F, N>::template registers<Accumulate>(d, a[slice], b);
  }
};

/// Every accumulator of this thread, for the check of the numbers: element i of thread t of the
/// block at i * blockDim.x + t.
template <class T, int Count>
__device__ __forceinline__ void store_accumulators(T* to, const T (&d)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) to[i * blockDim.x + threadIdx.x] = d[i];
}

#endif

/// `results`: where to store the accumulators after the last trip, nullptr for nowhere.
// SASS: kernel=wgmma_rate_kernel HGMMA|QGMMA|IGMMA=32 WARPGROUP=2 other<=16 bytes<=32768 spill=0 sm=90
template <Format F, int N, Source A>
__global__ void __launch_bounds__(wgmma_groups(N) * wgmma_threads, 1)
    wgmma_rate_kernel(BlockTimes* times, typename WgmmaAccumulator<F>::Type* results,
                      const unsigned char* b_rows, const unsigned char* a_rows, int trips) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(1024) unsigned char wgmma_arena[];
  const WgmmaOperands<A> operands(wgmma_arena, b_rows, a_rows, N);
  typename WgmmaAccumulator<F>::Type d[N / 2] = {};
  __syncthreads();
  const unsigned long long start_ns = nanosecond_counter();
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
    wgmma_fence();
    operands.template multiply<F, N, false>(d, 0);
#pragma unroll
    for (int i = 1; i < wgmma_per_trip; ++i)
      operands.template multiply<F, N, true>(d, i % wgmma_slices);
    wgmma_commit();
    wgmma_wait<1>();
  }
  wgmma_wait<0>();
  __syncthreads();
  const long long stop = cycle_counter();
  const unsigned long long stop_ns = nanosecond_counter();
  if (results != nullptr) store_accumulators(results, d);
  if (threadIdx.x == 0)
    times[blockIdx.x] = {stop - start, static_cast<long long>(stop_ns - start_ns)};
#endif
}

/// One warpgroup; every instruction waits for the one before to have written its accumulators.
// SASS: kernel=wgmma_latency_kernel.*Li(8|16|32)E HGMMA|QGMMA|IGMMA=64 WARPGROUP=128 other<=16 bytes<=32768 spill=0 sm=90
// SASS: kernel=wgmma_latency_kernel.*Li(64|96|128|192|256)E HGMMA|QGMMA|IGMMA=16 WARPGROUP=32 other<=16 bytes<=32768 spill=0 sm=90
template <Format F, int N, Source A>
__global__ void __launch_bounds__(wgmma_threads, 1)
    wgmma_latency_kernel(long long* cycles, typename WgmmaAccumulator<F>::Type* results,
                         const unsigned char* b_rows, const unsigned char* a_rows, int trips) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(1024) unsigned char wgmma_arena[];
  const WgmmaOperands<A> operands(wgmma_arena, b_rows, a_rows, N);
  typename WgmmaAccumulator<F>::Type d[N / 2] = {};
  __syncthreads();
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < wgmma_latency_per_trip(N); ++i) {
      wgmma_fence();
      operands.template multiply<F, N, true>(d, i % wgmma_slices);
      wgmma_commit();
      wgmma_wait<0>();
    }
  }
  const long long stop = cycle_counter();
  if (results != nullptr) store_accumulators(results, d);
  if (threadIdx.x == 0) cycles[blockIdx.x] = stop - start;
#endif
}

}  // namespace rooftile::micro
