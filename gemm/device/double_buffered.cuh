// The double-buffered main loop: loads run ahead of the arithmetic at both levels. While slice s is
// multiplied, slice s + 1 is on its way from global memory to registers and then into the other
// shared buffer; while k-step k is multiplied, the fragments of k + 1 are on their way from shared
// memory.
//
// Two buffers need one barrier a slice: a buffer is overwritten only after the barrier that
// followed the last reading of it. The last k-step of a slice comes after that barrier and hides
// the first loads of the next slice.
#pragma once

#include "gemm/device/epilogue.cuh"
#include "gemm/device/fragment.cuh"
#include "gemm/device/grid.cuh"
#include "gemm/device/place.cuh"
#include "gemm/device/raster.cuh"
#include "gemm/device/staging.cuh"

namespace rooftile::gemm {

/// TRANS: form_of(). A lies in shared memory by k, its rows padded against the conflicts of the
/// transposing stores; so does B where it is B that is turned.
template <int BM_, int BN_, int BK_, int TM_, int TN_, int WM, int WN, int TRANS = 0>
struct DoubleBufferRung {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, TM = TM_, TN = TN_;
  static constexpr int THREADS = (BM / TM) * (BN / TN);
  static constexpr StagingForm FORM = form_of(TRANS);
  static constexpr int A_PITCH = BM + 4, B_PITCH = FORM.trans_b ? BN + 4 : BN;
  static constexpr int A_FLOATS = BK * A_PITCH, STAGE_BYTES = (A_FLOATS + BK * B_PITCH) * 4;
  static constexpr int BLOCKS = blocks_per_sm(THREADS, TM* TN + 2 * (TM + TN) + 32);
  static constexpr int RESULT_WIDTH = 1;
  using Place = ZOrderPlace<BN, TM, TN, WM, WN>;
};

/// acc += the block's product over `part` of K.
template <class R, bool GUARDED>
__device__ __forceinline__ void double_buffered(float (&acc)[R::TM][R::TN], const Arguments& arg,
                                                const BlockOrigin& origin, const KPart& part) {
  using Place = typename R::Place;
  constexpr int BK = R::BK;
  static_assert(BK % 2 == 0, "fragments alternate");
  __shared__ __align__(16) unsigned char shared[2 * R::STAGE_BYTES];
  Staging<R::BM, R::BN, BK, R::THREADS, 4, GUARDED, R::FORM> staging(arg, origin, part);
  const Place place;
  const unsigned base = shared_address(shared);
  unsigned read_a = base + place.m * 4, read_b = base + (R::A_FLOATS + place.n) * 4;
  unsigned write = base;
  int to_other = R::STAGE_BYTES;

  float fragment_a[2][R::TM], fragment_b[2][R::TN];
  const auto store_slice = [&] {
    staging.template store_a_by_k<R::A_PITCH>(write);
    staging.template store_b_by_k<R::B_PITCH>(write + R::A_FLOATS * 4);
  };
  const auto load_fragments = [&](int k) {
    load_fragment<R::TM, 4, Place::GROUP_M>(fragment_a[k % 2], read_a + k % BK * R::A_PITCH * 4);
    load_fragment<R::TN, 4, Place::GROUP_N>(fragment_b[k % 2], read_b + k % BK * R::B_PITCH * 4);
  };
  const auto multiply = [&](int k) { outer_product(acc, fragment_a[k % 2], fragment_b[k % 2]); };

  if (GUARDED && staging.slices <= 0) return;
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

/// The epilogue of these kernels.
template <class R, bool GUARDED>
__device__ __forceinline__ void store_block(const float (&acc)[R::TM][R::TN], const Arguments& arg,
                                            const BlockOrigin& origin) {
  using Place = typename R::Place;
  const Place place;
  store_result<Place::GROUP_M, Place::GROUP_N, R::RESULT_WIDTH, GUARDED>(
      acc, arg, static_cast<unsigned>(origin.m) + place.m,
      static_cast<unsigned>(origin.n) + place.n);
}

/// The kernel of double_buffer and of those that differ from it in the walk over C, or in that a
/// block sums a part of K (and walks by rows). Origin and part are no arguments: asked for at
/// another place they change the loop's registers.
template <class R, Walk WALK, bool GUARDED, bool PARTS = false>
__device__ __forceinline__ void double_buffered_kernel(const Arguments& arg) {
  static_assert(!PARTS || WALK == Walk::row);
  const BlockOrigin origin =
      PARTS ? block_origin<R::BM, R::BN>(arg) : walked_origin<WALK, R::BM, R::BN>(arg);
  if (outside(origin, arg)) return;
  float acc[R::TM][R::TN] = {};
  double_buffered<R, GUARDED>(acc, arg, origin,
                              PARTS ? part_of_k<R::BK>(arg) : whole_k<R::BK>(arg));
  store_block<R, GUARDED>(acc, arg, origin);
}

}  // namespace rooftile::gemm
