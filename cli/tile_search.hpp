// The best tiles for a problem: the search of `tune`, over every legal tile of the variants.
#pragma once

#include <set>
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
  /// Tiles, in `top` or not, within the best one's interval; after rank_by_code() of the compiled.
  std::size_t ties = 1;
  /// Of each of `top` its place in the search that sass looked at again, from 1; else empty.
  std::vector<std::size_t> first_places;
  std::size_t by_code = 0;  ///< tiles that sass ranked anew
};

/// The fastest `most` by `evaluator`. Throws InputError when not one can be predicted.
TileSearch search_tiles(const GemmProblem& problem, const std::vector<const Variant*>& selected,
                        const Predictor& roofline, const Predictor& evaluator, std::size_t most);

/// The first `compiled` of a search: what a second look by sass reads.
std::set<KernelName> leading_kernels(const TileSearch& found, std::size_t compiled);

/// Ranks those anew by `sass`, and keeps the `most` fastest. Says which it
/// cannot read; throws InputError when not one of them has a time.
void rank_by_code(TileSearch& found, std::size_t compiled, const Predictor& sass, std::size_t most);

}  // namespace rooftile::cli
