// Tile search: branch and bound over descriptions, ordered by the roofline's admissible bound, so
// that the optimum of the evaluating predictor is exact.
#pragma once

#include <span>
#include <vector>

#include "model/predict/predictor.hpp"

namespace rooftile {

struct SearchCandidate {
  KernelDescription kernel;
  double bound_s = 0;  ///< by the roofline
  double time_s = 0;   ///< by the evaluating predictor; 0 when pruned
};

struct SearchResult {
  std::vector<SearchCandidate> ranked;  ///< evaluated ones, fastest first
  std::size_t considered = 0, pruned = 0;
  std::size_t without_sass = 0;  ///< the evaluator is sass and has no code for them
};

/// Keeps at least `keep` evaluated candidates where there are as many: the bound is compared with
/// the keep-th best.
SearchResult search(std::vector<KernelDescription> kernels, const GemmProblem& problem,
                    const Predictor& roofline, const Predictor& evaluator, std::size_t keep);

/// The fastest kernel of each BM x BN that can be launched, explained; BM ascends, then BN. Throws
/// NoSass where the evaluator is sass and lacks one's code.
std::vector<Prediction> fastest_by_block_tile(std::span<const KernelDescription> kernels,
                                              const GemmProblem& problem,
                                              const Predictor& evaluator);

/// How many leading predictions, fastest first, the profile's uncertainty cannot tell from the
/// fastest: those inside its input interval, or as fast as it is where it has none.
std::size_t count_ties(std::span<const Prediction> fastest_first);

}  // namespace rooftile
