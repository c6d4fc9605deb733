// Random words for a buffer: zeros would flatter clock, power and, where it is compressed, traffic.
#pragma once

#include "micro/context.hpp"
#include "micro/timing.cuh"

namespace rooftile::micro {
// Each file that includes this has its own kernel, hence its own function that launches it.
namespace {

__global__ void random_fill_kernel(unsigned* words, unsigned long long count) {
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i =
           static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += stride)
    words[i] = hash32(static_cast<unsigned>(i) ^ static_cast<unsigned>(i >> 32));
}

inline void fill_random(Context& context, DeviceBuffer<unsigned char>& buffer) {
  random_fill_kernel<<<8 * context.sm_count(), 512, 0, context.stream()>>>(
      reinterpret_cast<unsigned*>(buffer.data()), buffer.size() / 4);
  check_launch("random_fill_kernel");
  check(cudaStreamSynchronize(context.stream()), "random fill");
}

}  // namespace
}  // namespace rooftile::micro
