// smem_tile: descriptor. The kernel is smem_tile.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::smem_tile {

inline constexpr VariantWords words{.family = "smem_tile",
                                    .title = "shared tile",
                                    .idea =
                                        "The block shares its slices of A and B through shared "
                                        "memory, so global traffic falls by the side of the tile.",
                                    .rung = 3};
inline constexpr Tile default_tile{.BM = 32, .BN = 32, .BK = 32};
inline constexpr int vector_width = 1;
inline constexpr TiledTraits traits{
    .name = "smem_tile", .vector_width = vector_width, .max_thread_tile = 1};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::smem_tile
