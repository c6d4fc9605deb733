// What a launch of split_k_cluster runs, for those who want to say so.
#pragma once

#include "gemm/arguments.cuh"
#include "gemm/small/choice.hpp"

namespace rooftile::gemm::small {

/// The choice of a launch with these arguments on the current device. K is at least 1.
Choice choice_of(const Arguments& arguments);

}  // namespace rooftile::gemm::small
