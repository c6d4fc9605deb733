// Chains of dependent loads: the lines, how they are linked, and the kernel that follows them.
//
// A chain visits one 128-byte line in each `stride` bytes, in a random cycle (random_cycle.cuh).
// Each line holds the address of the next, so that the loaded register is the next address: no
// arithmetic. With a stride of one line it covers memory densely (caches); with a stride of a page
// it visits each page once, at a place in the page that differs from page to page (address
// translation).
//
// The kernel walks `warm_trips` x 32 steps, reads the clock, walks `timed_trips` x 32 steps and
// reads it again. Both clock reads issue while the load before them is still on its way, so that
// its latency is left out once and counted once.
//
// Pitfalls: a chain in address order lets a prefetcher in; a C++ index chase adds the arithmetic of
// its addresses to each step; several threads that follow the same chain merge their requests.
#pragma once

#include "micro/context.hpp"
#include "micro/random_cycle.cuh"
#include "micro/timing.cuh"

namespace rooftile::micro {
// Each file that includes this has its own kernels and classes; see window_read.cuh.
namespace {

constexpr std::size_t line_bytes = 128;
constexpr int chase_unroll = 32;
constexpr int chase_threads = 1024;  ///< touch in parallel; one of them follows the chain

/// Where the k-th line of a cycle lies.
struct ChainPlaces {
  unsigned char* base = nullptr;
  Permutation order;
  unsigned long long stride = line_bytes;  ///< bytes that belong to each line
  unsigned lines_in_stride = 1;            ///< candidates in it, of which one is used

  __device__ unsigned long long address(unsigned k) const {
    const unsigned place = order(k);
    // Another line for each seed, so that chains over few strides differ in more than their order.
    const unsigned line =
        lines_in_stride == 1 ? 0 : hash32(place + order.seed * 0x9e3779b9u) % lines_in_stride;
    return reinterpret_cast<unsigned long long>(base) + place * stride + line * line_bytes;
  }
};

static __global__ void link_kernel(ChainPlaces places) {
  const unsigned stride = gridDim.x * blockDim.x, size = places.order.size;
  for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < size; k += stride)
    *reinterpret_cast<unsigned long long*>(places.address(k)) =
        places.address(k + 1 == size ? 0 : k + 1);
}

inline void link_chain(Context& context, const ChainPlaces& places) {
  link_kernel<<<8 * context.sm_count(), 256, 0, context.stream()>>>(places);
  check_launch("link_kernel");
}

template <bool BypassL1>
__device__ __forceinline__ unsigned long long follow(unsigned long long line) {
  unsigned long long next;
  if constexpr (BypassL1)
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(line) : "memory");
  else
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(next) : "l"(line) : "memory");
  return next;
}

/// Reads `count` words, to push all else out of L2 without leaving dirty lines there.
static __global__ void flush_kernel(const unsigned* words, unsigned long long count,
                                    unsigned* sink) {
  unsigned sum = 0;
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i =
           static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += stride)
    sum ^= words[i];
  if (sum == 0x9e3779b9u) *sink = sum;
}

/// Empties L2 of everything but its own lines, twice the size of L2.
class L2Flush {
 public:
  explicit L2Flush(Context& context)
      : context_(context),
        words_(2 * static_cast<std::size_t>(context.device().properties().l2CacheSize) / 4),
        sink_(1) {
    words_.fill_bytes(0x5a);
  }
  void operator()() const {
    flush_kernel<<<8 * context_.sm_count(), 512, 0, context_.stream()>>>(
        words_.data(), words_.size(), sink_.data());
    check_launch("flush_kernel");
  }

 private:
  Context& context_;
  DeviceBuffer<unsigned> words_;
  DeviceBuffer<unsigned> sink_;
};

struct Chase {
  ChainPlaces places;
  unsigned start = 0;    ///< place in the cycle
  unsigned touched = 0;  ///< lines that all threads touch in chain order first, twice
  int warm_trips = 0, timed_trips = 0;
};

// SASS: kernel=chase_kernel.*Lb0E LDG.64=32 other<=8 spill=0
// SASS: kernel=chase_kernel.*Lb1E LDG.64=32 other<=8 spill=0
template <bool BypassL1>
__global__ void __launch_bounds__(chase_threads)
    chase_kernel(long long* cycles, unsigned* sink, Chase chase) {
  unsigned long long seen = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (unsigned k = threadIdx.x; k < chase.touched; k += blockDim.x)
      seen ^= follow<BypassL1>(chase.places.address(k));
    __syncthreads();
  }
  if (seen == 1) *sink = 1;
  if (threadIdx.x != 0) return;
  unsigned long long line = chase.places.address(chase.start);
  long long start = 0;
#pragma unroll 1
  for (int phase = 0; phase < 2; ++phase) {
    const int trips = phase == 0 ? chase.warm_trips : chase.timed_trips;
    start = cycle_counter();
#pragma unroll 1
    for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
      for (int i = 0; i < chase_unroll; ++i) line = follow<BypassL1>(line);
    }
  }
  const long long stop = cycle_counter();
  if (line == 0) *sink = 2;
  cycles[0] = stop - start;
}

/// Launches chases of one context.
class Chaser {
 public:
  explicit Chaser(Context& context) : context_(context), cycles_(1), sink_(1) {
    for (const auto kernel : {chase_kernel<false>, chase_kernel<true>})
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                 cudaSharedmemCarveoutMaxL1),
            "cudaFuncSetAttribute");
  }
  /// Cycles a timed load.
  double run(const Chase& chase, bool bypass_l1) {
    const auto kernel = bypass_l1 ? chase_kernel<true> : chase_kernel<false>;
    const int threads = chase.touched == 0 ? 32 : chase_threads;
    kernel<<<1, threads, 0, context_.stream()>>>(cycles_.data(), sink_.data(), chase);
    check_launch("chase_kernel");
    return cycles_.read(context_.stream()).front() / (1.0 * chase.timed_trips * chase_unroll);
  }

 private:
  Context& context_;
  BlockCycles cycles_;
  DeviceBuffer<unsigned> sink_;
};

}  // namespace
}  // namespace rooftile::micro
