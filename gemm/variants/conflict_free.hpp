// conflict_free: descriptor. The kernel is conflict_free.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::conflict_free {

inline constexpr VariantWords words{.family = "conflict_free",
                                    .title = "no bank conflicts",
                                    .idea =
                                        "Padding behind the rows of A and thread tiles split into "
                                        "4x4 pieces leave no bank conflict.",
                                    .rung = 7};
inline constexpr Tile default_tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8};
inline constexpr int vector_width = 4;
inline constexpr TiledTraits traits{.name = "conflict_free",
                                    .vector_width = vector_width,
                                    .a_transposed = true,
                                    .a_padding = 4,
                                    .place = PlaceKind::split};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::conflict_free
