// double_buffer: descriptor. The kernel is double_buffer.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::double_buffer {

inline constexpr VariantWords words{
    .family = "double_buffer",
    .title = "double buffering",
    .idea =
        "Two shared buffers and two sets of fragments: loads of the next slice and the next k-step "
        "run behind the arithmetic, one barrier a slice.",
    .rung = 14,
    .transposed_paths = true};
inline constexpr Tile default_tile{
    .BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8, .WM = 64, .WN = 32, .stages = 2};
inline constexpr int vector_width = 4;
inline constexpr TiledTraits traits{.name = "double_buffer",
                                    .vector_width = vector_width,
                                    .a_transposed = true,
                                    .a_padding = 4,
                                    .place = PlaceKind::z_order,
                                    .slices_ahead = true,
                                    .fragments_ahead = true,
                                    .scalar_result = true,
                                    .transposed_paths = words.transposed_paths};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::double_buffer
