// What a launch of split_k_cluster runs, for those who want to say so.
#pragma once

#include <cuda_runtime_api.h>

#include "gemm/arguments.cuh"
#include "gemm/small/choice.hpp"

namespace rooftile::gemm::small {

/// The choice of a launch with these arguments on the current device. K is at least 1.
Choice choice_of(const Arguments& arguments);

/// A launch by another choice, so that tests reach kernels that the rule seldom takes. It must be
/// possible(), and its path must take the arguments as they lie.
void launch_choice(const Arguments& arguments, const Choice& choice, cudaStream_t stream);

}  // namespace rooftile::gemm::small
