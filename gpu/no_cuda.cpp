// Stands in for the CUDA runners where rooftile is built without CUDA.
#include "gpu/runner.hpp"
#include "model/error.hpp"

namespace rooftile {
namespace {

[[noreturn]] void refuse() {
  throw NoDeviceError(
      "this rooftile was built without CUDA: it cannot measure. Build it on a machine with the "
      "CUDA "
      "Toolkit 12.8 or newer (-DROOFTILE_CUDA=ON); predict, validate, report and compare work here "
      "on recorded data");
}

}  // namespace

std::unique_ptr<GemmRunner> make_cuda_gemm_runner(const std::string&) { refuse(); }
std::unique_ptr<MicroRunner> make_cuda_micro_runner(const std::string&) { refuse(); }

}  // namespace rooftile
