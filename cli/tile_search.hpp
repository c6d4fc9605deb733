// The best tiles for a problem: the search of `tune`, over every legal tile of the variants.
#pragma once

#include <vector>

#include "gemm/variant.hpp"
#include "model/predict/search.hpp"

namespace rooftile::cli {

/// Every legal tile of every selected variant on this problem. Throws InputError when there is
/// none.
std::vector<KernelDescription> candidates(const std::vector<const Variant*>& selected,
                                          const GemmProblem& problem);

struct TileSearch {
  GemmProblem problem;
  std::vector<Prediction> top;  ///< fastest first, at least one
  SearchResult search;
  /// Tiles, in `top` or not, within the best one's interval; after a SecondLook of those it read.
  std::size_t ties = 1;
  /// After a SecondLook the place of each of `top` in the search, from 1; else empty.
  std::vector<std::size_t> first_places;
  std::size_t by_code = 0;  ///< tiles that it read
};

/// The fastest `most` by `evaluator`; `pruned` says whether tiles whose bound is worse than theirs
/// need not be evaluated. Throws InputError when not one can be predicted.
TileSearch search_tiles(const GemmProblem& problem, const std::vector<const Variant*>& selected,
                        const Predictor& roofline, const Predictor& evaluator, std::size_t most,
                        bool pruned = true);

}  // namespace rooftile::cli
