// The GemmRunner on a CUDA device, with the options that gpu/runner.hpp's factory does not have.
#pragma once

#include <memory>
#include <string>

#include "gpu/runner.hpp"

namespace rooftile {

struct CudaGemmOptions {
  bool counters = false;     ///< hardware counters of one launch a cell; several passes, so slower
  unsigned seed = 20261129;  ///< of the inputs
};

/// Throws NoDeviceError, and does so always in a build without CUDA.
std::unique_ptr<GemmRunner> make_cuda_gemm_runner(const std::string& device,
                                                  const CudaGemmOptions& options);

}  // namespace rooftile
