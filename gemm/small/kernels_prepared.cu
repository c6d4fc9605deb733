// The family on path Path::prepared.
#include "gemm/small/kernels.cuh"

namespace rooftile::gemm::small {

const FamilyKernels& prepared_kernels() {
  static const FamilyKernels kernels = family_kernels<true, 4, 4, 1>();
  return kernels;
}

}  // namespace rooftile::gemm::small
