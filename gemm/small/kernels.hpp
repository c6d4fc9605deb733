// The compiled kernels of the family, a table a path, in the order of `candidates`.
#pragma once

#include <array>

#include "gemm/small/candidates.hpp"

namespace rooftile::gemm::small {

struct FamilyKernel {
  const void* function = nullptr;  ///< takes a SplitArguments; nullptr: not compiled
  int threads = 0;
  int (*shared_bytes)(int splits) = nullptr;  ///< dynamic; of a cluster of so many
};

using FamilyKernels = std::array<FamilyKernel, candidates.size()>;

const FamilyKernels& direct_kernels();
const FamilyKernels& prepared_kernels();
const FamilyKernels& word_kernels();

inline const FamilyKernels& kernels_of(Path path) {
  if (path == Path::direct) return direct_kernels();
  return path == Path::prepared ? prepared_kernels() : word_kernels();
}

}  // namespace rooftile::gemm::small
