// Split-conformal prediction intervals (Vovk et al. 2005; Lei et al. 2018).
//
// The score of a calibration pair is |log(measured / predicted)|; with n of them the interval of a
// new prediction t is t exp(+-q), q the ceil((n + 1) coverage)-th smallest score. It covers a new
// exchangeable pair with at least that probability. Calibrated on dev residuals: never used in
// time, ranking or search, and listed apart from the model, which has no fitted parameter.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "model/predict/predictor.hpp"
#include "model/record/validation.hpp"

namespace rooftile {

struct ConformalCalibration {
  double log_half_width = 0;  ///< q
  std::size_t n = 0;          ///< calibration pairs
  double coverage = 0;        ///< asked for, e.g. 0.9
};

/// nullopt when there are too few scores for this coverage (n < coverage / (1 - coverage)).
std::optional<ConformalCalibration> calibrate(std::span<const double> log_scores, double coverage);

/// |log(measured / predicted)|; both positive.
double conformal_score(double predicted_s, double measured_s);

Interval conformal_interval(const ConformalCalibration& calibration, double predicted_s);

/// From the dev cases of `predictor` in a validation.
std::optional<ConformalCalibration> calibrate(const ValidationReport& validation,
                                              std::string_view predictor, double coverage);

}  // namespace rooftile
