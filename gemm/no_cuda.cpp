// Stands in for what needs the CUDA Toolkit where rooftile is built without CUDA.
#include "gemm/compile_ahead.hpp"
#include "gemm/cuda_runner.hpp"
#include "model/error.hpp"

namespace rooftile {

std::unique_ptr<GemmRunner> make_cuda_gemm_runner(const std::string& device,
                                                  const CudaGemmOptions&) {
  return make_cuda_gemm_runner(device);  // which says why not
}

namespace {

[[noreturn]] void throw_no_compiler() {
  throw NoDeviceError(
      "this rooftile was built without CUDA: it cannot compile kernels. Build it with the CUDA "
      "Toolkit 12.8 or newer (-DROOFTILE_CUDA=ON)");
}

}  // namespace

std::size_t compile_ahead(const SweepPlan&, const std::string&, bool) { throw_no_compiler(); }

std::vector<ListedKernel> compile_listed(const std::set<KernelName>&, const std::string&, bool) {
  throw_no_compiler();
}

}  // namespace rooftile
