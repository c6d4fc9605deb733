// Compiling the kernels of a sweep into the cache before it runs, on a machine that need not have a
// GPU: the one that measures then spends its time on measuring.
#pragma once

#include <string>

#include "gemm/sweep.hpp"

namespace rooftile {

/// Compiles what the plan's launches would, for a device of this compute capability ("9.0"), and
/// returns how many kernels that is, those that the cache (gpu/file_cache.hpp) held already
/// included. Throws InputError for a compute capability that NVRTC does not know, where there is
/// no folder for the cache, and for a plan without anything to compile; PermissionError or
/// InputError when the cache does not hold a kernel afterwards; NoDeviceError in a build without
/// CUDA; GpuError with the compiler's log.
std::size_t compile_ahead(const SweepPlan& plan, const std::string& compute_capability, bool quiet);

}  // namespace rooftile
