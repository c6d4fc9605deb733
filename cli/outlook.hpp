// What the predictors say where nothing was measured, for the page.
#pragma once

#include "cli/prediction.hpp"
#include "report/outlook.hpp"

namespace rooftile::cli {

/// Parts stay empty where the predictor that they need is not among these.
Outlook outlook_of(const Predictors& predictors);

}  // namespace rooftile::cli
