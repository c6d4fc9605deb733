// naive: descriptor. The kernel is naive.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::naive {

inline constexpr VariantWords words{.family = "naive",
                                    .title = "naive, threads along M",
                                    .idea =
                                        "One thread an element of C, neighbouring threads along M: "
                                        "every load of A touches 32 sectors.",
                                    .rung = 1};
inline constexpr Tile default_tile{.BM = 32, .BN = 32};
inline constexpr int vector_width = 1;

inline std::vector<Tile> tile_space() { return tile_space_direct(); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_direct(tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_direct("naive", true, tile, problem);
}

}  // namespace rooftile::gemm::naive
