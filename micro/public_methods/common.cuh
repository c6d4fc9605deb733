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
__device__ __forceinline__ long long clk() {
  long long c;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(c)::"memory");
  return c;
}
__device__ __forceinline__ u64 ns() {
  u64 c;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(c)::"memory");
  return c;
}
__device__ __forceinline__ unsigned smid() {
  unsigned r;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(r));
  return r;
}
__host__ __device__ __forceinline__ unsigned hash32(unsigned x) {
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  return x ^ (x >> 16);
}
struct Perm {
  unsigned size, half, seed;
  static Perm of(unsigned n, unsigned s) {
    Perm p{n, 1, s};
    while ((1ull << (2 * p.half)) < n) ++p.half;
    return p;
  }
  __host__ __device__ unsigned operator()(unsigned k) const {
    unsigned m = (1u << half) - 1;
    do {
      unsigned l = k >> half, r = k & m;
      for (unsigned i = 0; i < 4; ++i) {
        unsigned x = l ^ (hash32(r + seed * 4 + i) & m);
        l = r;
        r = x;
      }
      k = (l << half) | r;
    } while (k >= size);
    return k;
  }
};
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
  long long a = clk();
  u64 b = ns();
  while (ns() - b < 2000000) {
  }
  *out = double(clk() - a) / double(ns() - b);
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
