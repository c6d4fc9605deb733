// What clock64 says of a full FADD load, by length. 256 FADD a trip of 16 warps on every SM need
// 1024 cycles at least; events tell the same time by another clock. A program of its own:
//
//   nvcc -std=c++20 -O3 -arch=sm_90a -I. -o fadd_clock micro/public_methods/fadd_clock.cu
//
// On two H200 some SMs reported half the cycles at 32 trips: data/h200/checks/fadd-clock.txt.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <vector>

#include "micro/timing.cuh"

using rooftile::micro::cycle_counter;
__global__ void __launch_bounds__(512) k(long long* cyc, float* sink, float a, float c, int trips) {
  float x[8];
  for (int i = 0; i < 8; ++i) x[i] = threadIdx.x * 0.001f + i;
  float b = a + threadIdx.x * 1e-3f, d = c - threadIdx.x * 1e-3f;
  __syncthreads();
  long long s = cycle_counter();
#pragma unroll 1
  for (int t = 0; t < trips; ++t) {
#pragma unroll
    for (int i = 0; i < 256; ++i) {
      float o = (i / 8 % 2) ? d : b;
      asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x[i % 8]) : "f"(o));
    }
  }
  __syncthreads();
  long long e = cycle_counter();
  float z = 0;
  for (int i = 0; i < 8; ++i) z += x[i];
  if (z == 1.2345e30f) *sink = z;
  if (threadIdx.x == 0) cyc[blockIdx.x] = e - s;
}
int main() {
  long long* cyc;
  float* sink;
  cudaMalloc(&cyc, 132 * 8);
  cudaMalloc(&sink, 4);
  cudaEvent_t e0, e1;
  cudaEventCreate(&e0);
  cudaEventCreate(&e1);
  std::vector<long long> h(132);
  for (int rep = 0; rep < 3; ++rep)
    for (int trips : {1, 2, 4, 8, 16, 32, 72, 144, 1000, 10000, 100000}) {
      k<<<132, 512>>>(cyc, sink, 1e-3f, -1e-3f, trips);
      cudaDeviceSynchronize();
      cudaEventRecord(e0);
      k<<<132, 512>>>(cyc, sink, 1e-3f, -1e-3f, trips);
      cudaEventRecord(e1);
      cudaEventSynchronize(e1);
      float ms;
      cudaEventElapsedTime(&ms, e0, e1);
      cudaMemcpy(h.data(), cyc, 132 * 8, cudaMemcpyDeviceToHost);
      std::sort(h.begin(), h.end());
      printf(
          "trips %6d: min %lld median %lld max %lld cycles; expect %d at 4/cycle; events %.3f us = "
          "%.0f cycles at 1.98\n",
          trips, h[0], h[66], h[131], trips * 1024, ms * 1e3, ms * 1e-3 * 1.98e9);
    }
}
