// inner_product: descriptor. The kernel is inner_product.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::inner_product {

inline constexpr VariantWords words{
    .family = "inner_product",
    .title = "inner product",
    .idea =
        "Each element of the thread tile is a dot product of its own: 128 shared loads a k-step "
        "feed the 64 multiply-adds that 16 would.",
    .rung = 4};
inline constexpr Tile default_tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8};
inline constexpr int vector_width = 1;
inline constexpr TiledTraits traits{
    .name = "inner_product", .vector_width = vector_width, .inner_product = true};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::inner_product
