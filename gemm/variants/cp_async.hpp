// cp_async: descriptor. The kernel is cp_async.cuh.
#pragma once

#include "gemm/describe.hpp"

namespace rooftile::gemm::cp_async {

inline constexpr VariantWords words{.family = "cp_async",
                                    .title = "cp.async, 3 stages",
                                    .idea =
                                        "Slices are copied to shared memory asynchronously, past "
                                        "the registers, two of them ahead of the arithmetic.",
                                    .rung = 15,
                                    .least_compute_capability = 80,
                                    .transposed_paths = true};
inline constexpr Tile default_tile{
    .BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8, .WM = 64, .WN = 32, .stages = 3};
inline constexpr int vector_width = 4;
inline constexpr TiledTraits traits{.name = "cp_async",
                                    .vector_width = vector_width,
                                    .a_transposed = true,
                                    .a_padding = 4,
                                    .place = PlaceKind::z_order,
                                    .slices_ahead = true,
                                    .fragments_ahead = true,
                                    .scalar_result = true,
                                    .copied = true,
                                    .transposed_paths = words.transposed_paths};

inline std::vector<Tile> tile_space() { return tile_space_tiled(traits); }
inline std::optional<std::string> illegal(const Tile& tile) { return illegal_tiled(traits, tile); }
inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  return describe_tiled(traits, tile, problem);
}

}  // namespace rooftile::gemm::cp_async
