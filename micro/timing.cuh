// Reading time inside kernels, and the host side that launches and differences.
//
// clock64 counts cycles of one SM and is comparable only within that SM; %globaltimer counts
// nanoseconds for the whole device, but ticks coarsely (32 ns to 1 us, by architecture).
//
// Differencing: cycles(n2) - cycles(n1) over n2 - n1 operations. What a launch spends outside the
// steady loop (clock reads, first misses of the instruction cache, start skew, the last latency
// that the closing clock read does not wait for) is in both and cancels.
//
// Pitfall, seen on H200 and not explained: in the first tens of microseconds of a full load clock64
// of some SMs counts as little as half of the cycles (docs/microbenchmarks.md, Cycle counters). A
// loop that loads the arithmetic pipes fully makes both of its lengths at least load_onset_cycles.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "gpu/cuda/device.hpp"
#include "gpu/cuda/error.hpp"
#include "model/stats/robust.hpp"

namespace rooftile::micro {

/// About 100 us: lengths from here on have not shown the fault above.
constexpr long long load_onset_cycles = 200'000;

__device__ __forceinline__ long long cycle_counter() {
  long long cycles;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
  return cycles;
}

__device__ __forceinline__ unsigned long long nanosecond_counter() {
  unsigned long long nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds)::"memory");
  return nanoseconds;
}

__device__ __forceinline__ unsigned sm_id() {
  unsigned id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

/// 32-bit avalanche hash (finalizer of MurmurHash3, public domain): random data from an index.
__host__ __device__ __forceinline__ unsigned hash32(unsigned x) {
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  return x ^ (x >> 16);
}

/// Uniform in [-1, 1) from a hash: mantissa bits of random data, as a real kernel would see.
__host__ __device__ __forceinline__ float unit_float(unsigned x) {
  return static_cast<float>(static_cast<int>(hash32(x))) * (1.0f / 2147483648.0f);
}

/// Device results of one launch: cycles for each block.
class BlockCycles {
 public:
  explicit BlockCycles(int blocks) : device_(static_cast<std::size_t>(blocks)) {}
  long long* data() const { return device_.data(); }

  /// Waits for `stream` and returns each block's cycles.
  std::vector<double> read(cudaStream_t stream) const {
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    std::vector<long long> cycles(device_.size());
    device_.download(cycles.data(), cycles.size());
    return {cycles.begin(), cycles.end()};
  }

 private:
  DeviceBuffer<long long> device_;
};

/// Median over blocks of cycles(longer) - cycles(shorter), where `launch(n)` runs the kernel with n
/// loop trips. Per trip: divide by (longer - shorter).
inline double differenced(const BlockCycles& cycles, cudaStream_t stream,
                          const std::function<void(int)>& launch, int shorter, int longer) {
  launch(shorter);
  const std::vector<double> low = cycles.read(stream);
  launch(longer);
  std::vector<double> difference = cycles.read(stream);
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= low[i];
  return median(difference) / (longer - shorter);
}

}  // namespace rooftile::micro
