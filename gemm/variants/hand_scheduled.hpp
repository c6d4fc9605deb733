// hand_scheduled: descriptor. The kernel is not a template like the other rungs' but a finished
// cubin; gemm/hand/ has its sources and gemm/hand/hand_scheduled.cpp loads and launches it.
#pragma once

#include "gemm/variant.hpp"

namespace rooftile::gemm::hand_scheduled {

inline constexpr VariantWords words{
    .family = "hand_scheduled",
    .title = "hand-scheduled (Hopper)",
    .idea =
        "The main loop as machine code whose registers are placed so that no FFMA waits for a "
        "register bank, fed by TMA from a producer warp, tiles dealt out as Stream-K.",
    .rung = 30,
    .not_predicted =
        "the model does not describe TMA, a producer warp and Stream-K yet, and it would charge "
        "operand-port conflicts that the placed registers do not have"};
inline constexpr Tile default_tile{.BM = 256,
                                   .BN = 128,
                                   .BK = 32,
                                   .TM = 8,
                                   .TN = 16,
                                   .WM = 64,
                                   .WN = 64,
                                   .stages = 4,
                                   .raster = Raster::swizzle,
                                   .raster_group = 8};
inline constexpr int vector_width = 4;
inline constexpr int producer_threads = 128;  ///< a warpgroup, of which one thread works
/// As launched. The consumers' warpgroups then take 240 and leave the producer's 24 (setmaxnreg).
inline constexpr int registers_at_launch = 168;
inline constexpr int static_shared_bytes = 288;
/// Four stages and 1 KiB to align them.
inline constexpr int dynamic_shared_bytes =
    default_tile.stages * (default_tile.BM + default_tile.BN) * default_tile.BK * 4 + 1024;

inline std::vector<Tile> tile_space() { return {default_tile}; }

inline std::optional<std::string> illegal(const Tile& tile) {
  if (tile == default_tile) return std::nullopt;
  return "its machine code is written for one tile: " + tile_name(default_tile);
}

/// What holds; no instruction counts, for it is not predicted.
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  KernelDescription kernel;
  kernel.variant = "hand_scheduled";
  kernel.tile = tile;
  kernel.threads_per_block = tile.threads() + producer_threads;
  kernel.resources = {.registers_per_thread = registers_at_launch,
                      .static_shared_bytes = static_shared_bytes,
                      .dynamic_shared_bytes = dynamic_shared_bytes};
  kernel.k_iterations = problem.alpha == 0 ? 0 : (problem.K + tile.BK - 1) / tile.BK;
  kernel.overlap = {.global_to_shared = true, .shared_to_register = true};
  kernel.guarded = needs_guards(tile, vector_width, problem);
  return kernel;
}

}  // namespace rooftile::gemm::hand_scheduled
