// What the rule of choice.hpp needs to know of the current device.
#pragma once

#include "gemm/small/choice.hpp"

namespace rooftile::gemm::small {

/// Of the current device; asked once, and the kernels are then ready to be launched there.
const Machine& machine();
}  // namespace rooftile::gemm::small
