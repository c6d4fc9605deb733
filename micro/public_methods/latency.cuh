// Group C: latency over the footprint, L1 and DRAM.
#pragma once

#include "micro/public_methods/l1.cuh"

// ---------- C: latency: public = 64 B granules, 64 threads, default carve-out, 1M loads, whole
// kernel by the host ----------
__global__ void build(unsigned char* base, Perm p, unsigned g) {
  for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < p.size;
       k += gridDim.x * blockDim.x) {
    unsigned a = k + 1 == p.size ? 0 : k + 1;
    *(u64*)(base + (u64)p(k) * g) = (u64)(base + (u64)p(a) * g);
  }
}
template <bool CG>
__device__ __forceinline__ u64 ld(u64 a) {
  u64 v;
  if (CG)
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(v) : "l"(a) : "memory");
  else
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(v) : "l"(a) : "memory");
  return v;
}
__global__ void flush(const unsigned* w, u64 n, unsigned* out) {
  unsigned s = 0;
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x)
    s ^= w[i];
  if (s == 0x9e3779b9u) *out = 1;
}
// one block on SM `want` (or any SM if want < 0) follows the chain from place `start`; 8 segments
// timed
template <bool CG>
__global__ void chase(unsigned char* base, Perm p, unsigned g, unsigned start, unsigned touched,
                      int want, unsigned steps, long long* seg, u64* nsec, unsigned* out,
                      int followers) {
  if (want >= 0 && (int)sm_id() != want) return;
  if (want < 0 && blockIdx.x) return;
  __shared__ int first;
  u64 seen = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (unsigned k = threadIdx.x; k < touched; k += blockDim.x)
      seen ^= ld<CG>((u64)base + (u64)p(k) * g);
    __syncthreads();
  }
  if (seen == 1) *out = 1;
  first = 0;
  if ((int)threadIdx.x >= followers) return;
  u64 a = (u64)base + (u64)p(start) * g;
  u64 t0 = nanosecond_counter();
  for (int s = 0; s < 8; ++s) {
    long long c0 = cycle_counter();
#pragma unroll 1
    for (unsigned i = 0; i < steps / 8; i += 32) {
#pragma unroll
      for (int u = 0; u < 32; ++u) a = ld<CG>(a);
    }
    long long c1 = cycle_counter();
    if (!threadIdx.x) seg[s] = c1 - c0;
  }
  if (!a) *out = 2;
  if (!threadIdx.x) *nsec = nanosecond_counter() - t0 + first;
}
__global__ void chase_index(const unsigned* idx, unsigned start, int want, unsigned steps,
                            long long* seg, unsigned* out) {
  if (want >= 0 && (int)sm_id() != want) return;
  unsigned i = start;
  long long c0 = cycle_counter();
#pragma unroll 1
  for (unsigned n = 0; n < steps; n += 32) {
#pragma unroll
    for (int u = 0; u < 32; ++u) i = __ldcg(idx + i);
  }
  if (i == 0xffffffffu) *out = 1;
  seg[0] = cycle_counter() - c0;
}
__global__ void build_index(unsigned* idx, Perm p, unsigned words) {
  for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < p.size;
       k += gridDim.x * blockDim.x) {
    unsigned a = k + 1 == p.size ? 0 : k + 1;
    idx[(u64)p(k) * words] = p(a) * words;
  }
}
static long long* seg;
static u64* nsec;
static unsigned chase_seed = 1;
struct Chased {
  double cycles, ns_per, segments[8];
};
static Chased run_chase(bool cg, unsigned char* base, size_t bytes, unsigned g, int threads,
                        unsigned steps, unsigned touched, int want = -1, unsigned start = 0,
                        const Perm* q = nullptr, int followers = 1024) {
  Perm p = q ? *q : Perm::of((unsigned)(bytes / g), ++chase_seed);
  if (!q) {
    build<<<8 * SM, 256>>>(base, p, g);
  }
  auto k = cg ? chase<true> : chase<false>;
  const int blocks = want < 0 ? 1 : SM;
  k<<<blocks, threads>>>(base, p, g, start, touched, want, steps, seg, nsec, sink, followers);
  CK(cudaDeviceSynchronize());
  long long s[8];
  u64 t;
  CK(cudaMemcpy(s, seg, 64, cudaMemcpyDeviceToHost));
  CK(cudaMemcpy(&t, nsec, 8, cudaMemcpyDeviceToHost));
  Chased r{};
  for (int i = 0; i < 8; ++i) {
    r.segments[i] = s[i] / (steps / 8.0);
    r.cycles += s[i];
  }
  r.cycles /= steps;
  r.ns_per = double(t) / steps;
  return r;
}
static void group_c(unsigned char* big, size_t big_bytes, unsigned char* flushbuf) {
  clock_now("C");
  for (auto carve : {cudaSharedmemCarveoutDefault, cudaSharedmemCarveoutMaxL1}) {
    CK(cudaFuncSetAttribute(chase<false>, cudaFuncAttributePreferredSharedMemoryCarveout, carve));
    for (unsigned g : {64u, 128u})
      for (int T : {1, 64}) {
        printf(
            "C l1 latency carve %2d, granule %3u B, %2d threads, 262144 loads, own cudaMalloc, "
            "KiB:cycles",
            (int)carve, g, T);
        for (int kib : {8, 16, 32, 64, 96, 128, 160, 176, 190, 200, 210, 220, 230}) {
          unsigned char* d;
          CK(cudaMalloc(&d, kib * 1024));
          auto r = run_chase(false, d, kib * 1024, g, T, 262144, 0);
          printf(" %d:%.1f", kib, r.cycles);
          CK(cudaFree(d));
        }
        printf("\n");
      }
    printf(
        "C l1 latency carve %2d, granule 128 B, 1024 threads touch, 1024 chase, 8192 loads, "
        "KiB:cycles",
        (int)carve);
    for (int kib : {16, 64, 128, 190, 210, 220}) {
      auto r = run_chase(false, big, kib * 1024, 128, 1024, 8192, kib * 8);
      printf(" %d:%.1f", kib, r.cycles);
    }
    printf("\n");
    printf(
        "C l1 latency carve %2d, granule 128 B, 1024 threads touch, 1 chases, 8192 loads, "
        "KiB:cycles",
        (int)carve);
    for (int kib : {16, 64, 128, 190, 210, 220}) {
      auto r = run_chase(false, big, kib * 1024, 128, 1024, 8192, kib * 8, -1, 0, nullptr, 1);
      printf(" %d:%.1f", kib, r.cycles);
    }
    printf("\n");
    printf(
        "C l1 latency carve %2d, granule 128 B, 1 thread, 262144 loads, inside a large buffer, "
        "KiB:cycles",
        (int)carve);
    for (int kib : {16, 64, 128, 190, 210, 220}) {
      auto r = run_chase(false, big, kib * 1024, 128, 1, 262144, 0);
      printf(" %d:%.1f", kib, r.cycles);
    }
    printf("\n");
  }
  auto flushed = [&](Perm p, unsigned g, unsigned steps, int T, bool fl) {
    if (fl) flush<<<8 * SM, 512>>>((unsigned*)flushbuf, 2 * L2 / 4, sink);
    return run_chase(true, big, 0, g, T, steps, 0, -1, hash32(++chase_seed) % p.size, &p);
  };
  for (size_t bytes : {size_t{150} << 20, size_t{1} << 30}) {
    if (bytes > big_bytes) continue;
    for (unsigned g : {128u, 64u}) {
      Perm p = Perm::of((unsigned)(bytes / g), ++chase_seed);
      build<<<8 * SM, 256>>>(big, p, g);
      CK(cudaDeviceSynchronize());
      for (int rep = 0; rep < 3; ++rep) {
        auto a = flushed(p, g, 2048, 1, true), b = flushed(p, g, 8192, 1, true);
        printf("C dram latency %4zu MiB granule %3u flush, 8192-2048 loads: %.1f cycles\n",
               bytes >> 20, g, (b.cycles * 8192 - a.cycles * 2048) / 6144);
      }
      for (int T : {1, 64}) {
        auto r = flushed(p, g, 1 << 20, T, true);
        printf(
            "C dram latency %4zu MiB granule %3u, flush, %2d threads, 1M loads: %.1f cycles, %.2f "
            "ns (%.4f GHz), segments %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f\n",
            bytes >> 20, g, T, r.cycles, r.ns_per, r.cycles / r.ns_per, r.segments[0],
            r.segments[1], r.segments[2], r.segments[3], r.segments[4], r.segments[5],
            r.segments[6], r.segments[7]);
        r = flushed(p, g, 1 << 20, T, false);
        printf(
            "C dram latency %4zu MiB granule %3u, no flush, %2d threads, 1M loads: %.1f cycles, "
            "%.2f ns\n",
            bytes >> 20, g, T, r.cycles, r.ns_per);
      }
    }
  }
  {
    unsigned char* own;
    size_t bytes = size_t{1} << 30;
    CK(cudaMalloc(&own, bytes));
    Perm p = Perm::of(1u << 24, ++chase_seed);
    build<<<8 * SM, 256>>>(own, p, 64);
    auto r = run_chase(false, own, 0, 64, 64, 1 << 22, 0, -1, 0, &p);
    printf(
        "C dram latency 1024 MiB public-like (own cudaMalloc, ld.ca, 64 B, 64 threads), 4M loads: "
        "%.1f cycles, %.2f ns, segments %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f\n",
        r.cycles, r.ns_per, r.segments[0], r.segments[1], r.segments[2], r.segments[3],
        r.segments[4], r.segments[5], r.segments[6], r.segments[7]);
    CK(cudaFree(own));
  }
}
