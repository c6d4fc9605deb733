// persistent: descriptor. The kernel is persistent.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::persistent {

inline constexpr VariantWords words{
    .family = "persistent",
    .title = "persistent",
    .idea =
        "double_buffer with as many blocks as fit on the GPU at once, each walking over tiles: "
        "blocks start once a launch.",
    .rung = 22,
    .transposed_paths = true,
    .persistent = true};
inline constexpr Tile default_tile{
    .BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8, .WM = 64, .WN = 32, .stages = 2};
inline constexpr int vector_width = 4;
inline constexpr TiledTraits traits{.name = "persistent",
                                    .vector_width = vector_width,
                                    .a_transposed = true,
                                    .a_padding = 4,
                                    .place = PlaceKind::z_order,
                                    .slices_ahead = true,
                                    .fragments_ahead = true,
                                    .scalar_result = true,
                                    .transposed_paths = words.transposed_paths,
                                    .persistent = words.persistent};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::persistent
