// Validation: predictions beside measured runs, with error, rank and regret statistics. The figures
// are explained in docs/cli.md, "validate", and docs/file-formats.md.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "model/kernel/kernel_description.hpp"
#include "model/predict/predictor.hpp"
#include "model/profile/device_profile.hpp"
#include "model/record/run.hpp"
#include "model/record/splits.hpp"
#include "model/record/validation.hpp"

namespace rooftile {

/// What validate needs from the floor above: the description of a measured kernel and its variant's
/// family. nullopt for kernels that are never predicted (libraries).
struct DescribedRun {
  KernelDescription kernel;
  std::string family;
};
using DescribeRun = std::function<std::optional<DescribedRun>(const RunRecord&)>;

/// `kernels` as of make_predictor.
ValidationReport validate(const DeviceProfile& profile, std::span<const RunRecord> runs,
                          const Splits& splits, const DescribeRun& describe,
                          const Kernels& kernels = nullptr);

/// Judges `predictions` that were stated before; `profile` feeds the baselines alone.
ValidationReport validate_stated(std::span<const Prediction> predictions,
                                 const DeviceProfile& profile, std::span<const RunRecord> runs,
                                 const Splits& splits, const DescribeRun& describe);

}  // namespace rooftile
