// xor_swizzle: descriptor. The kernel is xor_swizzle.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::xor_swizzle {

inline constexpr VariantWords words{
    .family = "xor_swizzle",
    .title = "XOR swizzle",
    .idea =
        "conflict_free with columns of the transposed A permuted by an XOR instead of padded rows: "
        "no shared memory wasted, one XOR more a k-step.",
    .rung = 10};
inline constexpr Tile default_tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8};
inline constexpr int vector_width = 4;
inline constexpr TiledTraits traits{.name = "xor_swizzle",
                                    .vector_width = vector_width,
                                    .a_transposed = true,
                                    .a_swizzled = true,
                                    .place = PlaceKind::split};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::xor_swizzle
