// The ids of the kernels that this binary was built with, so that a run names its kernel on a
// machine without a disassembler. Made at build time by rooftile_kernels from the compiled objects.
#pragma once

#include <string>
#include <string_view>

#include "model/record/kernel_files.hpp"

namespace rooftile::gemm {

/// `binary_version` is the runtime's: 10 * major + minor of the code that it loads. "" when the
/// build had no disassembler or the code is compiled at run time (KernelPaths::kernel_id).
std::string compiled_kernel_id(std::string_view variant, const Tile& tile, const KernelPath& path,
                               int binary_version);

}  // namespace rooftile::gemm
