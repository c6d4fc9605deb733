// What another choice of the tile would change: the same variant with one thing done otherwise,
// predicted again. Part of `predict --explain`.
#pragma once

#include <vector>

#include "cli/inputs.hpp"
#include "gemm/variant.hpp"
#include "model/predict/predictor.hpp"

namespace rooftile::cli {

/// The tiles of tile_changes().
std::vector<Tile> changed_tiles(const Variant& variant, const Tile& tile);

/// One more and one less stage, BK twice and half as large: those that the variant can be built
/// with, fastest first. (Another order of blocks is another variant.) By `predictor`, or by
/// `fallback` (null for none) where the code that it reads is not at hand.
std::vector<TileChange> tile_changes(const Variant& variant, const Tile& tile,
                                     const GemmProblem& problem, const Predictor& predictor,
                                     const Predictor* fallback);

/// analytic, which needs no code; null where the profile is not enough for it.
std::unique_ptr<Predictor> changes_fallback(const ProfileInput& profile);

}  // namespace rooftile::cli
