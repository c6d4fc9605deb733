// --compile: the sass predictor reads machine code, which is at hand for the kernels of a folder
// (--kernels) and can be made for all others where rooftile was built with CUDA.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/inputs.hpp"

namespace rooftile::cli {

/// Adds the code of those of `kernels` that `profile` lists no code of, compiled for the profile's
/// GPU. Throws as compile_listed() (gemm/compile_ahead.hpp).
void compile_lacking(ProfileInput& profile, const std::set<KernelName>& kernels, bool quiet);

/// Throws InputError where none of these predictors reads code, so that --compile does nothing.
void check_compile_serves(const std::vector<std::string>& predictors);

}  // namespace rooftile::cli
