// The family on path Path::words.
#include "gemm/small/kernels.cuh"

namespace rooftile::gemm::small {

const FamilyKernels& word_kernels() {
  static const FamilyKernels kernels = family_kernels<false, 1, 1, 1>();
  return kernels;
}

}  // namespace rooftile::gemm::small
