// split_k_workspace: descriptor. The kernel is split_k_workspace.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::split_k_workspace {

inline constexpr VariantWords words{
    .family = "split_k",
    .title = "split-K, workspace",
    .idea =
        "K is dealt out over four blocks a tile; their sums go to a workspace, which a second "
        "kernel adds up in a fixed order.",
    .rung = 20,
    .sums = PartialSums::workspace};
inline constexpr Tile default_tile{
    .BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8, .WM = 64, .WN = 32, .stages = 2, .split_k = 4};
inline constexpr int vector_width = 4;
inline constexpr TiledTraits traits{.name = "split_k_workspace",
                                    .vector_width = vector_width,
                                    .a_transposed = true,
                                    .a_padding = 4,
                                    .place = PlaceKind::z_order,
                                    .slices_ahead = true,
                                    .fragments_ahead = true,
                                    .scalar_result = true,
                                    .sums = words.sums};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::split_k_workspace
