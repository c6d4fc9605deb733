#include "model/predict/conformal.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rooftile {

std::optional<ConformalCalibration> calibrate(std::span<const double> log_scores, double coverage) {
  const std::size_t n = log_scores.size();
  // The small slack keeps (n + 1) 0.9 = 9 from being rounded up to 10 by its binary fraction.
  const auto rank =
      static_cast<std::size_t>(std::ceil((static_cast<double>(n) + 1) * coverage - 1e-9));
  if (rank < 1 || rank > n) return std::nullopt;
  std::vector<double> sorted(log_scores.begin(), log_scores.end());
  const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(sorted.begin(), at, sorted.end());
  return ConformalCalibration{*at, n, coverage};
}

double conformal_score(double predicted_s, double measured_s) {
  return std::abs(std::log(measured_s / predicted_s));
}

Interval conformal_interval(const ConformalCalibration& calibration, double predicted_s) {
  const double factor = std::exp(calibration.log_half_width);
  return {predicted_s / factor, predicted_s * factor};
}

std::optional<ConformalCalibration> calibrate(const ValidationReport& validation,
                                              std::string_view predictor, double coverage) {
  std::vector<double> scores;
  for (const ErrorCase& c : validation.cases)
    if (c.predictor == predictor && c.split == "dev")
      scores.push_back(conformal_score(c.predicted_s, c.measured_s));
  return calibrate(scores, coverage);
}

}  // namespace rooftile
