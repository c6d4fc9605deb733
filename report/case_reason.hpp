// Why a case is hard to predict, from what its prediction says of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/record/prediction.hpp"
#include "model/record/validation.hpp"

namespace rooftile::report {

/// What the predicted time is made of, how the blocks fill the GPU, and what ragged edges waste:
/// "latency 61 %, fma 20 % of the time; 0.24 waves; 48 % of the blocks' area lies outside C".
std::string reason_of(const Prediction& prediction);

/// Predictions by predictor, variant, tile and shape, as error cases name them.
class PredictionOfCase {
 public:
  explicit PredictionOfCase(const std::vector<Prediction>& predictions);
  /// Null where the case was not predicted here.
  const Prediction* find(const ErrorCase& c) const;

 private:
  std::map<std::string, const Prediction*> by_key_;
};

}  // namespace rooftile::report
