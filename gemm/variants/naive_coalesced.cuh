// naive_coalesced: one thread an element of C, neighbouring threads along N.
//
// A warp reads one element of A (a broadcast) and 32 neighbours of B (four sectors); nothing else
// has changed. 64 FLOP for 33 words: 0.48 FLOP/B of L1 traffic is the ceiling.
#pragma once

#include "gemm/device/direct.cuh"

namespace rooftile::gemm::naive_coalesced {

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(BM* BN) kernel(const Arguments arg) {
  const BlockOrigin origin = block_origin<BM, BN>(arg);
  if (outside(origin, arg)) return;
  direct_product<GUARDED>(arg, origin, threadIdx.x / BN, threadIdx.x % BN);
}

}  // namespace rooftile::gemm::naive_coalesced
