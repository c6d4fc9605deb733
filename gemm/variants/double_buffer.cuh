// double_buffer: loads run ahead of the arithmetic at both levels. While slice s is multiplied,
// slice s + 1 is on its way from global memory to registers and then into the other shared buffer;
// while k-step k is multiplied, the fragments of k + 1 are on their way from shared memory.
//
// Two buffers need one barrier a slice: a buffer is overwritten only after the barrier that
// followed the last reading of it. The last k-step of a slice comes after that barrier and hides
// the first loads of the next slice. Result stores are scalar: vector stores tie groups of
// accumulators to fixed registers and cost operand-port conflicts in the main loop.
#pragma once

#include "gemm/device/epilogue.cuh"
#include "gemm/device/fragment.cuh"
#include "gemm/device/grid.cuh"
#include "gemm/device/place.cuh"
#include "gemm/device/staging.cuh"

namespace rooftile::gemm::double_buffer {

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN>
struct Rung {
  static constexpr int THREADS = (BM / TM) * (BN / TN);
  static constexpr int A_PITCH = BM + 4;
  static constexpr int A_FLOATS = BK * A_PITCH, STAGE_BYTES = (A_FLOATS + BK * BN) * 4;
  static constexpr int BLOCKS = blocks_per_sm(THREADS, TM* TN + 2 * (TM + TN) + 32);
  using Place = ZOrderPlace<BN, TM, TN, WM, WN>;
};

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED>
__global__ void __launch_bounds__(Rung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  Rung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  static_assert(STAGES == 2 && BK % 2 == 0);
  using R = Rung<BM, BN, BK, TM, TN, WM, WN>;
  using Place = typename R::Place;
  __shared__ __align__(16) unsigned char shared[STAGES * R::STAGE_BYTES];

  const BlockOrigin origin = block_origin<BM, BN>();
  if (outside(origin, arg)) return;
  Staging<BM, BN, BK, R::THREADS, 4, GUARDED> staging(arg, origin);
  const Place place;
  const unsigned base = shared_address(shared);
  unsigned read_a = base + place.m * 4, read_b = base + (R::A_FLOATS + place.n) * 4;
  unsigned write = base;
  int to_other = R::STAGE_BYTES;

  float acc[TM][TN] = {}, fragment_a[2][TM], fragment_b[2][TN];
  const auto store_slice = [&] {
    staging.a.template store_transposed<R::A_PITCH>(write);
    staging.b.template store<BN>(write + R::A_FLOATS * 4);
  };
  const auto load_fragments = [&](int k) {
    load_fragment<TM, 4, Place::GROUP_M>(fragment_a[k % 2], read_a + k % BK * R::A_PITCH * 4);
    load_fragment<TN, 4, Place::GROUP_N>(fragment_b[k % 2], read_b + k % BK * BN * 4);
  };
  const auto multiply = [&](int k) { outer_product(acc, fragment_a[k % 2], fragment_b[k % 2]); };

  if (!GUARDED || staging.slices > 0) {
    staging.load_first();
    store_slice();
    __syncthreads();
    load_fragments(0);
#pragma unroll 1
    for (int slice = 1; slice < staging.slices; ++slice) {
      staging.load_next();
      write += to_other;
#pragma unroll
      for (int k = 0; k < BK - 1; ++k) {
        load_fragments(k + 1);
        multiply(k);
      }
      store_slice();
      __syncthreads();
      read_a += to_other, read_b += to_other;
      to_other = -to_other;
      load_fragments(BK);
      multiply(BK - 1);
    }
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      if (k + 1 < BK) load_fragments(k + 1);
      multiply(k);
    }
  }
  store_result<Place::GROUP_M, Place::GROUP_N, 1, GUARDED>(acc, arg, origin.m + place.m,
                                                           origin.n + place.n);
}

}  // namespace rooftile::gemm::double_buffer
