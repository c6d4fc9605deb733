// warp_tile: descriptor. The kernel is warp_tile.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::warp_tile {

inline constexpr VariantWords words{
    .family = "warp_tile",
    .title = "warp tile, Z-order lanes",
    .idea =
        "A warp computes a compact tile with lanes in Z-order: fewer distinct elements, and both "
        "loads merge to two wavefronts.",
    .rung = 11};
inline constexpr Tile default_tile{
    .BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8, .WM = 64, .WN = 32};
inline constexpr int vector_width = 4;
inline constexpr TiledTraits traits{.name = "warp_tile",
                                    .vector_width = vector_width,
                                    .a_transposed = true,
                                    .a_padding = 4,
                                    .place = PlaceKind::z_order};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::warp_tile
