// shared_buffer: the other half of double_buffer, the half between global and shared memory. While
// slice s is multiplied, slice s + 1 is on its way to registers and then to the other of two shared
// buffers, which takes one barrier a slice instead of two. Fragments are loaded where they are
// used.
#pragma once

#include "gemm/device/double_buffered.cuh"
#include "gemm/device/single_buffer.cuh"

namespace rooftile::gemm::shared_buffer {

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN>
struct Rung : DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN> {
  static constexpr int WIDTH = 4;
  static constexpr bool A_TRANSPOSED = true;
  static constexpr int BLOCKS = blocks_per_sm((BM / TM) * (BN / TN), TM* TN + TM + TN + 48);
};

template <class R, bool GUARDED>
__device__ __forceinline__ void two_buffers(float (&acc)[R::TM][R::TN], const Arguments& arg,
                                            const BlockOrigin& origin) {
  __shared__ __align__(16) unsigned char shared[2 * R::STAGE_BYTES];
  Staging<R::BM, R::BN, R::BK, R::THREADS, 4, GUARDED> staging(arg, origin);
  if (GUARDED && staging.slices <= 0) return;
  const typename R::Place place;
  const unsigned base = shared_address(shared);
  unsigned read_a = base + place.m * 4, read_b = base + (R::A_FLOATS + place.n) * 4;
  unsigned write = base;
  int to_other = R::STAGE_BYTES;
  const auto store_slice = [&] {
    staging.template store_a_by_k<R::A_PITCH>(write);
    staging.template store_b_by_k<R::BN>(write + R::A_FLOATS * 4);
  };

  staging.load_first();
  store_slice();
  __syncthreads();
#pragma unroll 1
  for (int slice = 1; slice < staging.slices; ++slice) {
    staging.load_next();
    write += to_other;
    OuterProducts<R>::multiply(acc, read_a, read_b);
    store_slice();
    __syncthreads();
    read_a += to_other, read_b += to_other;
    to_other = -to_other;
  }
  OuterProducts<R>::multiply(acc, read_a, read_b);
}

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(Rung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  Rung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  static_assert(STAGES == 2);
  using R = Rung<BM, BN, BK, TM, TN, WM, WN>;
  const BlockOrigin origin = block_origin<BM, BN>(arg);
  if (outside(origin, arg)) return;
  float acc[TM][TN] = {};
  two_buffers<R, GUARDED>(acc, arg, origin);
  store_block<R, GUARDED>(acc, arg, origin);
}

}  // namespace rooftile::gemm::shared_buffer
