// One exception type for CUDA runtime, cuBLAS and CUPTI failures.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rooftile {

class GpuError : public std::runtime_error {
 public:
  GpuError(std::string_view expression, int code, std::string_view name, std::string_view text,
           std::source_location where);
  int code() const { return code_; }
  const std::string& name() const { return name_; }

 private:
  int code_;
  std::string name_;
};

/// Throws GpuError unless `status` is success: check(cudaMalloc(&p, n), "cudaMalloc").
void check(cudaError_t status, std::string_view expression,
           std::source_location where = std::source_location::current());
void check(cublasStatus_t status, std::string_view expression,
           std::source_location where = std::source_location::current());

/// The error of the last kernel launch, if any.
void check_launch(std::string_view kernel,
                  std::source_location where = std::source_location::current());

}  // namespace rooftile
