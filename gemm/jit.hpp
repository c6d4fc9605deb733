// Kernels of tiles that were not compiled ahead of time, compiled when they are first launched
// (NVRTC) and kept on disk (gpu/file_cache.hpp).
#pragma once

#include <string>

#include "gemm/compiled_kernel.cuh"
#include "gemm/kernel_source.hpp"
#include "gpu/cuda/nvrtc.hpp"

namespace rooftile::gemm {

/// The machine code of one path, e.g. for "sm_90a". Needs no GPU. Throws GpuError with the
/// compiler's log.
CompiledProgram compile_kernel(std::string_view variant, const Tile& tile, const KernelPath& path,
                               const std::string& architecture);

/// The kernel of this tile: the one that was compiled ahead of time, or one whose paths are
/// compiled for the current device when a launch first takes them. Lives as long as the process.
/// Throws InputError that says why the variant has no such tile, or no NVRTC for this GPU.
const CompiledKernel& kernel_for(const Variant& variant, const Tile& tile);

}  // namespace rooftile::gemm
