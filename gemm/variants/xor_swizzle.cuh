// xor_swizzle: the other way out of the conflicts of the transposing stores. The rows of A are not
// padded as in conflict_free; the columns of row k are permuted by an XOR with 4 (k mod 8).
//
// Nothing is wasted, and a row starts where it would without: an address costs one XOR more.
#pragma once

#include "gemm/device/single_buffer.cuh"
#include "gemm/device/swizzle.cuh"
#include "gemm/variants/conflict_free.cuh"

namespace rooftile::gemm::xor_swizzle {

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN>
struct Rung : conflict_free::Rung<BM, BN, BK, TM, TN, WM, WN> {
  static constexpr int A_PITCH = BM;
};

template <class R>
struct Swizzled {
  template <class Tile>
  __device__ __forceinline__ static void store_a(const Tile& tile, unsigned to) {
    store_swizzled<R::A_PITCH>(tile, to);
  }
  /// The groups of a thread's rows are multiples of 32 apart, so the XOR of the first serves all.
  __device__ __forceinline__ static void multiply(float (&acc)[R::TM][R::TN], unsigned a,
                                                  unsigned b) {
    using Place = typename R::Place;
    static_assert(Place::GROUP_M % 32 == 0);
#pragma unroll
    for (int k = 0; k < R::BK; ++k) {
      float fragment_a[R::TM], fragment_b[R::TN];
      load_fragment<R::TM, 4, Place::GROUP_M>(fragment_a,
                                              (a ^ swizzle_bytes(k)) + k * R::A_PITCH * 4);
      load_fragment<R::TN, 4, Place::GROUP_N>(fragment_b, b + k * R::BN * 4);
      outer_product(acc, fragment_a, fragment_b);
    }
  }
};

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(Rung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  Rung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  using R = Rung<BM, BN, BK, TM, TN, WM, WN>;
  single_buffered<R, GUARDED, 4, StagingForm{}, Swizzled<R>>(arg);
}

}  // namespace rooftile::gemm::xor_swizzle
