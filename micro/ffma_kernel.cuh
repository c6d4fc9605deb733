// The FFMA load: outer products per thread, operands fixed in registers, nothing but FFMA in the
// loop. Shared by the FFMA throughput and the clock under FFMA load.
//
// Serpentine order: every second row of the outer product runs backwards, so that consecutive FFMA
// share an operand at each turn too and the reuse cache feeds it. Without it register-port
// conflicts hold an H200 to 113-120 of 128 FMA/cycle/SM, with it 126.5. The order alone does not
// decide: the compiler's register numbers do, so that the assertions score the SASS by the port
// rule (two banks, see scripts/check_sass.py).
//
// Steps, outer products a loop trip, weigh two losses against each other: the three instructions
// that close the loop, and the fetch of its first instructions again, which a body that the
// innermost instruction cache holds is spared. One warp spent 23 cycles a trip of 1024 FFMA on both
// (H200), and a second warp on the sub-core did not hide them.
#pragma once

#include "micro/timing.cuh"

namespace rooftile::micro {

/// `Steps` outer products of Rows x Columns a trip. Every thread has other random operands.
template <int Rows, int Columns>
struct OuterProduct {
  float accumulator[Rows][Columns], a[Rows], b[Columns];

  /// Operands through shared memory, loaded one after the other: computed ones, whose values the
  /// compiler may finish in any order, got register numbers of which every fourth FFMA stalled.
  __device__ __forceinline__ explicit OuterProduct(unsigned seed) {
    __shared__ float pool[1024 + 32 * (Rows + Columns)];
    for (unsigned i = threadIdx.x; i < sizeof(pool) / sizeof(float); i += blockDim.x)
      pool[i] = unit_float(seed + i);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Rows; ++i) a[i] = pool[threadIdx.x + 32 * i];
#pragma unroll
    for (int j = 0; j < Columns; ++j) b[j] = pool[threadIdx.x + 32 * (Rows + j)];
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
#pragma unroll
      for (int j = 0; j < Columns; ++j) accumulator[i][j] = 0;
    }
  }

  template <int Steps>
  __device__ __forceinline__ void trips(int count) {
#pragma unroll 1
    for (int trip = 0; trip < count; ++trip) {
#pragma unroll
      for (int step = 0; step < Steps; ++step) {
#pragma unroll
        for (int i = 0; i < Rows; ++i) {
#pragma unroll
          for (int j = 0; j < Columns; ++j) {
            const int column = i % 2 == 0 ? j : Columns - 1 - j;
            accumulator[i][column] = fmaf(a[i], b[column], accumulator[i][column]);
          }
        }
      }
    }
  }

  /// Makes every accumulator count. Equality never holds, but the compiler cannot know.
  __device__ __forceinline__ void keep(float* sink) const {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
#pragma unroll
      for (int j = 0; j < Columns; ++j) sum += accumulator[i][j];
    }
    if (sum == 1.2345678e30f) *sink = sum;
  }
};

constexpr int ffma_rows = 8, ffma_columns = 16;  ///< of the load
constexpr int ffma_steps = 8;          ///< outer products a loop trip: 1024 FFMA, 16 KiB of code
constexpr int ffma_max_threads = 384;  ///< 168 registers a thread, of which 152 hold the product
constexpr int ffma_per_trip = ffma_rows * ffma_columns * ffma_steps;  ///< a thread

/// What one block saw: its cycles, and the nanoseconds in between the same two points.
struct LoadTimes {
  long long cycles;
  long long nanoseconds;
};

// SASS: kernel=ffma_throughput_kernel FFMA=1024 other<=8 bytes<=32768 spill=0
// SASS: kernel=ffma_throughput_kernel FFMA=1024 ports>=98 sm=90
static __global__ void __launch_bounds__(ffma_max_threads)
    ffma_throughput_kernel(LoadTimes* times, float* sink, unsigned seed, int trips) {
  OuterProduct<ffma_rows, ffma_columns> product(seed);
  __syncthreads();
  const unsigned long long start_ns = nanosecond_counter();
  const long long start = cycle_counter();
  product.trips<ffma_steps>(trips);
  __syncthreads();
  const long long stop = cycle_counter();
  const unsigned long long stop_ns = nanosecond_counter();
  product.keep(sink);
  if (threadIdx.x == 0)
    times[blockIdx.x] = {stop - start, static_cast<long long>(stop_ns - start_ns)};
}

/// The slowest block's times after `stream` is idle.
inline LoadTimes slowest(const DeviceBuffer<LoadTimes>& buffer, cudaStream_t stream) {
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  std::vector<LoadTimes> times(buffer.size());
  buffer.download(times.data(), times.size());
  return *std::max_element(times.begin(), times.end(), [](const LoadTimes& x, const LoadTimes& y) {
    return x.cycles < y.cycles;
  });
}

}  // namespace rooftile::micro
