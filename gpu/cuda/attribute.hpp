// Attributes of the current device.
#pragma once

#include <cuda_runtime_api.h>

#include "gpu/cuda/error.hpp"

namespace rooftile {

inline int current_attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

}  // namespace rooftile
