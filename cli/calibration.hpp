// How sure a prediction is: the interval that 9 in 10 of the measured pairs like it fall into.
//
// Split-conformal (model/predict/conformal.hpp), from the dev pairs of runs of the profile's GPU
// (./runs.jsonl beside a profile of the user's, else the recorded ones). No part of the model: time
// and order do not depend on it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/inputs.hpp"
#include "cli/prediction.hpp"

namespace rooftile::cli {

class Calibration {
 public:
  /// Without runs of this GPU, or with a profile that was edited (`what_if`), there is nothing to
  /// calibrate on: then no prediction gets an interval. Warns of runs that are damaged or of
  /// another GPU, which count as none.
  Calibration(const Predictors& predictors, const ProfileInput& profile, bool what_if);

  /// Fills `prediction_interval`; left empty for other tiles than the variant's default, of which
  /// there are no such runs, and where pairs are too few. Pairs of the prediction's own shape are
  /// left out.
  void apply(Prediction& prediction) const;

  /// A line a predictor that has enough pairs: their number, and what 9 in 10 of them took.
  std::vector<std::string> notes() const;

 private:
  struct Pair {
    std::string shape;
    double score = 0;  ///< conformal_score()
  };
  std::string gpu_name_;
  std::map<std::string, std::vector<Pair>> pairs_;  ///< by predictor
};

}  // namespace rooftile::cli
