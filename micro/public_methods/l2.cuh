// Groups D and E: L2 latency by SM and partition, L2 bandwidth over the footprint.
#pragma once

#include "micro/public_methods/latency.cuh"

// ---------- D: L2 latency by SM, by address arithmetic, as a histogram of single loads ----------
constexpr int BINS = 256;  // of 4 cycles
template <bool CG>
__global__ void histogram(unsigned char* base, Perm p, unsigned g, unsigned touched, int toucher,
                          int want, unsigned steps, unsigned* hist, int phase, unsigned* out) {
  int me = (int)sm_id();
  u64 seen = 0;
  if (phase == 0) {
    if (me != toucher) return;
    for (int pass = 0; pass < 2; ++pass)
      for (unsigned k = threadIdx.x; k < touched; k += blockDim.x)
        seen ^= ld<CG>((u64)base + (u64)p(k) * g);
    if (seen == 1) *out = 1;
    return;
  }
  if (me != want || threadIdx.x) return;
  __shared__ volatile u64 keep;
  u64 a = (u64)base + (u64)p(0) * g;
  for (unsigned i = 0; i < steps; ++i) {
    long long c0 = cycle_counter();
    u64 b = ld<CG>(a);
    keep = b;
    long long c1 = cycle_counter();
    a = b;
    int bin = (int)((c1 - c0) / 4);
    atomicAdd(&hist[bin < BINS ? bin : BINS - 1], 1u);
  }
}
static unsigned* hist;
static void show_hist(const char* what) {
  unsigned h[BINS];
  CK(cudaMemcpy(h, hist, sizeof h, cudaMemcpyDeviceToHost));
  u64 n = 0;
  double m = 0;
  for (int i = 0; i < BINS; ++i) {
    n += h[i];
    m += (4 * i + 2.0) * h[i];
  }
  printf("D %s mean %.0f; cycles:share%%", what, m / n);
  for (int i = 0; i < BINS; i += 4) {
    u64 s = h[i] + h[i + 1] + h[i + 2] + h[i + 3];
    if (s * 200 > n) printf(" %d:%.1f", 4 * i, 100.0 * s / n);
  }
  printf("\n");
}
static void do_hist(const char* what, unsigned char* base, size_t bytes, int toucher, int want,
                    unsigned steps, unsigned char* flushbuf, bool also_self) {
  Perm p = Perm::of((unsigned)(bytes / 128), ++chase_seed);
  build<<<8 * SM, 256>>>(base, p, 128);
  CK(cudaMemset(hist, 0, BINS * 4));
  flush<<<8 * SM, 512>>>((unsigned*)flushbuf, 2 * L2 / 4, sink);
  histogram<true><<<SM, 1024>>>(base, p, 128, p.size, toucher, want, steps, hist, 0, sink);
  if (also_self)
    histogram<true><<<SM, 1024>>>(base, p, 128, p.size, want, want, steps, hist, 0, sink);
  histogram<true><<<SM, 1024>>>(base, p, 128, p.size, toucher, want, steps, hist, 1, sink);
  CK(cudaDeviceSynchronize());
  show_hist(what);
}
static void group_d(unsigned char* big, unsigned char* flushbuf) {
  clock_now("D");
  for (size_t kib : {256, 1024, 4096, 7680, 16384, 24576}) {
    std::vector<double> v;
    size_t bytes = kib << 10;
    Perm p = Perm::of((unsigned)(bytes / 128), ++chase_seed);
    build<<<8 * SM, 256>>>(big, p, 128);
    CK(cudaDeviceSynchronize());
    for (int s = 0; s<SM; s += kib> 8000 ? 8 : 1) {
      auto r = run_chase(true, big, 0, 128, 1024, 4096, p.size, s, 0, &p, 1);
      v.push_back(r.cycles);
    }
    if (kib == 1024) {
      printf("D l2 latency 1 MiB ld.cg by %%smid:");
      for (double x : v) printf(" %.0f", x);
      printf("\n");
    }
    std::sort(v.begin(), v.end());
    printf(
        "D l2 latency %5zu KiB ld.cg over SMs (1024 threads touch, 1 follows): min %.1f median "
        "%.1f max %.1f\n",
        kib, v[0], v[v.size() / 2], v.back());
  }
  for (size_t kib : {1024, 7680})
    for (bool cg : {true, false})
      for (int T : {1, 32, 64}) {
        size_t bytes = kib << 10;
        auto r = run_chase(cg, big, bytes, 128, T, 1 << 18, 0);
        printf("D l2 latency %zu KiB %s %d threads, 262144 loads: %.1f cycles\n", kib,
               cg ? "ld.cg" : "ld.ca", T, r.cycles);
      }
  for (size_t kib : {1024, 7680}) {
    size_t bytes = kib << 10;
    Perm p = Perm::of((unsigned)(bytes / 128), ++chase_seed);
    build_index<<<8 * SM, 256>>>((unsigned*)big, p, 32);
    for (int i = 0; i < 2; ++i) {
      chase_index<<<1, 1>>>((unsigned*)big, 0, -1, 1 << 18, seg, sink);
    }
    long long c;
    CK(cudaMemcpy(&c, seg, 8, cudaMemcpyDeviceToHost));
    printf("D l2 latency %zu KiB C++ index chase (__ldcg(idx + i)): %.1f cycles\n", kib,
           c / double(1 << 18));
  }
  do_hist("near: SM 0 touched 8 MiB itself, SM 0 reads", big, 8 << 20, 0, 0, 4096, flushbuf, false);
  for (int s : {1, 2, 4, 6, 8, 16, 34, 66, 67, 100, 131}) {
    if (s >= SM) continue;
    char w[100];
    snprintf(w, 100, "SM %d touched 8 MiB after a flush, SM 0 reads it first", s);
    do_hist(w, big, 8 << 20, s, 0, 4096, flushbuf, false);
  }
  for (int mib : {20, 24, 28, 32, 36, 40, 48, 56}) {
    char w[100];
    snprintf(w, 100, "SM 0 touched %d MiB twice, SM 0 reads", mib);
    do_hist(w, big, (size_t)mib << 20, 0, 0, 4096, flushbuf, false);
  }
}

// ---------- E: L2 bandwidth over the footprint ----------
template <int N, bool CG, bool WIDE>
__global__ void __launch_bounds__(1024)
    l2_public(const double* __restrict__ B, int run,
              double* A) {  // each block: N pieces of 8 (16) KiB, `run` pieces apart
  double s = 0;
  int T = 1024;
  for (int i = 0; i < N; ++i) {
    long long idx = (long long)T * run * i + (blockIdx.x % run) * T + threadIdx.x;
    if (WIDE) {
      double2 v = CG ? __ldcg((const double2*)B + idx) : ((const double2*)B)[idx];
      s += v.x + v.y;
    } else
      s += CG ? __ldcg(B + idx) : B[idx];
  }
  s *= 1.3;
  if (threadIdx.x > 1233 || s == 23.12) A[threadIdx.x] += s;
}
template <bool CG>
__global__ void __launch_bounds__(512, 4)
    stream_read(const unsigned char* from, unsigned chunks, unsigned shared_by, int per_block,
                unsigned* out) {
  unsigned x = 0;
  for (int c = 0; c < per_block; ++c) {
    u64 a = (u64)from + (((blockIdx.x / shared_by) * (u64)per_block + c) % chunks) * 32768ull +
            16 * threadIdx.x;
    uint4 w[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (CG)
        asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(w[i].x), "=r"(w[i].y), "=r"(w[i].z), "=r"(w[i].w)
                     : "l"(a + 8192 * i));
      else
        asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(w[i].x), "=r"(w[i].y), "=r"(w[i].z), "=r"(w[i].w)
                     : "l"(a + 8192 * i));
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) x ^= w[i].x ^ w[i].y ^ w[i].z ^ w[i].w;
  }
  if (x == 0x9e3779b9u) *out = x;
}
// reference without simultaneous readers in the public order: same pieces, but blocks take slots so
// that all 2 x SM blocks in flight read different ones
static void group_e(unsigned char* big) {
  clock_now("E");
  std::vector<int> mib{6,  11, 16, 20, 24, 28, 32, 36, 40, 42, 44,  46,  48,
                       50, 52, 54, 56, 58, 60, 62, 66, 72, 80, 100, 140, 200};
  double* A = (double*)(big + (size_t{900} << 20));
  auto row = [&](const char* name, const std::function<double(int)>& f) {
    printf("E %-78s", name);
    for (int m : mib) printf(" %d:%.2f", m, f(m) * 1e-12);
    printf(" (MiB:TB/s)\n");
    fflush(stdout);
  };
  const int G = 24000;
  double pub = 1024.0 * 8 * 64 * G;
  auto B = (double*)big;
  row("public: 8 B, 64 pieces of 8 KiB a block, through L1", [&](int m) {
    return pub / timed([&] { l2_public<64, false, false><<<G, 1024>>>(B, m * 2, A); });
  });
  row("public, ld.cg", [&](int m) {
    return pub / timed([&] { l2_public<64, true, false><<<G, 1024>>>(B, m * 2, A); });
  });
  row("public, 32 pieces (256 KiB a block; twice as many slots)", [&](int m) {
    return pub / timed([&] { l2_public<32, false, false><<<2 * G, 1024>>>(B, m * 4, A); });
  });
  row("public, 8 pieces, ld.cg (64 KiB a block; 16 slots a MiB)", [&](int m) {
    return pub / timed([&] { l2_public<8, true, false><<<8 * G, 1024>>>(B, m * 16, A); });
  });
  row("public, 4 pieces, ld.cg (32 KiB a block; 32 slots a MiB)", [&](int m) {
    return pub / timed([&] { l2_public<4, true, false><<<16 * G, 1024>>>(B, m * 32, A); });
  });
  row("public, 4 pieces of 16 KiB by 16 B loads, ld.cg (64 KiB a block)", [&](int m) {
    return pub / timed([&] { l2_public<4, true, true><<<8 * G, 1024>>>(B, m * 16, A); });
  });
  unsigned blocks = 4096 * SM;
  double ours = blocks * 32768.0;
  row("ours: 4 x 16 B a thread, 32 KiB a block, ld.cg, dispatch order", [&](int m) {
    return ours / timed([&] { stream_read<true><<<blocks, 512>>>(big, m * 32, 1, 1, sink); });
  });
  row("ours through L1", [&](int m) {
    return ours / timed([&] { stream_read<false><<<blocks, 512>>>(big, m * 32, 1, 1, sink); });
  });
  row("ours, 16 chunks (512 KiB) a block", [&](int m) {
    return ours / timed([&] { stream_read<true><<<blocks / 16, 512>>>(big, m * 32, 1, 16, sink); });
  });
  row("ours, each chunk read by 2 neighbouring blocks", [&](int m) {
    return ours / timed([&] { stream_read<true><<<blocks, 512>>>(big, m * 32, 2, 1, sink); });
  });
  row("ours, each chunk read by 3 neighbouring blocks", [&](int m) {
    return ours / timed([&] { stream_read<true><<<blocks, 512>>>(big, m * 32, 3, 1, sink); });
  });
  row("ours, each chunk read by 5 neighbouring blocks", [&](int m) {
    return ours / timed([&] { stream_read<true><<<blocks, 512>>>(big, m * 32, 5, 1, sink); });
  });
  printf("E simultaneous readers of one slot in the public order, 2 blocks an SM: MiB:readers");
  for (int m : {11, 20, 40, 50, 62, 100, 140})
    printf(" %d:%.1f", m, std::max(1.0, 2.0 * SM / (2 * m)));
  printf("\n");
}
