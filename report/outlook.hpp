// What predictors say beyond the measured runs: predictions of the same profile, made when the page
// is. All of it may be absent.
#pragma once

#include <cstddef>
#include <vector>

#include "model/record/prediction.hpp"

namespace rooftile {

/// The fastest of all legal tiles for a problem, by one predictor.
struct TileChoice {
  Prediction best;
  std::size_t considered = 1;  ///< legal tiles
  std::size_t ties = 1;        ///< of them, within the best one's interval; at least the best
};

struct Outlook {
  std::vector<TileChoice> choices;
  /// For some problems the fastest kernel of each BM x BN, by one predictor.
  std::vector<Prediction> landscape;
  /// One kernel at one N and K, by some predictors: M ascends.
  std::vector<Prediction> over_m;
  /// Kernels that differ in the order of their blocks, by one predictor, on squares of rising size.
  std::vector<Prediction> rasters;
};

}  // namespace rooftile
