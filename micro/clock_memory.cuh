// The memory load: every SM reads a buffer far larger than L2 past L1, round and round, with its
// own cycles and nanoseconds beside it, as the other loads report them.
#pragma once

#include "micro/clock_load.cuh"
#include "micro/global_access.cuh"
#include "micro/random_fill.cuh"

namespace rooftile::micro {

inline constexpr int memory_load_threads = 512, memory_load_unroll = 4;
inline constexpr int memory_load_blocks_per_sm = 2;  ///< all resident at once
inline constexpr std::size_t memory_load_chunk = 16 * memory_load_threads * memory_load_unroll;

// SASS: kernel=memory_load_kernel LDG.128=4 other<=48 bytes<=32768 spill=0
static __global__ void __launch_bounds__(memory_load_threads, 2)
    memory_load_kernel(BlockTimes* times, unsigned* sink, const unsigned char* buffer,
                       unsigned chunks, int trips) {
  unsigned chunk = blockIdx.x % chunks, sum = 0;
  const unsigned long long base = reinterpret_cast<unsigned long long>(buffer) + 16 * threadIdx.x;
  __syncthreads();
  const unsigned long long start_ns = nanosecond_counter();
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
    unsigned words[memory_load_unroll][4];
    const unsigned long long address = base + chunk * memory_load_chunk;
#pragma unroll
    for (int i = 0; i < memory_load_unroll; ++i)
      load_global<16, LoadPath::l2>(words[i], address + 16 * memory_load_threads * i);
#pragma unroll
    for (int i = 0; i < memory_load_unroll; ++i)
      sum ^= words[i][0] ^ words[i][1] ^ words[i][2] ^ words[i][3];
    chunk += gridDim.x;
    if (chunk >= chunks) chunk %= chunks;
  }
  __syncthreads();
  const long long stop = cycle_counter();
  const unsigned long long stop_ns = nanosecond_counter();
  if (sum == 0x9e3779b9u) *sink = sum;
  if (threadIdx.x == 0)
    times[blockIdx.x] = {stop - start, static_cast<long long>(stop_ns - start_ns)};
}

/// Rate in byte/s.
static HeldLoad hold_memory_load(Context& context, const HoldOptions& options) {
  const auto l2 = static_cast<std::size_t>(context.device().attribute(cudaDevAttrL2CacheSize));
  const std::size_t wanted = std::max(std::size_t{512} << 20, 16 * l2);
  const std::size_t chunks =
      std::max<std::size_t>(1, std::min(wanted, context.free_bytes() / 4) / memory_load_chunk);
  DeviceBuffer<unsigned char> buffer(chunks * memory_load_chunk);
  DeviceBuffer<unsigned> sink(1);
  fill_random(context, buffer);
  const int blocks = memory_load_blocks_per_sm * context.sm_count();
  LoadHolder holder(context, blocks, [&](BlockTimes* times, int trips) {
    memory_load_kernel<<<blocks, memory_load_threads, 0, context.stream()>>>(
        times, sink.data(), buffer.data(), static_cast<unsigned>(chunks), trips);
  });
  return holder.hold(static_cast<double>(memory_load_chunk) * blocks, options);
}

}  // namespace rooftile::micro
