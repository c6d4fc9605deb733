// Shared-memory loads and stores of a fixed width and lane pattern: the accesses themselves in PTX,
// so that the compiler can neither split nor merge them, and the saturation kernel that times them.
//
// The kernel: every warp of one block repeats the pattern, unrolled with offsets that are multiples
// of 128 B (all 32 banks), so that the bank of each lane never changes. Cycles an instruction =
// cycles of the block / warp instructions of all its warps: at saturation the wavefronts of one
// instruction. `toggle` is 0 at run time, unknown to the compiler: the loads of one trip are not
// those of the next.
#pragma once

#include <array>

#include "micro/context.hpp"
#include "micro/timing.cuh"
#include "model/kernel/kernel_description.hpp"

namespace rooftile::micro {

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

template <int Width>
__device__ __forceinline__ void load_shared(unsigned (&words)[Width / 4], unsigned address) {
  static_assert(Width == 4 || Width == 8 || Width == 16);
  if constexpr (Width == 4)
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(words[0]) : "r"(address));
  else if constexpr (Width == 8)
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                 : "=r"(words[0]), "=r"(words[1])
                 : "r"(address));
  else
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address));
}

template <int Width>
__device__ __forceinline__ void store_shared(unsigned address, const unsigned (&words)[Width / 4]) {
  static_assert(Width == 4 || Width == 8 || Width == 16);
  if constexpr (Width == 4)
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(words[0]) : "memory");
  else if constexpr (Width == 8)
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(address), "r"(words[0]), "r"(words[1])
                 : "memory");
  else
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(words[0]),
                 "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
}

constexpr int pattern_unroll = 16;
constexpr int pattern_threads = 512;
constexpr int bank_row_bytes = 128;  ///< 32 banks of 4 bytes

/// Byte offset of each lane, -1 where the lane is inactive.
struct LaneOffsets {
  int byte[32];
};

// SASS: kernel=shared_load_kernel.*Li4E LDS.32=16 other<=16 spill=0
// SASS: kernel=shared_load_kernel.*Li8E LDS.64=16 other<=24 spill=0
// SASS: kernel=shared_load_kernel.*Li16E LDS.128=16 other<=40 spill=0
template <int Width>
__global__ void __launch_bounds__(pattern_threads)
    shared_load_kernel(long long* cycles, unsigned* sink, LaneOffsets lanes, unsigned toggle,
                       int trips) {
  extern __shared__ __align__(128) unsigned char arena[];
  const int offset = lanes.byte[threadIdx.x % 32];
  unsigned address = shared_address(arena) + offset;
  unsigned sum = 0;
  __syncthreads();
  const long long start = cycle_counter();
  if (offset >= 0) {
#pragma unroll 1
    for (int trip = 0; trip < trips; ++trip) {
      unsigned words[pattern_unroll][Width / 4];
#pragma unroll
      for (int i = 0; i < pattern_unroll; ++i)
        load_shared<Width>(words[i], address + i * bank_row_bytes);
#pragma unroll
      for (int i = 0; i < pattern_unroll; ++i) {
#pragma unroll
        for (int j = 0; j < Width / 4; ++j) sum ^= words[i][j];
      }
      address ^= toggle;
    }
  }
  __syncthreads();
  const long long stop = cycle_counter();
  if (sum == 0x9e3779b9u) *sink = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = stop - start;
}

// SASS: kernel=shared_store_kernel.*Li4E STS.32=16 other<=8 spill=0
// SASS: kernel=shared_store_kernel.*Li8E STS.64=16 other<=8 spill=0
// SASS: kernel=shared_store_kernel.*Li16E STS.128=16 other<=8 spill=0
template <int Width>
__global__ void __launch_bounds__(pattern_threads)
    shared_store_kernel(long long* cycles, unsigned* sink, LaneOffsets lanes, unsigned toggle,
                        int trips) {
  extern __shared__ __align__(128) unsigned char arena[];
  const int offset = lanes.byte[threadIdx.x % 32];
  unsigned address = shared_address(arena) + offset;
  // Different values: equal ones would share a register and need a move before each store.
  unsigned words[Width / 4];
#pragma unroll
  for (int j = 0; j < Width / 4; ++j) words[j] = hash32(threadIdx.x * 4 + j);
  __syncthreads();
  const long long start = cycle_counter();
  if (offset >= 0) {
#pragma unroll 1
    for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
      for (int i = 0; i < pattern_unroll; ++i)
        store_shared<Width>(address + i * bank_row_bytes, words);
      address ^= toggle;
    }
  }
  __syncthreads();
  const long long stop = cycle_counter();
  if (offset >= 0 && *reinterpret_cast<unsigned*>(arena + offset) == 0x9e3779b9u) *sink = 1;
  if (threadIdx.x == 0) cycles[blockIdx.x] = stop - start;
}

/// Times lane patterns on the device of `context`.
class PatternTimer {
 public:
  explicit PatternTimer(Context& context) : context_(context), cycles_(1), sink_(1) {}

  /// Cycles a warp instruction at saturation, 16 warps in one block.
  Repetitions cycles_per_instruction(const LaneAddresses& lanes, int width_bytes,
                                     Direction direction);

 private:
  template <int Width>
  Repetitions time(const LaneAddresses& lanes, Direction direction);

  Context& context_;
  BlockCycles cycles_;
  DeviceBuffer<unsigned> sink_;
};

inline Repetitions PatternTimer::cycles_per_instruction(const LaneAddresses& lanes, int width_bytes,
                                                        Direction direction) {
  if (width_bytes == 4) return time<4>(lanes, direction);
  if (width_bytes == 8) return time<8>(lanes, direction);
  return time<16>(lanes, direction);
}

template <int Width>
Repetitions PatternTimer::time(const LaneAddresses& lanes, Direction direction) {
  LaneOffsets offsets{};
  int last = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    offsets.byte[i] = lanes.active[i] ? lanes.byte_offset[i] : -1;
    last = std::max(last, offsets.byte[i]);
  }
  const auto kernel =
      direction == Direction::load ? shared_load_kernel<Width> : shared_store_kernel<Width>;
  const std::size_t arena =
      static_cast<std::size_t>(last) + Width + pattern_unroll * bank_row_bytes;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(context_.shared_bytes_per_block())),
        "cudaFuncSetAttribute");
  const auto launch = [&](int trips) {
    kernel<<<1, pattern_threads, arena, context_.stream()>>>(cycles_.data(), sink_.data(), offsets,
                                                             0u, trips);
    check_launch("shared_load_kernel or shared_store_kernel");
  };
  const double instructions = pattern_unroll * (pattern_threads / 32);
  return context_.repeat(
      [&] { return differenced(cycles_, context_.stream(), launch, 16, 272) / instructions; });
}

}  // namespace rooftile::micro
