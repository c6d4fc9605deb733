// split_k_atomic: descriptor. The kernel is split_k_atomic.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::split_k_atomic {

inline constexpr VariantWords words{
    .family = "split_k",
    .title = "split-K, atomics",
    .idea =
        "K is dealt out over four blocks a tile, so that a small C fills the GPU; they add their "
        "sums to C by atomics.",
    .rung = 19,
    .not_predicted =
        "the model does not describe the second kernel, which prepares C, nor atomics on C",
    .sums = PartialSums::atomics};
inline constexpr Tile default_tile{
    .BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8, .WM = 64, .WN = 32, .stages = 2, .split_k = 4};
inline constexpr int vector_width = 4;
inline constexpr TiledTraits traits{.name = "split_k_atomic",
                                    .vector_width = vector_width,
                                    .a_transposed = true,
                                    .a_padding = 4,
                                    .place = PlaceKind::z_order,
                                    .slices_ahead = true,
                                    .fragments_ahead = true,
                                    .scalar_result = true,
                                    .sums = words.sums};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::split_k_atomic
