// vectorized: descriptor. The kernel is vectorized.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::vectorized {

inline constexpr VariantWords words{.family = "vectorized",
                                    .title = "float4 loads",
                                    .idea =
                                        "Loads move 16 bytes in global and shared memory; A is "
                                        "transposed on its way so that its rows can.",
                                    .rung = 6};
inline constexpr Tile default_tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8};
inline constexpr int vector_width = 4;
inline constexpr TiledTraits traits{
    .name = "vectorized", .vector_width = vector_width, .a_transposed = true};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::vectorized
