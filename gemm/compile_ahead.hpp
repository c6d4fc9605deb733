// Compiling kernels for a GPU that need not be here: into the cache before a sweep runs, so that
// the machine that measures spends its time on measuring, or for their machine code, which the sass
// predictor reads.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "gemm/sweep.hpp"
#include "model/record/kernel_files.hpp"

namespace rooftile {

/// Compiles what the plan's launches would, for a device of this compute capability ("9.0"), and
/// returns how many kernels that is, those that the cache (gpu/file_cache.hpp) held already
/// included. Throws InputError for a compute capability that NVRTC does not know, where there is
/// no folder for the cache, and for a plan without anything to compile; PermissionError or
/// InputError when the cache does not hold a kernel afterwards; NoDeviceError in a build without
/// CUDA; GpuError with the compiler's log.
std::size_t compile_ahead(const SweepPlan& plan, const std::string& compute_capability, bool quiet);

/// Compiles each for a device of this compute capability and disassembles it. The cache keeps what
/// it can. Throws InputError for a compute capability that NVRTC does not know and where there is
/// no disassembler; NoDeviceError and GpuError as above.
std::vector<ListedKernel> compile_listed(const std::set<KernelName>& kernels,
                                         const std::string& compute_capability, bool quiet);

}  // namespace rooftile
