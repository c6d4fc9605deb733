// Stands in for the CUDA runner where rooftile is built without CUDA.
#include "gemm/cuda_runner.hpp"

namespace rooftile {

std::unique_ptr<GemmRunner> make_cuda_gemm_runner(const std::string& device,
                                                  const CudaGemmOptions&) {
  return make_cuda_gemm_runner(device);  // which says why not
}

}  // namespace rooftile
