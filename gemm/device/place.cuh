// Where the TM x TN elements of a thread lie in the block tile. Three maps, in ladder order.
//
// Row i of a thread is m + (i / 4) * GROUP_M + i % 4, columns likewise: fragments are read as
// groups of four. Shared-memory cost of one LDS.128 of A plus one of B (wavefronts; 2 is the least
// that 32 lanes can have when merge conditions hold, 4 without): contiguous 2 + 8, split 2 + 4,
// z-order 2 + 2.
#pragma once

namespace rooftile::gemm {

/// A thread owns a contiguous TM x TN tile; neighbours along N read TN floats apart, so eight lanes
/// cover the 32 banks twice for TN = 8.
template <int BN, int TM, int TN>
struct ContiguousPlace {
  static constexpr int GROUP_M = 4, GROUP_N = 4;
  int m, n;
  __device__ __forceinline__ ContiguousPlace()
      : m(threadIdx.x / (BN / TN) * TM), n(threadIdx.x % (BN / TN) * TN) {}
};

/// The thread tile is split into 4 x 4 pieces a fraction of the block tile apart: neighbours read
/// neighbouring float4s.
template <int BM, int BN, int TM, int TN>
struct SplitPlace {
  static constexpr int GROUP_M = BM / (TM / 4), GROUP_N = BN / (TN / 4);
  int m, n;
  __device__ __forceinline__ SplitPlace()
      : m(threadIdx.x / (BN / TN) * 4), n(threadIdx.x % (BN / TN) * 4) {}
};

/// Warp tiles WM x WN, lanes in Z-order: bit 0 of the lane selects N and bit 1 selects M, so lanes
/// i and i^1 read the same A and lanes i and i^2 the same B, the two conditions under which the
/// hardware merges the quarter-warps of an LDS.128.
template <int BN, int TM, int TN, int WM, int WN>
struct ZOrderPlace {
  static constexpr int LANES_M = WM / TM, LANES_N = WN / TN;
  static_assert(LANES_M * LANES_N == 32 && LANES_M >= 2 && LANES_N >= 2);
  static constexpr int GROUP_M = WM / (TM / 4), GROUP_N = WN / (TN / 4);
  int m, n;
  __device__ __forceinline__ ZOrderPlace() {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int lane_n = (lane & 1) | ((lane >> 2) & (LANES_N / 2 - 1)) << 1;
    const int lane_m = ((lane >> 1) & 1) | (lane / (2 * LANES_N)) << 1;
    m = warp / (BN / WN) * WM + lane_m * 4;
    n = warp % (BN / WN) * WN + lane_n * 4;
  }
};

}  // namespace rooftile::gemm
