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
  std::size_t ties = 1;  ///< tiles, in `top` or not, within the best one's interval
};

/// The fastest `most` by `evaluator`. Throws InputError when not one can be predicted.
TileSearch search_tiles(const GemmProblem& problem, const std::vector<const Variant*>& selected,
                        const Predictor& roofline, const Predictor& evaluator, std::size_t most);

}  // namespace rooftile::cli
