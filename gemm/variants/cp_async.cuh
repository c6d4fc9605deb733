// cp_async: slices come from global to shared memory by asynchronous copies, STAGES buffers in a
// ring, so that several slices are on their way and none passes registers.
//
// A is turned on its way by copies of one word, lanes eight along k (one sector) and four down the
// rows. One barrier a slice: the buffer that a copy overwrites was last read before the barrier
// that ended the slice before. Needs compute capability 8.0.
#pragma once

#include "gemm/device/copied_slices.cuh"
#include "gemm/device/double_buffered.cuh"

namespace rooftile::gemm::cp_async {

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES_, int TRANS = 0>
struct Rung : DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN, TRANS> {
  static constexpr int STAGES = STAGES_;
  static constexpr StagingForm FORM = form_of(TRANS, true);
};

/// acc += the block's product over `part` of K.
template <class R, bool GUARDED>
__device__ __forceinline__ void multistage(float (&acc)[R::TM][R::TN], const Arguments& arg,
                                           const BlockOrigin& origin, const KPart& part) {
  using Place = typename R::Place;
  constexpr int BK = R::BK, STAGES = R::STAGES, RING = STAGES * R::STAGE_BYTES;
  static_assert(BK % 2 == 0 && STAGES >= 2);
  __shared__ __align__(16) unsigned char shared[RING];
  const unsigned base = shared_address(shared);
  CopiedSlices<R, GUARDED> copies(arg, origin, part, base);
  const Place place;
  const unsigned first_a = base + place.m * 4, first_b = base + (R::A_FLOATS + place.n) * 4;
  int read = 0;

  float fragment_a[2][R::TM], fragment_b[2][R::TN];
  const auto load_fragments = [&](int k) {
    load_fragment<R::TM, 4, Place::GROUP_M>(fragment_a[k % 2],
                                            first_a + read + k % BK * R::A_PITCH * 4);
    load_fragment<R::TN, 4, Place::GROUP_N>(fragment_b[k % 2],
                                            first_b + read + k % BK * R::B_PITCH * 4);
  };
  const auto multiply = [&](int k) { outer_product(acc, fragment_a[k % 2], fragment_b[k % 2]); };

  copies.start_first();
#pragma unroll
  for (int s = 1; s < STAGES - 1; ++s) copies.start_next();
  wait_copy_groups<STAGES - 2>();
  __syncthreads();
  load_fragments(0);
#pragma unroll 1
  for (int slice = part.slices; slice > 0; --slice) {
    copies.start_next();
#pragma unroll
    for (int k = 0; k < BK - 1; ++k) {
      load_fragments(k + 1);
      multiply(k);
    }
    wait_copy_groups<STAGES - 2>();
    __syncthreads();
    read = read == RING - R::STAGE_BYTES ? 0 : read + R::STAGE_BYTES;
    load_fragments(BK);
    multiply(BK - 1);
  }
}

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  DoubleBufferRung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  using R = Rung<BM, BN, BK, TM, TN, WM, WN, STAGES, TRANS>;
  const BlockOrigin origin = block_origin<BM, BN>(arg);
  if (outside(origin, arg)) return;
  float acc[TM][TN] = {};
  multistage<R, GUARDED>(acc, arg, origin, whole_k<BK>(arg));
  store_block<R, GUARDED>(acc, arg, origin);
}

}  // namespace rooftile::gemm::cp_async
