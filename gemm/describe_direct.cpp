// Descriptions of the kernels without shared memory. A step of K is one multiply-add and two loads;
// the loop takes four steps a trip, so counts are quarters of the trip's.
//
// L1 reuse: of the sectors that a warp asks for, the share that an earlier request of its block has
// brought. A block's distinct data a step of K are BM words of A (eight steps share a sector) and
// BN words of B, against BM * BN / 32 warps times their sectors. The latter is what L1 serves as
// long as the block's working set stays in it.
#include <algorithm>

#include "gemm/describe.hpp"
#include "gemm/lanes.hpp"
#include "model/memory/wavefronts.hpp"

namespace rooftile::gemm {

namespace {

/// Row and column of a lane in the block tile.
Position position(bool along_m, const Tile& t, int lane) {
  if (along_m) return {lane % t.BM, lane / t.BM};
  return {lane / t.BN, lane % t.BN};
}

GlobalAccess access(const char* name, const LaneAddresses& lanes, double distinct_sectors,
                    double warps) {
  const double requested = sectors(lanes, 4) * warps;
  return {.name = name,
          .width_bytes = 4,
          .per_iteration = 1,
          .lanes = lanes,
          .l1_reuse = std::max(0.0, 1 - distinct_sectors / requested)};
}

std::vector<GlobalAccess> accesses(bool along_m, const Tile& t, const GemmProblem& p) {
  const std::int64_t lda = near_pitch(p.lda);
  const auto a =
      lanes_of([&](int lane) { return std::min(position(along_m, t, lane).row, p.M - 1) * lda; });
  const auto b =
      lanes_of([&](int lane) { return std::min(position(along_m, t, lane).column, p.N - 1); });
  const double warps = t.threads() / 32.0;
  const double rows = static_cast<double>(std::min<std::int64_t>(t.BM, p.M));
  const double columns = static_cast<double>(std::min<std::int64_t>(t.BN, p.N));
  return {access("A", a, rows / 8, warps), access("B", b, std::max(1.0, columns / 8), warps)};
}

}  // namespace

std::optional<std::string> illegal_direct(const Tile& t) {
  if (t.TM != 1 || t.TN != 1 || t.BK != 1) return "TM, TN and BK must be 1: one element a thread";
  if (t.WM != 0 || t.WN != 0) return "WM and WN must be 0: no warp tile here";
  if (t.stages != 1) return "stages must be 1: no shared memory";
  if (t.split_k != 1) return "split_k is not implemented by this variant";
  if (t.raster != Raster::row || t.raster_group != 1) return "only the row raster is implemented";
  if (t.BM < 1 || t.BN < 1) return "sizes must be at least 1";
  if (t.threads() < 32 || t.threads() > 1024 || t.threads() % 32 != 0)
    return std::to_string(t.threads()) + " threads a block; must be a multiple of 32 up to 1024";
  return std::nullopt;
}

KernelDescription describe_direct(std::string_view name, bool along_m, const Tile& t,
                                  const GemmProblem& p) {
  KernelDescription k;
  k.variant = name;
  k.tile = t;
  k.threads_per_block = t.threads();
  k.resources.registers_per_thread = 32;
  k.k_iterations = p.alpha == 0 ? 0 : p.K;
  k.global = accesses(along_m, t, p);
  // Four advances of B's pointer, one of A's and the counter, two instructions each, and copies.
  k.mix = {.fma = 1, .integer = 17 / 4.0, .control = 2 / 4.0, .global_moves = 2};
  k.loads_in_flight = 8;
  // Two waits a trip of four steps: in the SASS (sm_90a, both paths) six LDG stand before the first
  // FFMA and the last two, the fourth row of B and the fourth word of A, after it: once the first
  // six have come they are waited for in turn (LDG x6, FFMA, LDG x2, FFMA x3, BRA).
  k.exposed_global_latencies = 2 / 4.0;
  k.guarded = needs_guards(t, 1, p);
  k.epilogue_stores = 1;
  const std::int64_t ldc = near_pitch(p.ldc);
  k.epilogue_store = store_shape(lanes_of([&](int lane) {
                                   const Position at = position(along_m, t, lane);
                                   return at.row * ldc + at.column;
                                 }),
                                 4);
  return k;
}

}  // namespace rooftile::gemm
