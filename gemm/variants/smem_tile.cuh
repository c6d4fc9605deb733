// smem_tile: the block copies a slice of A and of B into shared memory and every thread computes
// one element from there.
//
// Global traffic falls by the tile's side (each element is read BM or BN times less often). Per
// multiply-add two shared loads remain, A a broadcast and B 32 neighbours: one wavefront each, and
// the SM delivers one a cycle for its four sub-cores, so an eighth of the FFMA peak is the ceiling.
#pragma once

#include "gemm/device/single_buffer.cuh"

namespace rooftile::gemm::smem_tile {

template <int BM_, int BN_, int BK_, int TM_, int TN_, int WM, int WN>
struct Rung {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, TM = TM_, TN = TN_;
  static constexpr int THREADS = (BM / TM) * (BN / TN);
  static constexpr int WIDTH = 1, RESULT_WIDTH = 1;
  static constexpr bool A_TRANSPOSED = false;
  static constexpr int A_PITCH = BK;
  static constexpr int BLOCKS = blocks_per_sm(THREADS, 32);
  using Place = ContiguousPlace<BN, 1, 1>;
};

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(Rung<BM, BN, BK, TM, TN, WM, WN>::THREADS,
                                  Rung<BM, BN, BK, TM, TN, WM, WN>::BLOCKS)
    kernel(const Arguments arg) {
  single_buffered<Rung<BM, BN, BK, TM, TN, WM, WN>, GUARDED>(arg);
}

}  // namespace rooftile::gemm::smem_tile
