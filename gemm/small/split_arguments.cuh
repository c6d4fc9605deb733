// Arguments of the kernels of gemm/small: those of the problem and how K is split.
#pragma once

#include "gemm/arguments.cuh"

namespace rooftile::gemm::small {

/// Splits of a tile are a cluster, which adds them up; or, with `partial`, independent blocks that
/// each leave an M x `pitch` matrix there, [split][row][column], for add_partial() to add up.
struct SplitArguments {
  Arguments problem;
  int splits;
  float* partial;
  long long pitch;  ///< of `partial`: N, up to a multiple of 4
};

}  // namespace rooftile::gemm::small
