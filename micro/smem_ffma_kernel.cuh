// The kernel of smem_ffma_mix: groups of one shared load and n FFMA.
//
// The FFMA of group g read words that the load eight groups earlier brought, and the load of group
// g + 1 overwrites those words: so ptxas can neither gather the loads in front of the loop nor make
// a warp wait for a load that it has just issued. (The load is predicated, always on; that ties its
// target registers to the old words.) The other factor of all FFMA is a kernel argument, which
// takes no register port.
//
// Pitfall: ptxas owns six barriers a warp, so that some loads share one and a warp may wait for a
// load of five groups earlier.
#pragma once

#include "micro/shared_access.cuh"
#include "micro/timing.cuh"

namespace rooftile::micro {

constexpr int mix_threads = 512;
constexpr int word_sets = 8;        ///< groups between a load and the use of its words
constexpr int mix_row_bytes = 128;  ///< consecutive groups read consecutive rows

/// Groups a loop trip: a multiple of word_sets with at least 512 FFMA.
constexpr int groups_of(int ffma) {
  return (512 + ffma * word_sets - 1) / (ffma * word_sets) * word_sets;
}

/// Loads Width bytes where `on`: the old words are an input too, so nothing that reads them can
/// come after the load.
template <int Width>
__device__ __forceinline__ void load_over(float (&w)[Width / 4], unsigned address, int on) {
  if constexpr (Width == 4)
    asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0;\n\t@p ld.volatile.shared.f32 %0, [%1];}"
                 : "+f"(w[0])
                 : "r"(address), "r"(on));
  else if constexpr (Width == 8)
    asm volatile(
        "{.reg .pred p; setp.ne.s32 p, %3, 0;\n\t@p ld.volatile.shared.v2.f32 {%0, %1}, [%2];}"
        : "+f"(w[0]), "+f"(w[1])
        : "r"(address), "r"(on));
  else
    asm volatile(
        "{.reg .pred p; setp.ne.s32 p, %5, 0;\n\t"
        "@p ld.volatile.shared.v4.f32 {%0, %1, %2, %3}, [%4];}"
        : "+f"(w[0]), "+f"(w[1]), "+f"(w[2]), "+f"(w[3])
        : "r"(address), "r"(on));
}

struct MixPlan {
  int lane_bytes;  ///< lane i reads at (i >> lane_shift) x lane_bytes
  int lane_shift;
  int on;  ///< 1
  float factor;
  int shorter, longer;
};

// SASS: kernel=ffma_mix_kernel.*Li0ELi FFMA>=512 other<=8 bytes<=32768 spill=0
// SASS: kernel=ffma_mix_kernel.*Li4ELi64E LDS.32=8 FFMA=512 other<=6 bytes<=32768 spill=0
// SASS: kernel=ffma_mix_kernel.*Li4ELi4E LDS.32=128 FFMA=512 other<=6 bytes<=32768 spill=0
// SASS: kernel=ffma_mix_kernel.*Li8ELi64E LDS.64=8 FFMA=512 other<=6 bytes<=32768 spill=0
// SASS: kernel=ffma_mix_kernel.*Li8ELi8E LDS.64=64 FFMA=512 other<=6 bytes<=32768 spill=0
// SASS: kernel=ffma_mix_kernel.*Li16ELi64E LDS.128=8 FFMA=512 other<=6 bytes<=32768 spill=0
// SASS: kernel=ffma_mix_kernel.*Li16ELi16E LDS.128=32 FFMA=512 other<=6 bytes<=32768 spill=0
// SASS: kernel=ffma_mix_kernel.*Li16ELi4E LDS.128=128 FFMA=512 other<=6 bytes<=32768 spill=0
// SASS: kernel=ffma_mix_kernel FFMA>=512 ports>=98 sm=90
/// cycles[0] = cycles of `longer` trips less those of `shorter`. Width 0: no loads.
template <int Width, int Ffma>
__global__ void __launch_bounds__(mix_threads)
    ffma_mix_kernel(long long* cycles, float* sink, MixPlan plan) {
  constexpr int words = Width == 0 ? 1 : Width / 4;
  constexpr int accumulators = Ffma < 16 ? Ffma : 16;
  constexpr int groups = groups_of(Ffma);
  extern __shared__ __align__(128) unsigned char arena[];
  const unsigned address =
      shared_address(arena) + (threadIdx.x % 32 >> plan.lane_shift) * plan.lane_bytes;
  float w[word_sets][words], sum[accumulators];
  for (int i = threadIdx.x; i < (word_sets + 4) * mix_row_bytes / 4; i += blockDim.x)
    reinterpret_cast<float*>(arena)[i] = unit_float(i);
#pragma unroll
  for (int s = 0; s < word_sets; ++s) {
#pragma unroll
    for (int j = 0; j < words; ++j) w[s][j] = unit_float(64 * threadIdx.x + words * s + j);
  }
#pragma unroll
  for (int i = 0; i < accumulators; ++i) sum[i] = unit_float(64 * threadIdx.x + 32 + i);
  long long previous = 0, difference = 0;
#pragma unroll 1
  for (int phase = 0; phase < 3; ++phase) {
    const int trips = phase < 2 ? plan.shorter : plan.longer;
    __syncthreads();
    const long long start = cycle_counter();
#pragma unroll 1
    for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        constexpr int last = word_sets - 1;
        if constexpr (Width != 0)
          load_over<Width>(w[g & last], address + (g & last) * mix_row_bytes, plan.on);
#pragma unroll
        for (int i = 0; i < Ffma; ++i)
          sum[i % accumulators] =
              fmaf(plan.factor, w[(g + 1) & last][i * words / Ffma], sum[i % accumulators]);
      }
    }
    __syncthreads();
    const long long span = cycle_counter() - start;
    difference = span - previous;
    previous = span;
  }
  float total = 0;
#pragma unroll
  for (int i = 0; i < accumulators; ++i) total += sum[i];
  if (total == 1.2345678e30f) *sink = total;
  if (threadIdx.x == 0) cycles[0] = difference;
}

}  // namespace rooftile::micro
