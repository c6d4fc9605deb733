// The FP32 GEMM for Hopper but for its main loop: C = alpha A B + beta C, row-major. hand_loop.py
// writes the loop into REGION as machine code and says why. Compiled by build.py alone; the program
// carries the finished cubin.
//
// One block an SM. A producer thread streams 256x32 tiles of A (128-byte swizzle) and 32x128 tiles
// of B by TMA through four stages; eight consumer warps hold 64x64 each, 8x16 a thread, and take
// the registers that the producer's warps give up. TMA fills with zeros what lies outside the
// matrices, so M, N and K may be ragged.
//
// Work is Stream-K (Osama et al., "Stream-K: Work-centric Parallel Decomposition for Dense
// Matrix-Matrix Multiplication on the GPU", PPoPP 2023): whole tiles, but for the first one or two
// waves, whose k-tiles are dealt out evenly over the blocks. A block walks its share of those
// backwards: it gives away its unfinished tile first and waits, at the end of the share, for the
// blocks before it only. Blocks start in the order of their index and a grid never has more of them
// than there are SMs, so whom a block waits for is running or done. Sums travel through `partial`,
// in L2; the order of additions is fixed, so results are the same in each run.
#include <cuda.h>

#include "gemm/hand/shell_arguments.hpp"
#include "region.inc"

using rooftile::gemm::hand::block_k;
using rooftile::gemm::hand::block_m;
using rooftile::gemm::hand::block_n;
using rooftile::gemm::hand::ShellArguments;

constexpr int stages = 4, consumers = 256;
constexpr int a_bytes = block_m * block_k * 4, b_bytes = block_n * block_k * 4;
constexpr int stage_bytes = a_bytes + b_bytes;

__device__ __forceinline__ unsigned smem_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void barrier_init(unsigned barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0],%1;" ::"r"(barrier), "r"(count));
}
__device__ __forceinline__ void barrier_expect(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _,[%0],%1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void barrier_wait(unsigned barrier, int phase) {
  asm volatile(
      "{\n.reg .pred p;\n"
      "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p,[%0],%1;\n"
      "@p bra DONE;\nbra AGAIN;\nDONE:\n}" ::"r"(barrier),
      "r"(phase)
      : "memory");
}
__device__ __forceinline__ void tma_load(unsigned to, const CUtensorMap* map, int x, int y,
                                         unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0],[%1,{%2,%3}],[%4];" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(barrier)
      : "memory");
}
__device__ __forceinline__ void consumers_sync() { asm volatile("bar.sync 1, 256;" ::: "memory"); }

// What a warp does, one unit after the other: k-tiles [begin, end) of a tile. In shared memory, to
// leave the registers to the main loop.
struct Work {
  int low, high;  // what is left of this block's share of the split tiles, in k-tiles
  int next;       // its next whole tile
  int tile, begin, end;
};

__device__ __forceinline__ int share(const ShellArguments& g, int block) {
  return block * g.split_share + min(block, g.split_rest);
}

__device__ __forceinline__ void advance(volatile Work& w, const ShellArguments& g) {
  const int low = w.low, high = w.high;
  if (high > low) {
    const int tile = (high - 1) / g.k_tiles, first = tile * g.k_tiles, begin = max(low - first, 0);
    w.tile = tile;
    w.begin = begin;
    w.end = high - first;
    w.high = first + begin;
  } else {
    const int tile = w.next;
    w.tile = tile;
    w.begin = 0;
    w.end = tile < g.tiles_m * g.tiles_n ? g.k_tiles : 0;
    w.next = tile + gridDim.x;
  }
}

__device__ __forceinline__ void place_of(const ShellArguments& g, int t, int& tm, int& tn) {
  const int per = g.group * g.tiles_n, first = t / per * g.group;
  const int rows = min(g.tiles_m - first, g.group);
  tm = first + t % per % rows;
  tn = t % per / rows;
}

// Leaves the sums of an unfinished tile to the block that finishes it.
__device__ __forceinline__ void give_away(const ShellArguments& g, const float (&acc)[128]) {
  float4* to = reinterpret_cast<float4*>(g.partial) +
               static_cast<size_t>(blockIdx.x) * (block_m * block_n / 4) + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 32; i++)
    __stcg(to + i * consumers,
           make_float4(acc[4 * i], acc[4 * i + 1], acc[4 * i + 2], acc[4 * i + 3]));
  __threadfence();
  consumers_sync();
  if (threadIdx.x == 0)
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(g.flag + blockIdx.x), "r"(1)
                 : "memory");
}

// Adds what the blocks before this one have of a tile of which this block has k-tiles from `begin`.
__device__ __forceinline__ void collect(const ShellArguments& g, int tile, int begin,
                                        float (&acc)[128]) {
  for (int from = blockIdx.x - 1, first = tile * g.k_tiles; begin > 0 && from >= 0; from--) {
    if (threadIdx.x == 0) {
      unsigned ready;
      do
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(ready)
                     : "l"(g.flag + from)
                     : "memory");
      while (!ready);
      g.flag[from] = 0;
    }
    consumers_sync();
    const float4* part = reinterpret_cast<const float4*>(g.partial) +
                         static_cast<size_t>(from) * (block_m * block_n / 4) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < 32; i++) {
      const float4 v = __ldcg(part + i * consumers);
      acc[4 * i] += v.x, acc[4 * i + 1] += v.y, acc[4 * i + 2] += v.z, acc[4 * i + 3] += v.w;
      if (i % 4 == 3) consumers_sync();  // no more than four loads in flight: registers
    }
    if (share(g, from) <= first) break;
  }
}

// Four lanes hold four neighbouring columns of four groups each; transposed among them, each holds
// one group.
__device__ __forceinline__ void transpose(float (&s)[4], int lane) {
#pragma unroll
  for (int bit = 1; bit <= 2; bit *= 2)
#pragma unroll
    for (int x = 0; x < 4; x++)
      if (!(x & bit)) {
        const bool upper = lane & bit;
        const float got = __shfl_xor_sync(~0u, upper ? s[x] : s[x + bit], bit);
        s[x] = upper ? got : s[x];
        s[x + bit] = upper ? s[x + bit] : got;
      }
}

__device__ __forceinline__ void store_vector(const ShellArguments& g, float* to,
                                             const float (&s)[4]) {
  float4 v = make_float4(g.alpha * s[0], g.alpha * s[1], g.alpha * s[2], g.alpha * s[3]);
  if (g.beta != 0.0f) {
    const float4 o = *reinterpret_cast<const float4*>(to);
    v.x += g.beta * o.x, v.y += g.beta * o.y, v.z += g.beta * o.z, v.w += g.beta * o.w;
  }
  __stcs(reinterpret_cast<float4*>(to), v);
}

__device__ __forceinline__ void store(const ShellArguments& g, int tm, int tn, int row0, int warp,
                                      int lane, const float (&acc)[128]) {
  const int row = tm * block_m + row0, col = tn * block_n + warp % 2 * 64 + lane % 4 * 4;
  float* p = g.c + static_cast<size_t>(row) * g.ldc + col;
  const bool whole = g.vector_c && (tm + 1) * block_m <= g.m && (tn + 1) * block_n <= g.n;
#pragma unroll
  for (int i = 0; i < 8; i++, p += 8 * static_cast<size_t>(g.ldc))
#pragma unroll
    for (int j = 0; j < 16; j += 4) {
      float s[4] = {acc[16 * i + j], acc[16 * i + j + 1], acc[16 * i + j + 2], acc[16 * i + j + 3]};
      transpose(s, lane);
      float* q = p + j * 4;
      if (whole) {
        store_vector(g, q, s);
      } else if (row + 8 * i < g.m) {  // the ragged edge, or C not aligned to 16 bytes
#pragma unroll
        for (int x = 0; x < 4; x++)
          if (col + 4 * j + x < g.n)
            q[x] = g.beta == 0.0f ? g.alpha * s[x] : g.alpha * s[x] + g.beta * q[x];
      }
    }
}

extern "C" __global__ void __launch_bounds__(consumers + 128, 1)
    sgemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
          const ShellArguments g) {
  extern __shared__ unsigned char raw[];
  const unsigned base = (smem_address(raw) + 1023) & ~1023u;
  __shared__ unsigned long long bars[2 * stages];  // full, then empty
  __shared__ Work works[9];
  const unsigned bar = smem_address(bars);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; s++) {
      barrier_init(bar + 8 * s, 1);
      barrier_init(bar + 8 * (stages + s), 8);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if (threadIdx.x < 9)
    works[threadIdx.x] = {share(g, blockIdx.x),
                          share(g, blockIdx.x + 1),
                          g.split_tiles + static_cast<int>(blockIdx.x),
                          0,
                          0,
                          0};
  __syncthreads();
  if (warp >= 8) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (warp != 8 || lane != 0) return;
    int stage = 0, phase = 0;
    volatile Work& work = works[8];
    while (true) {
      advance(work, g);
      const int end = work.end;
      if (end == 0) return;
      int tm, tn;
      place_of(g, work.tile, tm, tn);
#pragma unroll 1
      for (int kt = work.begin; kt < end; kt++) {
        barrier_wait(bar + 8 * (stages + stage), phase ^ 1);
        const unsigned full = bar + 8 * stage, to = base + stage * stage_bytes;
        barrier_expect(full, stage_bytes);
        tma_load(to, &map_a, kt * block_k, tm * block_m, full);
        tma_load(to + a_bytes, &map_b, tn * block_n, kt * block_k, full);
        if (++stage == stages) {
          stage = 0;
          phase ^= 1;
        }
      }
    }
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  // Row i of a thread is row0 + 8 i; column j is lane % 4 + 4 j of its warp's 64.
  const int row0 = warp / 2 * 64 + lane / 4;
  volatile Work& work = works[warp];
  int taken = 0;  // stages, since the kernel began
  while (true) {
    __syncwarp();
    if (lane == 0) advance(work, g);
    __syncwarp();
    const int count = work.end - work.begin;
    if (count == 0) return;
    float acc[128];  // 8 rows of 16 columns
#pragma unroll
    for (int i = 0; i < 128; i++) acc[i] = 0.0f;
    // Shuffled with itself, so that the compiler keeps the values and does not compute them again
    // inside REGION.
    const unsigned a0 = __shfl_sync(~0u, base + row0 * 128 + (row0 & 7) * 16, lane);
    const unsigned b0 = __shfl_sync(~0u, base + a_bytes + warp % 2 * 256 + lane / 8 * 16, lane);
    const unsigned barriers = __shfl_sync(~0u, bar, lane);
    REGION(acc, a0, b0, barriers, taken, taken + count);
    const int tile = work.tile, begin = work.begin, end = work.end;
    taken += end - begin;
    if (end < g.k_tiles) {
      give_away(g, acc);
      continue;
    }
    collect(g, tile, begin, acc);
    int tm, tn;
    place_of(g, tile, tm, tn);
    store(g, tm, tn, row0, warp, lane, acc);
  }
}
