// The text of a variant's kernel for any tile, for a compiler at run time. The files of
// gemm/arguments.cuh, gemm/device and gemm/variants are compiled in as they are
// (cmake/rooftile_embed.cmake); nothing is read from disk.
#pragma once

#include <span>
#include <string_view>

#include "gpu/program_source.hpp"
#include "model/kernel/tile.hpp"
#include "model/record/kernel_files.hpp"

namespace rooftile::gemm {

/// All embedded files, named by their path from the root of the sources, in order of their names.
std::span<const SourceFile> embedded_files();

/// As the kernels' parameter TRANS says it. Bit 0: A, bit 1: B.
inline int transposed_operands(const KernelPath& path) {
  return (path.trans_a ? 1 : 0) + (path.trans_b ? 2 : 0);
}

/// The source holds only files that the variant includes, so that the text changes with them alone.
/// What a launch decides of a tile (split_k, raster_group) is no part of it. The tile is taken as
/// legal. Throws std::logic_error for a variant that is no template (gemm/hand, gemm/small).
ProgramSource kernel_source(std::string_view variant, const Tile& tile, const KernelPath& path);

}  // namespace rooftile::gemm
