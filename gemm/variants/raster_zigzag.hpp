// raster_zigzag: descriptor. The kernel is raster_zigzag.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::raster_zigzag {

inline constexpr VariantWords words{
    .family = "raster",
    .title = "zigzag raster",
    .idea =
        "double_buffer with every second row of blocks walked backwards: the panels of B that a "
        "row ends with begin the next.",
    .rung = 17};
inline constexpr Tile default_tile{.BM = 128,
                                   .BN = 128,
                                   .BK = 8,
                                   .TM = 8,
                                   .TN = 8,
                                   .WM = 64,
                                   .WN = 32,
                                   .stages = 2,
                                   .raster = Raster::zigzag};
inline constexpr int vector_width = 4;
inline constexpr TiledTraits traits{.name = "raster_zigzag",
                                    .vector_width = vector_width,
                                    .a_transposed = true,
                                    .a_padding = 4,
                                    .place = PlaceKind::z_order,
                                    .slices_ahead = true,
                                    .fragments_ahead = true,
                                    .scalar_result = true,
                                    .raster = Raster::zigzag};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::raster_zigzag
