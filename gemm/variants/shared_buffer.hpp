// shared_buffer: descriptor. The kernel is shared_buffer.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::shared_buffer {

inline constexpr VariantWords words{
    .family = "double_buffer",
    .title = "shared double buffer",
    .idea =
        "warp_tile with two shared buffers: the next slice comes from global memory while this one "
        "is multiplied, and one barrier a slice is enough.",
    .rung = 13};
inline constexpr Tile default_tile{
    .BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8, .WM = 64, .WN = 32, .stages = 2};
inline constexpr int vector_width = 4;
inline constexpr TiledTraits traits{.name = "shared_buffer",
                                    .vector_width = vector_width,
                                    .a_transposed = true,
                                    .a_padding = 4,
                                    .place = PlaceKind::z_order,
                                    .slices_ahead = true,
                                    .scalar_result = true};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::shared_buffer
