// naive_coalesced: descriptor. The kernel is naive_coalesced.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::naive_coalesced {

inline constexpr VariantWords words{
    .family = "naive",
    .title = "naive, threads along N",
    .idea = "The same with neighbouring threads along N: loads of B coalesce and A is a broadcast.",
    .rung = 2};
inline constexpr Tile default_tile{.BM = 32, .BN = 32};
inline constexpr int vector_width = 1;

inline std::vector<Tile> tile_space() { return tile_space_direct(); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_direct(tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_direct("naive_coalesced", false, tile, problem);
}

}  // namespace rooftile::gemm::naive_coalesced
