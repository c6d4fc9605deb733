// register_buffer: descriptor. The kernel is register_buffer.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::register_buffer {

inline constexpr VariantWords words{.family = "double_buffer",
                                    .title = "register double buffer",
                                    .idea =
                                        "warp_tile with two sets of fragments: the next k-step "
                                        "comes from shared memory while this one is multiplied.",
                                    .rung = 12};
inline constexpr Tile default_tile{
    .BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8, .WM = 64, .WN = 32};
inline constexpr int vector_width = 4;
inline constexpr TiledTraits traits{.name = "register_buffer",
                                    .vector_width = vector_width,
                                    .a_transposed = true,
                                    .a_padding = 4,
                                    .place = PlaceKind::z_order,
                                    .fragments_ahead = true};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::register_buffer
