// Many tiles of every variant, measured: whether predictions find the fast ones.
#pragma once

#include <string>

#include "model/record/validation.hpp"

namespace rooftile {

/// Both validations are of the same runs.
struct Landscape {
  ValidationReport searched;  ///< of what a search knows: registers are estimated from the tile
  ValidationReport compiled;  ///< with the resources of the compiled kernels
  bool recorded = false;      ///< of the drawn tiles that come with rooftile
};

}  // namespace rooftile
