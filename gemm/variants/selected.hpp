// selected: descriptor. No kernel of its own: gemm/cuda/selected.cpp hands each problem to
// hand_scheduled or split_k_cluster.
#pragma once

#include "gemm/variants/split_k_cluster.hpp"

namespace rooftile::gemm::selected {

inline constexpr VariantWords words{
    .family = "hand_scheduled",
    .title = "selected by size",
    .idea =
        "Each problem goes to hand_scheduled or to split_k_cluster, whichever a rule of thumb "
        "expects to be faster: tiles, splits and copies counted, rates as measured on an H200.",
    .rung = 31,
    .not_predicted = "the model describes neither of the two kernels that it chooses from yet"};
inline constexpr Tile default_tile = split_k_cluster::default_tile;
inline constexpr int vector_width = 4;

inline std::vector<Tile> tile_space() { return {default_tile}; }
inline std::optional<std::string> illegal(const Tile& tile) {
  return split_k_cluster::illegal(tile);
}

inline KernelDescription describe(const Tile& tile, const GemmProblem& problem) {
  KernelDescription kernel = split_k_cluster::describe(tile, problem);
  kernel.variant = "selected";
  return kernel;
}

}  // namespace rooftile::gemm::selected
