// What all groups use: event timing, the SM clock, a random permutation.
#pragma once

#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "micro/random_cycle.cuh"

#define CK(x)                                                                  \
  do {                                                                         \
    cudaError_t e_ = (x);                                                      \
    if (e_ != cudaSuccess) {                                                   \
      printf("FAILED %s: %s line %d\n", #x, cudaGetErrorString(e_), __LINE__); \
      fflush(stdout);                                                          \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)
using u64 = unsigned long long;
using Perm = rooftile::micro::Permutation;
using rooftile::micro::cycle_counter;
using rooftile::micro::hash32;
using rooftile::micro::nanosecond_counter;
using rooftile::micro::sm_id;
static int SM;
static double GHZ = 1.98;
static unsigned* sink;
static cudaEvent_t ev0, ev1;
static size_t L2;
static double timed(const std::function<void()>& f,
                    int reps = 3) {  // seconds, median after a warm-up
  f();
  std::vector<double> t;
  for (int i = 0; i < reps; ++i) {
    CK(cudaEventRecord(ev0));
    f();
    CK(cudaEventRecord(ev1));
    CK(cudaEventSynchronize(ev1));
    float ms;
    CK(cudaEventElapsedTime(&ms, ev0, ev1));
    t.push_back(ms * 1e-3);
  }
  CK(cudaGetLastError());
  std::sort(t.begin(), t.end());
  return t[t.size() / 2];
}
__global__ void clock_kernel(double* out) {
  long long a = cycle_counter();
  u64 b = nanosecond_counter();
  while (nanosecond_counter() - b < 2000000) {
  }
  *out = double(cycle_counter() - a) / double(nanosecond_counter() - b);
}
static void clock_now(const char* w) {
  double* d;
  CK(cudaMalloc(&d, 8));
  clock_kernel<<<1, 1>>>(d);
  double h;
  CK(cudaMemcpy(&h, d, 8, cudaMemcpyDeviceToHost));
  CK(cudaFree(d));
  printf("clock %-12s %.4f GHz\n", w, h);
  GHZ = h;
}
__global__ void fill(unsigned* p, u64 n) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x)
    p[i] = hash32((unsigned)i ^ (unsigned)(i >> 32));
}
