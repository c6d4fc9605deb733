// The family on path Path::direct.
#include "gemm/small/kernels.cuh"

namespace rooftile::gemm::small {

const FamilyKernels& direct_kernels() {
  static const FamilyKernels kernels = family_kernels<false, 4, 4, 4>();
  return kernels;
}

}  // namespace rooftile::gemm::small
