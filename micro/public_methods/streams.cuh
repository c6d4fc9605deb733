// Group F: write, copy and triad over DRAM.
#pragma once

#include "micro/public_methods/l2.cuh"

// ---------- F: streams over DRAM ----------
template <bool SPOIL>
__global__ void init8(double* A, const double* B, u64 n, bool no) {
  __shared__ double sp[SPOIL ? 768 : 1];
  u64 t = threadIdx.x + (u64)blockIdx.x * blockDim.x;
  if (t >= n) return;
  if (no) sp[threadIdx.x] = B[threadIdx.x];
  A[t] = 0.23;
  if (no) A[t] = sp[t % 7];
}
__global__ void write8_random(double* A, u64 n, unsigned seed) {
  u64 t = threadIdx.x + (u64)blockIdx.x * blockDim.x;
  if (t < n) {
    unsigned v = hash32(seed + (unsigned)t);
    ((uint2*)A)[t] = make_uint2(v, v * 3u);
  }
}
__global__ void write16(uint4* A, u64 n, unsigned seed, bool random) {
  u64 t = threadIdx.x + (u64)blockIdx.x * blockDim.x;
  if (t < n) {
    unsigned v = random ? hash32(seed + (unsigned)t) : 0x3fcd70a3u;
    A[t] = make_uint4(v, v * 3u, v * 5u, v * 7u);
  }
}
template <int W>
__global__ void write_stride(unsigned char* A, u64 bytes, unsigned seed) {
  u64 step = (u64)gridDim.x * blockDim.x * W;
  for (u64 o = (threadIdx.x + (u64)blockIdx.x * blockDim.x) * W; o < bytes; o += step) {
    unsigned v = seed * 77u + (unsigned)o;
    if (W == 8)
      *(uint2*)(A + o) = make_uint2(v, v * 3u);
    else
      *(uint4*)(A + o) = make_uint4(v, v * 3u, v * 5u, v * 7u);
  }
}
template <int W>
__global__ void __launch_bounds__(512, 4)
    write_ours(unsigned char* to, unsigned chunks, unsigned seed,
               bool random) {  // 32 KiB a block, W bytes an access
  constexpr int K = 64 / W;
  u64 a = (u64)to + (blockIdx.x % chunks) * 32768ull + W * threadIdx.x;
  unsigned v = random ? hash32(seed + blockIdx.x * 512 + threadIdx.x) : 0x3fcd70a3u;
#pragma unroll
  for (int i = 0; i < K; ++i) {
    if (W == 16)
      *(uint4*)(a + 512 * W * i) = make_uint4(v, v * 3u, v * 5u, v * 7u);
    else
      *(uint2*)(a + 512 * W * i) = make_uint2(v, v * 3u);
  }
}
template <bool SPOIL>
__global__ void scale8(double* __restrict__ A, const double* __restrict__ B, u64 n, bool no) {
  __shared__ double sp[SPOIL ? 768 : 1];
  u64 t = threadIdx.x + (u64)blockIdx.x * blockDim.x;
  if (t >= n) return;
  if (no) sp[threadIdx.x] = B[threadIdx.x];
  A[t] = B[t] * 1.2;
  if (no) A[t] = sp[t % 7];
}
__global__ void triad8(double* __restrict__ A, const double* __restrict__ B,
                       const double* __restrict__ C, u64 n) {
  u64 t = threadIdx.x + (u64)blockIdx.x * blockDim.x;
  if (t < n) A[t] = B[t] * 1.2 + C[t];
}
__global__ void copy16(uint4* A, const uint4* B, u64 n) {
  u64 t = threadIdx.x + (u64)blockIdx.x * blockDim.x;
  if (t < n) A[t] = B[t];
}
__global__ void copy_stride16(uint4* A, const uint4* B, u64 n) {
  for (u64 t = threadIdx.x + (u64)blockIdx.x * blockDim.x; t < n; t += (u64)gridDim.x * blockDim.x)
    A[t] = B[t];
}
template <int K>
__global__ void __launch_bounds__(512, 4)
    copy_ours(const unsigned char* from, unsigned char* to, unsigned chunks) {
  constexpr u64 C = 8192ull * K;
  u64 s = (u64)from + (blockIdx.x % chunks) * C + 16 * threadIdx.x,
      d = (u64)to + (blockIdx.x % chunks) * C + 16 * threadIdx.x;
  uint4 w[K];
#pragma unroll
  for (int i = 0; i < K; ++i) w[i] = __ldcg((const uint4*)(s + 8192 * i));
#pragma unroll
  for (int i = 0; i < K; ++i) *(uint4*)(d + 8192 * i) = w[i];
}
static void group_f(unsigned char* a, unsigned char* b, unsigned char* c, size_t most) {
  clock_now("F");
  CK(cudaFuncSetAttribute(init8<true>, cudaFuncAttributePreferredSharedMemoryCarveout, 9));
  CK(cudaFuncSetAttribute(scale8<true>, cudaFuncAttributePreferredSharedMemoryCarveout, 9));
  for (size_t bytes : {size_t{1} << 30, most}) {
    u64 n8 = bytes / 8, n16 = bytes / 16;
    unsigned chunks = bytes / 32768;
    double B = (double)bytes;
    unsigned seed = 1;
    auto show = [&](const char* what, double moved, const std::function<void()>& f) {
      double t = timed(f, 5);
      printf("F %4zu MiB %-88s %.3f TB/s\n", bytes >> 20, what, moved / t * 1e-12);
      fflush(stdout);
    };
    for (int T : {256, 512, 1024}) {
      char w[90];
      snprintf(w, 90,
               "write public: 8 B constant, one a thread, %d threads, 2 blocks/SM by shared memory",
               T);
      show(w, B, [&] { init8<true><<<n8 / T, T>>>((double*)a, (double*)b, n8, false); });
      snprintf(w, 90, "write: 8 B constant, one a thread, %d threads, full occupancy", T);
      show(w, B, [&] { init8<false><<<n8 / T, T>>>((double*)a, (double*)b, n8, false); });
    }
    show("write: 8 B random, one a thread, 1024 threads", B,
         [&] { write8_random<<<n8 / 1024, 1024>>>((double*)a, n8, ++seed); });
    show("write: 16 B constant, one a thread, 1024 threads", B,
         [&] { write16<<<n16 / 1024, 1024>>>((uint4*)a, n16, 1, false); });
    show("write: 16 B random, one a thread, 1024 threads", B,
         [&] { write16<<<n16 / 1024, 1024>>>((uint4*)a, n16, ++seed, true); });
    show("write: 8 B, grid-stride loop, 2 x 1024 threads/SM", B,
         [&] { write_stride<8><<<2 * SM, 1024>>>(a, bytes, ++seed); });
    show("write: 16 B, grid-stride loop, 2 x 1024 threads/SM", B,
         [&] { write_stride<16><<<2 * SM, 1024>>>(a, bytes, ++seed); });
    show("write ours with 8 B accesses, random", B,
         [&] { write_ours<8><<<chunks, 512>>>(a, chunks, ++seed, true); });
    show("write ours with 8 B accesses, constant", B,
         [&] { write_ours<8><<<chunks, 512>>>(a, chunks, 1, false); });
    show("write ours: 4 x 16 B a thread, 512 threads, constant", B,
         [&] { write_ours<16><<<chunks, 512>>>(a, chunks, 1, false); });
    show("write ours: 4 x 16 B a thread, 512 threads, random", B,
         [&] { write_ours<16><<<chunks, 512>>>(a, chunks, ++seed, true); });
    show("write ours, four rounds in a launch", 4 * B,
         [&] { write_ours<16><<<4 * chunks, 512>>>(a, chunks, ++seed, true); });
    show("write: cudaMemsetAsync 0", B, [&] { CK(cudaMemsetAsync(a, 0, bytes)); });
    show("write: cudaMemsetAsync 0x5a", B, [&] { CK(cudaMemsetAsync(a, 0x5a, bytes)); });
    fill<<<8 * SM, 512>>>((unsigned*)a, bytes / 4);
    show("copy: cudaMemcpyAsync device to device", 2 * B,
         [&] { CK(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice)); });
    show("copy public: scale, 8 B one a thread, 1024 threads, 2 blocks/SM by shared memory", 2 * B,
         [&] { scale8<true><<<n8 / 1024, 1024>>>((double*)b, (double*)a, n8, false); });
    show("copy: scale, 8 B one a thread, 1024 threads", 2 * B,
         [&] { scale8<false><<<n8 / 1024, 1024>>>((double*)b, (double*)a, n8, false); });
    show("copy: scale, 8 B one a thread, 256 threads", 2 * B,
         [&] { scale8<false><<<n8 / 256, 256>>>((double*)b, (double*)a, n8, false); });
    show("copy: 16 B one a thread, 1024 threads", 2 * B,
         [&] { copy16<<<n16 / 1024, 1024>>>((uint4*)b, (uint4*)a, n16); });
    show("copy: 16 B one a thread, 256 threads", 2 * B,
         [&] { copy16<<<n16 / 256, 256>>>((uint4*)b, (uint4*)a, n16); });
    show("copy: 16 B, grid-stride loop, 2 x 1024 threads/SM", 2 * B,
         [&] { copy_stride16<<<2 * SM, 1024>>>((uint4*)b, (uint4*)a, n16); });
    show("copy ours, 1 x 16 B a thread", 2 * B,
         [&] { copy_ours<1><<<chunks * 4, 512>>>(a, b, chunks * 4); });
    show("copy ours, 2 x 16 B a thread", 2 * B,
         [&] { copy_ours<2><<<chunks * 2, 512>>>(a, b, chunks * 2); });
    show("copy ours: 4 x 16 B a thread", 2 * B,
         [&] { copy_ours<4><<<chunks, 512>>>(a, b, chunks); });
    show("copy ours, 8 x 16 B a thread", 2 * B,
         [&] { copy_ours<8><<<chunks / 2, 512>>>(a, b, chunks / 2); });
    show("copy ours, four rounds in a launch", 8 * B,
         [&] { copy_ours<4><<<4 * chunks, 512>>>(a, b, chunks); });
    show("triad public: 8 B one a thread, 1024 threads", 3 * B,
         [&] { triad8<<<n8 / 1024, 1024>>>((double*)c, (double*)a, (double*)b, n8); });
  }
}
