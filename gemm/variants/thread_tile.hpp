// thread_tile: descriptor. The kernel is thread_tile.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::thread_tile {

inline constexpr VariantWords words{.family = "thread_tile",
                                    .title = "thread tile 8x8",
                                    .idea =
                                        "Each thread computes 8x8 elements as outer products: 16 "
                                        "shared loads feed 64 multiply-adds instead of one.",
                                    .rung = 5};
inline constexpr Tile default_tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8};
inline constexpr int vector_width = 1;
inline constexpr TiledTraits traits{.name = "thread_tile", .vector_width = vector_width};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::thread_tile
