// mbarrier in PTX (compute capability 8.0 and later; transactions and try_wait from 9.0), with
// waits that give up.
//
// test_wait answers at once; try_wait may suspend the warp for a time that the hardware chooses.
// Parity p waits for the end of the p-th phase (p = 0, 1, 0 ...).
//
// Pitfall: a wait that never ends hangs the GPU. Here each returns false after about 2^24 cycles
// and the caller leaves its loop: the host then publishes no number.
#pragma once

#include <stdexcept>
#include <string>

#include "micro/shared_access.cuh"
#include "micro/timing.cuh"

namespace rooftile::micro {

constexpr int most_polls = 1 << 19;               ///< of test_wait, some 20 to 40 cycles each
constexpr long long wait_limit_cycles = 1 << 24;  ///< of try_wait: 8 ms at 2 GHz

__device__ __forceinline__ void mbarrier_init([[maybe_unused]] unsigned barrier,
                                              [[maybe_unused]] unsigned arrivals) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
#endif
}

/// After mbarrier_init: the copy engine sees the barriers too.
__device__ __forceinline__ void fence_async_proxy() {
#if __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

__device__ __forceinline__ void mbarrier_arrive([[maybe_unused]] unsigned barrier) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
#elif __CUDA_ARCH__ >= 800
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(barrier)
               : "memory");
#endif
}

__device__ __forceinline__ void mbarrier_arrive_expect([[maybe_unused]] unsigned barrier,
                                                       [[maybe_unused]] unsigned bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
#endif
}

__device__ __forceinline__ bool mbarrier_test_wait([[maybe_unused]] unsigned barrier,
                                                   [[maybe_unused]] unsigned parity) {
  unsigned done = 0;
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2;"
      " selp.u32 %0, 1, 0, p; }"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
#endif
  return done != 0;
}

__device__ __forceinline__ bool mbarrier_try_wait([[maybe_unused]] unsigned barrier,
                                                  [[maybe_unused]] unsigned parity) {
  unsigned done = 0;
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2;"
      " selp.u32 %0, 1, 0, p; }"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
#endif
  return done != 0;
}

/// The address as a value that stays in a register: else the compiler computes it anew, from the
/// special register of the block's place in its cluster, in each trip of a timed loop. All threads
/// of the warp call it together.
__device__ __forceinline__ unsigned pinned_address(unsigned address) {
  return __shfl_sync(__activemask(), address, threadIdx.x % 32);
}

/// Polls without suspending. False: gave up.
__device__ __forceinline__ bool wait_polling(unsigned barrier, unsigned parity) {
#pragma unroll 1
  for (int poll = 0; poll < most_polls; ++poll)
    if (mbarrier_test_wait(barrier, parity)) return true;
  return false;
}

/// Suspends where the hardware does. The clock is read only after a first suspension that ended
/// without success. False: gave up.
__device__ __forceinline__ bool wait_suspending(unsigned barrier, unsigned parity) {
  if (mbarrier_try_wait(barrier, parity)) return true;
  const long long begin = cycle_counter();
#pragma unroll 1
  do {
    if (mbarrier_try_wait(barrier, parity)) return true;
  } while (cycle_counter() - begin < wait_limit_cycles);
  return false;
}

/// Marks a kernel whose waits gave up.
inline void throw_if_gave_up(unsigned gave_up, const char* kernel) {
  if (gave_up != 0)
    throw std::runtime_error(std::string(kernel) + ": a wait gave up after about 2^24 cycles");
}

}  // namespace rooftile::micro
