// Clock probe: the SM clock is clock64 over globaltimer, f = (c1 - c0) / (t1 - t0).
//
// globaltimer ticks coarsely and by GPU differently (32 ns on an H200, about 1 us on others), so
// the probe starts and stops at an edge of it: the error is then the latency of one read of it,
// some tens of ns, or below 0.05 % of 100 us, whatever the tick. Expect 1.98 GHz on an H200 under
// light load, 345 MHz where the probe finds it idle. Pitfall: one thread on one SM; it tells the
// clock of its GPC at that moment and draws no power, so under load it must follow the loading
// kernel on the same stream at once.
#include "gpu/cuda/probe.hpp"

namespace rooftile {

namespace {

// "memory" keeps the two reads in program order: both are volatile, but say it also to the reader.
__device__ unsigned long long global_timer_ns() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

__device__ unsigned long long sm_cycles() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

/// The first value of globaltimer at or after `earliest` that differs from `last`.
__device__ unsigned long long next_edge_ns(unsigned long long last, unsigned long long earliest) {
  unsigned long long now = last;
  while (now == last || now < earliest) now = global_timer_ns();
  return now;
}

__global__ void clock_probe(unsigned long long* result, unsigned span_ns) {
  const unsigned long long start_ns = next_edge_ns(global_timer_ns(), 0);
  const unsigned long long start_cycles = sm_cycles();
  const unsigned long long end_ns = next_edge_ns(start_ns, start_ns + span_ns);
  const unsigned long long end_cycles = sm_cycles();
  result[0] = end_cycles - start_cycles;
  result[1] = end_ns - start_ns;
}

__global__ void delay(unsigned span_ns) {
  const unsigned long long start_ns = global_timer_ns();
  while (global_timer_ns() - start_ns < span_ns) {
  }
}

}  // namespace

void launch_clock_probe(unsigned long long* result, unsigned span_ns, cudaStream_t stream) {
  clock_probe<<<1, 1, 0, stream>>>(result, span_ns);
}

void launch_delay(unsigned span_ns, cudaStream_t stream) { delay<<<1, 1, 0, stream>>>(span_ns); }

cudaError_t has_kernel_image() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, clock_probe);
}

const char* built_architectures() { return ROOFTILE_CUDA_ARCHITECTURES; }

}  // namespace rooftile
