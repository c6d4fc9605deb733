// raster_swizzle: descriptor. The kernel is raster_swizzle.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::raster_swizzle {

inline constexpr VariantWords words{.family = "raster",
                                    .title = "swizzle raster",
                                    .idea =
                                        "double_buffer with blocks walked in bands of rows: a wave "
                                        "covers a squarer piece of C and reads fewer panels.",
                                    .rung = 18};
inline constexpr Tile default_tile{.BM = 128,
                                   .BN = 128,
                                   .BK = 8,
                                   .TM = 8,
                                   .TN = 8,
                                   .WM = 64,
                                   .WN = 32,
                                   .stages = 2,
                                   .raster = Raster::swizzle,
                                   .raster_group = 8};
inline constexpr int vector_width = 4;
inline constexpr TiledTraits traits{.name = "raster_swizzle",
                                    .vector_width = vector_width,
                                    .a_transposed = true,
                                    .a_padding = 4,
                                    .place = PlaceKind::z_order,
                                    .slices_ahead = true,
                                    .fragments_ahead = true,
                                    .scalar_result = true,
                                    .raster = Raster::swizzle};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::raster_swizzle
