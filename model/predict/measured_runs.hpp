// Measured runs beside which predictions can be set: what validation and ablation share.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/predict/baselines.hpp"
#include "model/predict/validate.hpp"

namespace rooftile {

struct MeasuredRun {
  MeasuredKernel run;
  std::string split;
};

/// Runs that can be compared, the latest of each key. Times of cuBLAS go to `cublas` by shape; what
/// is left out goes to `skipped`, with the reason.
std::vector<MeasuredRun> measured_runs(std::span<const RunRecord> runs, const Splits& splits,
                                       const DescribeRun& describe,
                                       std::map<std::string, double>& cublas,
                                       std::vector<std::string>& skipped);

/// All but what is predicted.
ErrorCase case_of(const Predictor& predictor, const MeasuredRun& measured);

}  // namespace rooftile
