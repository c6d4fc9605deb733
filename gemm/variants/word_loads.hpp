// word_loads: descriptor. The kernel is word_loads.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::word_loads {

inline constexpr VariantWords words{.family = "source_form",
                                    .title = "global loads of a word",
                                    .idea =
                                        "conflict_free with scalar, coalesced global loads: four "
                                        "times the load instructions for the same sectors.",
                                    .rung = 8};
inline constexpr Tile default_tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8};
inline constexpr int vector_width = 4;
inline constexpr TiledTraits traits{.name = "word_loads",
                                    .vector_width = vector_width,
                                    .global_width = 1,
                                    .a_transposed = true,
                                    .a_padding = 4,
                                    .place = PlaceKind::split};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::word_loads
