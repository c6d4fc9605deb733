// Baselines that a predictor must beat on the same runs.
//
//   plain_roofline     max(FLOP / peak, compulsory bytes / DRAM bandwidth): the same for every tile
//   max_rule           launch + whole waves x max over resources of a block's busy cycles
//   always 128x128x8   the tutorials' default; the best measured kernel with that tile (regret
//   only) cublas             its measured time over our best (regret only; negative where we are
//   faster) random             expected regret of a uniform choice (regret only)
//
// In summaries with regret only, n counts shapes and the error fields stay 0.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/predict/predictor.hpp"
#include "model/record/validation.hpp"

namespace rooftile {

/// One predictable measured run.
struct MeasuredKernel {
  KernelDescription kernel;
  GemmProblem problem;
  double measured_s = 0;
};

/// "plain_roofline" and "max_rule" as predictors. Throw MissingMetric like make_predictor.
std::unique_ptr<Predictor> make_plain_roofline(const DeviceProfile& profile);
std::unique_ptr<Predictor> make_max_rule(const DeviceProfile& profile);

/// Baselines that choose without predicting a time. `cublas_s` holds cuBLAS's time by shape name.
std::map<std::string, ErrorSummary> choice_baselines(std::span<const MeasuredKernel> runs,
                                                     const std::map<std::string, double>& cublas_s);

}  // namespace rooftile
