// Ablation of the model itself: the errors of analytic and sass on the dev split with each part
// (parts.hpp) taken out alone. A part is worth its place when a figure becomes visibly worse
// without it; one whose loss changes nothing, or makes the errors smaller, is shown like all
// others. Smaller errors without a part do not say that it is wrong: predictions are too short on
// the whole, and what lengthens them hides that.
#pragma once

#include "model/predict/validate.hpp"

namespace rooftile {

/// Arguments as of validate(). By predictor: the whole model, then each part of it in the order of
/// model_parts(). Predictors that the profile or the kernels are not enough for are left out.
std::vector<AblationCase> ablate(const DeviceProfile& profile, std::span<const RunRecord> runs,
                                 const Splits& splits, const DescribeRun& describe,
                                 const Kernels& kernels = nullptr);

}  // namespace rooftile
