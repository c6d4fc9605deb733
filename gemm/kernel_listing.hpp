// The kernels of this project in a disassembly: which variant, tile and path each was compiled for,
// told by its mangled name. Plain C++; the text comes from gpu/disassembler.hpp.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "model/record/kernel_files.hpp"

namespace rooftile::gemm {

/// Variant, tile and path of rooftile::gemm::<variant>::kernel<BM, BN, BK, TM, TN, WM, WN, stages,
/// guarded, TRANS> (Itanium ABI); nullopt for any other symbol.
std::optional<KernelRecord> record_of_symbol(std::string_view symbol);

/// 90 of "sm_90a", as the runtime counts; 0 for other text.
int binary_version(std::string_view architecture);

/// The kernels of ours, in the order of the text, with resources and ids. Throws InputError for one
/// of which the text gives no resources or no instructions.
std::vector<ListedKernel> listed_kernels(std::string_view disassembly);

}  // namespace rooftile::gemm
