// What a compiled kernel of the family is made of, and where its threads' elements lie.
#pragma once

#include "gemm/device/grid.cuh"
#include "gemm/small/operand_copy.cuh"

namespace rooftile::gemm::small {

/// The family was measured on 9.0 with as many blocks as fit. Elsewhere the compiler needs a few
/// more registers for the same code, and spilling them costs more than a block.
__host__ __device__ constexpr int spare_registers() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 900
  return 16;
#else
  return 0;
#endif
}

/// GROUPS: groups of (BM / TM) * (BN / TN) threads that each sum over their own part of every slice
/// of BK, so that large thread tiles still leave enough warps to hide latency. WIDTH_A, WIDTH_B and
/// WIDTH_C: floats an access to global memory, 1 or 4. B is K x N; so is A (K x M) with TRANS_A.
template <int BM_, int BN_, int BK_, int TM_, int TN_, int GROUPS_, int STAGES_, bool TRANS_A,
          int WIDTH_A_, int WIDTH_B_, int WIDTH_C_>
struct Plan {
  static constexpr int BM = BM_, BN = BN_, BK = BK_, TM = TM_, TN = TN_;
  static constexpr int GROUPS = GROUPS_, STAGES = STAGES_;
  static constexpr int WIDTH_A = WIDTH_A_, WIDTH_B = WIDTH_B_, WIDTH_C = WIDTH_C_;
  static constexpr int GROUP_THREADS = (BM / TM) * (BN / TN), THREADS = GROUP_THREADS * GROUPS;
  static constexpr int K_STEPS = BK / GROUPS;  ///< of a group in a slice
  /// Rows that are contiguous along M or N and read 16 bytes at a time end on a multiple of these.
  static constexpr int ROOM_A = TRANS_A ? WIDTH_A : 1, ROOM_B = WIDTH_B;
  using CopyA = OperandCopy<BM, BK, THREADS, !TRANS_A, WIDTH_A>;
  using CopyB = OperandCopy<BN, BK, THREADS, false, WIDTH_B>;

  static constexpr int A_FLOATS = BK * CopyA::PITCH, B_FLOATS = BK * CopyB::PITCH;
  static constexpr int STAGE_FLOATS = A_FLOATS + B_FLOATS;
  static constexpr int TILE_BYTES = BM * BN * 4;
  static constexpr int PIPELINE_BYTES = STAGES * STAGE_FLOATS * 4;
  static constexpr int GROUP_BYTES = GROUPS > 1 ? GROUPS* TILE_BYTES : 0;
  static constexpr int LOOP_BYTES = PIPELINE_BYTES > GROUP_BYTES ? PIPELINE_BYTES : GROUP_BYTES;
  /// Of shared memory. In a cluster the partial sums of other blocks may arrive while the loop
  /// still runs, so they have room of their own.
  static constexpr int shared_bytes(int splits) {
    if (splits > 1) return LOOP_BYTES + (BM + splits - 1) / splits * splits * BN * 4;
    return LOOP_BYTES > TILE_BYTES ? LOOP_BYTES : TILE_BYTES;
  }
  static constexpr int BLOCKS =
      blocks_per_sm(THREADS, TM* TN + 2 * (TM + TN) + 32 + spare_registers());

  static_assert(TM % 4 == 0 && TN % 4 == 0 && TM % GROUPS == 0 && K_STEPS > 2 && STAGES > 1);
  /// Fragments alternate across slices, and a group's steps do not straddle a swizzle of eight.
  static_assert(K_STEPS % 2 == 0 && (K_STEPS % 8 == 0 || 8 % K_STEPS == 0));
  static_assert(THREADS % (BN / WIDTH_C) == 0);  // store_received() walks by whole rows
};

/// The TM x TN elements of a thread in the block tile: row i is m + i / 4 * GROUP_M + i % 4. Lanes
/// 4 along M by 8 along N in Z-order: neighbours in bit 0 share A, in bit 1 share B, which is what
/// an LDS.128 needs to take two wavefronts.
template <class Plan>
struct Place {
  static constexpr int LANES_N = 8, LANES_M = 4;
  static constexpr int WM = LANES_M * Plan::TM, WN = LANES_N * Plan::TN;
  static constexpr int GROUP_M = LANES_M * 4, GROUP_N = LANES_N * 4;
  static_assert(Plan::BM % WM == 0 && Plan::BN % WN == 0);
  int m, n;
  __device__ __forceinline__ Place() {
    const int lane = threadIdx.x % 32, warp = threadIdx.x % Plan::GROUP_THREADS / 32;
    const int lane_n = (lane & 1) | ((lane >> 2) & 3) << 1,
              lane_m = (lane >> 1 & 1) | lane >> 4 << 1;
    m = warp / (Plan::BN / WN) * WM + lane_m * 4;
    n = warp % (Plan::BN / WN) * WN + lane_n * 4;
  }
  __device__ __forceinline__ static int row(int i) { return i / 4 * GROUP_M + i % 4; }
  __device__ __forceinline__ static int column(int j) { return j / 4 * GROUP_N + j % 4; }
};

}  // namespace rooftile::gemm::small
