// The two small kernels of the device layer: the clock probe and the delay.
#pragma once

#include <cuda_runtime_api.h>

namespace rooftile {

/// Writes to `result` the SM cycles and the nanoseconds of globaltimer that passed in between two
/// ticks of globaltimer at least `span_ns` apart: SM clock = result[0] / result[1] GHz.
void launch_clock_probe(unsigned long long* result, unsigned span_ns, cudaStream_t stream);

/// Keeps `stream` busy for `span_ns` with one thread.
void launch_delay(unsigned span_ns, cudaStream_t stream);

/// Success when this build has code for the current device, else the error of looking it up.
cudaError_t has_kernel_image();

/// The architectures that the build was asked for, e.g. "90a-real".
const char* built_architectures();

}  // namespace rooftile
