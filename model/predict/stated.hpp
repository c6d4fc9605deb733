// Predictions that were stated before, as predictors: so that they are judged like those made now.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "model/predict/predictor.hpp"
#include "model/record/prediction.hpp"

namespace rooftile {

/// The predictor `name` as far as `predictions` hold what it said; null where they hold nothing of
/// it. Asked for a kernel or problem that is not among them it throws InputError. Of several of one
/// kernel and problem the last stands.
std::unique_ptr<Predictor> make_stated(std::string_view name,
                                       std::span<const Prediction> predictions);

}  // namespace rooftile
