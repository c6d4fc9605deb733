// The main loop that the single-buffered rungs share: load a slice, store it to shared memory,
// wait, multiply, wait. What differs (widths, layout of A, place of the threads) is a Rung:
//
//   BM BN BK TM TN THREADS   sizes
//   WIDTH                    floats a load: 1 or 4, global (unless given apart) and shared
//   RESULT_WIDTH             floats a store of C
//   A_TRANSPOSED, A_PITCH    A as [k][m] or [m][k], and the row pitch in floats
//   Place                    device/place.cuh
//
// and how a slice of A is stored and multiplied is a Product, by default OuterProducts. Nothing
// overlaps within a block: the load's latency is hidden only by the other blocks of the SM.
#pragma once

#include "gemm/device/epilogue.cuh"
#include "gemm/device/fragment.cuh"
#include "gemm/device/grid.cuh"
#include "gemm/device/place.cuh"
#include "gemm/device/staging.cuh"

namespace rooftile::gemm {

template <class Rung>
struct OuterProducts {
  template <class Tile>
  __device__ __forceinline__ static void store_a(const Tile& tile, unsigned to) {
    if constexpr (Rung::A_TRANSPOSED)
      tile.template store_transposed<Rung::A_PITCH>(to);
    else
      tile.template store<Rung::A_PITCH>(to);
  }
  /// One slice from shared memory: BK outer products. `a` and `b`: the thread's first elements.
  __device__ __forceinline__ static void multiply(float (&acc)[Rung::TM][Rung::TN], unsigned a,
                                                  unsigned b) {
    constexpr int A_STEP = Rung::A_TRANSPOSED ? Rung::A_PITCH : 1;
    constexpr int A_STRIDE = Rung::A_TRANSPOSED ? 1 : Rung::A_PITCH;
    using Place = typename Rung::Place;
#pragma unroll
    for (int k = 0; k < Rung::BK; ++k) {
      float fragment_a[Rung::TM], fragment_b[Rung::TN];
      load_fragment<Rung::TM, Rung::WIDTH, Place::GROUP_M, A_STRIDE>(fragment_a,
                                                                     a + k * A_STEP * 4);
      load_fragment<Rung::TN, Rung::WIDTH, Place::GROUP_N>(fragment_b, b + k * Rung::BN * 4);
      outer_product(acc, fragment_a, fragment_b);
    }
  }
};

template <class Rung, bool GUARDED, int GLOBAL_WIDTH = Rung::WIDTH,
          StagingForm FORM = StagingForm{}, class Product = OuterProducts<Rung>>
__device__ __forceinline__ void single_buffered(const Arguments& arg) {
  constexpr int BM = Rung::BM, BN = Rung::BN, BK = Rung::BK, A_PITCH = Rung::A_PITCH;
  constexpr int A_FLOATS = Rung::A_TRANSPOSED ? BK * A_PITCH : BM * A_PITCH;
  __shared__ __align__(128) float shared_a[A_FLOATS];
  __shared__ __align__(16) float shared_b[BK * BN];
  const unsigned a = shared_address(shared_a), b = shared_address(shared_b);

  const BlockOrigin origin = block_origin<BM, BN>(arg);
  if (outside(origin, arg)) return;
  Staging<BM, BN, BK, Rung::THREADS, GLOBAL_WIDTH, GUARDED, FORM> staging(arg, origin);
  const typename Rung::Place place;
  const unsigned read_a = a + place.m * (Rung::A_TRANSPOSED ? 1 : A_PITCH) * 4;
  const unsigned read_b = b + place.n * 4;

  float acc[Rung::TM][Rung::TN] = {};
  const auto exchange = [&] {
    Product::store_a(staging.a, a);
    staging.b.template store<BN>(b);
    __syncthreads();
    Product::multiply(acc, read_a, read_b);
    __syncthreads();
  };
  if (GUARDED && staging.slices > 0) {
    staging.load_first();
    exchange();
  }
#pragma unroll 1
  for (int slice = GUARDED ? 1 : 0; slice < staging.slices; ++slice) {
    staging.load_next();
    exchange();
  }
  store_result<Rung::Place::GROUP_M, Rung::Place::GROUP_N, Rung::RESULT_WIDTH, GUARDED,
               Rows::multiplied>(acc, arg, static_cast<unsigned>(origin.m) + place.m,
                                 static_cast<unsigned>(origin.n) + place.n);
}

}  // namespace rooftile::gemm
