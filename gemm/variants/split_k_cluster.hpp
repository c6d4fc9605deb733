// split_k_cluster: descriptor. The kernels are a family of tiles, of which each launch takes one;
// gemm/small/ has them and gemm/small/split_k_cluster.cpp chooses and launches.
#pragma once

#include "gemm/variant.hpp"

namespace rooftile::gemm::split_k_cluster {

inline constexpr VariantWords words{
    .family = "split_k",
    .title = "split-K by clusters",
    .idea =
        "Small tiles and a split of K fill the GPU on small, skinny and deep problems; the splits "
        "of a tile are a thread block cluster that adds up through distributed shared memory.",
    .rung = 21,
    .not_predicted =
        "the model does not describe splits of K by clusters yet, nor a tile that each launch "
        "chooses for itself"};
/// The tile of the problems in the middle of its range; gemm/small/candidates.hpp has them all.
inline constexpr Tile default_tile{
    .BM = 64, .BN = 64, .BK = 16, .TM = 8, .TN = 8, .WM = 32, .WN = 64, .stages = 4};
inline constexpr int vector_width = 4;

inline std::vector<Tile> tile_space() { return {default_tile}; }

inline std::optional<std::string> illegal(const Tile& tile) {
  if (tile == default_tile) return std::nullopt;
  return "it chooses its tile for each problem; it goes by " + tile_name(default_tile);
}

/// What holds; no instruction counts, for it is not predicted.
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  KernelDescription kernel;
  kernel.variant = "split_k_cluster";
  kernel.tile = tile;
  kernel.threads_per_block = tile.threads();
  kernel.k_iterations = problem.alpha == 0 ? 0 : (problem.K + tile.BK - 1) / tile.BK;
  kernel.overlap = {.global_to_shared = true, .shared_to_register = true};
  kernel.guarded = needs_guards(tile, vector_width, problem);
  return kernel;
}

}  // namespace rooftile::gemm::split_k_cluster
