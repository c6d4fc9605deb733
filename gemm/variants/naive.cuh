// naive: one thread an element of C, neighbouring threads along M.
//
// The 32 lanes of a warp read 32 rows of A (32 sectors an instruction) and one element of B, and
// they write a column of C. Expect about 1 % of the FFMA peak: the L1's sector rate is the bound.
#pragma once

#include "gemm/device/direct.cuh"

namespace rooftile::gemm::naive {

template <int BM, int BN, int BK, int TM, int TN, int WM, int WN, int STAGES, bool GUARDED,
          int TRANS = 0>
__global__ void __launch_bounds__(BM* BN) kernel(const Arguments arg) {
  const BlockOrigin origin = block_origin<BM, BN>(arg);
  if (outside(origin, arg)) return;
  direct_product<GUARDED>(arg, origin, threadIdx.x % BM, threadIdx.x / BM);
}

}  // namespace rooftile::gemm::naive
