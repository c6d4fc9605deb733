// register_buffer: half of double_buffer, the half between shared memory and registers. The
// fragments of k-step k + 1 are on their way while k is multiplied; slices still wait for global
// memory, and two barriers a slice stay.
#pragma once

#include "gemm/device/single_buffer.cuh"
#include "gemm/variants/warp_tile.cuh"

namespace rooftile::gemm::register_buffer {

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN>
struct Rung : warp_tile::Rung<BM, BN, BK, TM, TN, WM, WN> {
  static constexpr int BLOCKS = blocks_per_sm((BM / TM) * (BN / TN), TM* TN + 2 * (TM + TN) + 32);
};

template <class R>
struct AheadByOne : OuterProducts<R> {
  __device__ __forceinline__ static void multiply(float (&acc)[R::TM][R::TN], unsigned a,
                                                  unsigned b) {
    using Place = typename R::Place;
    float fragment_a[2][R::TM], fragment_b[2][R::TN];
    const auto load = [&](int k) {
      load_fragment<R::TM, 4, Place::GROUP_M>(fragment_a[k % 2], a + k * R::A_PITCH * 4);
      load_fragment<R::TN, 4, Place::GROUP_N>(fragment_b[k % 2], b + k * R::BN * 4);
    };
    load(0);
#pragma unroll
    for (int k = 0; k < R::BK; ++k) {
      if (k + 1 < R::BK) load(k + 1);
      outer_product(acc, fragment_a[k % 2], fragment_b[k % 2]);
    }
  }
};

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(Rung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  Rung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  using R = Rung<BM, BN, BK, TM, TN, WM, WN>;
  single_buffered<R, GUARDED, 4, StagingForm{}, AheadByOne<R>>(arg);
}

}  // namespace rooftile::gemm::register_buffer
