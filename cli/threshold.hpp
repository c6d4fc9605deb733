// Accuracy gates: --fail-above analytic.dev.mape=0.2, --fail-below analytic.dev.kendall_tau_b=0.7.
#pragma once

#include <string>
#include <vector>

#include "model/record/validation.hpp"

namespace rooftile::cli {

struct Threshold {
  std::string figure;  ///< "<predictor>.<split>.<figure of ErrorSummary>"
  double limit = 0;
  bool above = true;  ///< fails above the limit, or below it
};

/// "figure=limit". Throws InputError that names `option` and the text.
Threshold parse_threshold(const std::string& text, const std::string& option, bool above);

/// One sentence for each threshold that is crossed, naming figure, value and limit. `bias` is
/// compared by magnitude. Throws InputError for a figure that the report does not have, naming the
/// nearest: a gate that checks nothing must not pass.
std::vector<std::string> crossed(const ValidationReport& report,
                                 const std::vector<Threshold>& thresholds);

}  // namespace rooftile::cli
