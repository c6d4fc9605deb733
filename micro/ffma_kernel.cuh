// The FFMA load: an 8x16 outer product per thread, operands fixed in registers, nothing but FFMA in
// the loop. Shared by the FFMA throughput and the clock under FFMA load.
//
// Serpentine order: every second row of the outer product runs backwards, so that consecutive FFMA
// share an operand at each turn too and the reuse cache feeds it. Without it register-port
// conflicts hold an H200 to 113-120 of 128 FMA/cycle/SM, with it 126.5. The order alone does not
// decide: the compiler's register numbers do, so that the assertion below scores the SASS by the
// port rule (two banks, see scripts/check_sass.py). The 8x8 product in the same order and other
// numbers of steps scored 87-95 %; this one scores 99 %.
#pragma once

#include "micro/timing.cuh"

namespace rooftile::micro {

constexpr int ffma_rows = 8, ffma_columns = 16;  ///< of the outer product
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
  float accumulator[ffma_rows][ffma_columns], a[ffma_rows], b[ffma_columns];
#pragma unroll
  for (int i = 0; i < ffma_rows; ++i) a[i] = unit_float(seed + 64 * threadIdx.x + i);
#pragma unroll
  for (int j = 0; j < ffma_columns; ++j) b[j] = unit_float(seed + 64 * threadIdx.x + 32 + j);
#pragma unroll
  for (int i = 0; i < ffma_rows; ++i) {
#pragma unroll
    for (int j = 0; j < ffma_columns; ++j) accumulator[i][j] = 0;
  }
  __syncthreads();
  const unsigned long long start_ns = nanosecond_counter();
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int step = 0; step < ffma_steps; ++step) {
#pragma unroll
      for (int i = 0; i < ffma_rows; ++i) {
#pragma unroll
        for (int j = 0; j < ffma_columns; ++j) {
          const int column = i % 2 == 0 ? j : ffma_columns - 1 - j;
          accumulator[i][column] = fmaf(a[i], b[column], accumulator[i][column]);
        }
      }
    }
  }
  __syncthreads();
  const long long stop = cycle_counter();
  const unsigned long long stop_ns = nanosecond_counter();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < ffma_rows; ++i) {
#pragma unroll
    for (int j = 0; j < ffma_columns; ++j) sum += accumulator[i][j];
  }
  if (sum == 1.2345678e30f) *sink = sum;  // never, but the compiler cannot know
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
