// The text of a GPU failure: what was called, the code, its name, where, and what to do next.
#include "gpu/cuda/error.hpp"

#include <fmt/format.h>

#include <array>

namespace rooftile {

namespace {

struct Advice {
  cudaError_t code;
  const char* text;
};

/// What helps with the failures that people meet. The meanings are those of the CUDA Runtime API
/// reference, section "Data types used by CUDA Runtime", enum cudaError.
constexpr std::array<Advice, 9> advices{{
    {cudaErrorMemoryAllocation, "free device memory (nvidia-smi lists its users) or ask for less"},
    {cudaErrorNoKernelImageForDevice,
     "this build has no code for this GPU: configure with -DCMAKE_CUDA_ARCHITECTURES=<its "
     "compute capability>"},
    {cudaErrorIllegalAddress, "a kernel bug: run the command under compute-sanitizer"},
    {cudaErrorMisalignedAddress, "a kernel bug: run the command under compute-sanitizer"},
    {cudaErrorLaunchFailure, "a kernel bug: run the command under compute-sanitizer"},
    {cudaErrorLaunchTimeout, "the display watchdog ended the kernel: use a GPU without a display"},
    {cudaErrorLaunchOutOfResources,
     "the tile needs more registers or threads than a block may "
     "have: choose a smaller tile"},
    {cudaErrorECCUncorrectable, "the memory of this GPU failed: see nvidia-smi -q -d ECC"},
    {cudaErrorDevicesUnavailable,
     "another process holds the GPU in exclusive mode: see "
     "nvidia-smi -q -d COMPUTE"},
}};

std::string_view advice_for(cudaError_t code) {
  for (const Advice& advice : advices) {
    if (advice.code == code) return advice.text;
  }
  return "";
}

/// The path without what lies above the source tree's folder, so that messages are the same on
/// every machine.
std::string_view file_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

GpuError::GpuError(std::string_view expression, int code, std::string_view name,
                   std::string_view text, std::source_location where)
    : std::runtime_error(fmt::format("{} failed: {} ({}){}{} [{}:{}]", expression, name, code,
                                     text.empty() ? "" : ": ", text, file_name(where.file_name()),
                                     where.line())),
      code_(code),
      name_(name) {}

void check(cudaError_t status, std::string_view expression, std::source_location where) {
  if (status == cudaSuccess) return;
  std::string text = cudaGetErrorString(status);
  if (const auto advice = advice_for(status); !advice.empty()) text += fmt::format("; {}", advice);
  // A failure that is not sticky must not be found again by a later check_launch.
  static_cast<void>(cudaGetLastError());
  throw GpuError(expression, status, cudaGetErrorName(status), text, where);
}

void check(cublasStatus_t status, std::string_view expression, std::source_location where) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw GpuError(expression, status, cublasGetStatusName(status), cublasGetStatusString(status),
                 where);
}

void check_launch(std::string_view kernel, std::source_location where) {
  check(cudaGetLastError(), fmt::format("launch of {}", kernel), where);
}

}  // namespace rooftile
