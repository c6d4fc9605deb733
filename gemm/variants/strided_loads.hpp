// strided_loads: descriptor. The kernel is strided_loads.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::strided_loads {

inline constexpr VariantWords words{
    .family = "source_form",
    .title = "strided global loads",
    .idea =
        "conflict_free with each float4 of global memory read by four loads of one word, 16 bytes "
        "between lanes: four times the instructions, each over all the sectors.",
    .rung = 9};
inline constexpr Tile default_tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8};
inline constexpr int vector_width = 4;
inline constexpr TiledTraits traits{.name = "strided_loads",
                                    .vector_width = vector_width,
                                    .word_by_word = true,
                                    .a_transposed = true,
                                    .a_padding = 4,
                                    .place = PlaceKind::split};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::strided_loads
