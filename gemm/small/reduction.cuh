// After the loop: the sums of a block's groups, then of a cluster's blocks, always in the same
// order, and the stores to C.
//
// Every block of a cluster pushes its partial sums to the block that owns the rows (the tile's rows
// are shared out evenly over the cluster), waits for the cluster once, and adds up what it
// received: no workspace, no atomics, and no block has to outlive its own stores. Splits that are
// no cluster need a workspace and add_partial().
#pragma once

#include "gemm/arguments.cuh"
#include "gemm/small/cluster.cuh"
#include "gemm/small/plan.cuh"

namespace rooftile::gemm::small {

/// Partial sums go through shared memory with the neighbours of each pair swapped. A quad that is
/// stored at once lies in a quad of registers, and B's fragment does too: unswapped, the
/// accumulator and the element of B of each FFMA would lie in the same register bank.
__device__ __forceinline__ void swap_pairs(float (&to)[4], const float* from) {
  to[0] = from[1], to[1] = from[0], to[2] = from[3], to[3] = from[2];
}

/// What is left to a thread of its tile when its block's groups are summed: rows
/// group * ROWS ... + ROWS - 1.
template <class Plan>
struct Sums {
  static constexpr int ROWS = Plan::TM / Plan::GROUPS;
  float value[ROWS][Plan::TN];
};

/// Over the groups, through GROUP_BYTES at `shared`.
template <class Plan>
__device__ __forceinline__ Sums<Plan> sum_groups(const float (&acc)[Plan::TM][Plan::TN],
                                                 unsigned shared) {
  constexpr int ROWS = Sums<Plan>::ROWS, QUADS = Plan::TN / 4;
  Sums<Plan> sums;
  if constexpr (Plan::GROUPS == 1) {
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
#pragma unroll
      for (int j = 0; j < Plan::TN; ++j) sums.value[i][j] = acc[i][j];
    return sums;
  }
  const int group = threadIdx.x / Plan::GROUP_THREADS, thread = threadIdx.x % Plan::GROUP_THREADS;
  const auto place = [&](int g, int i, int q) {
    return shared + (((g * Plan::TM + i) * QUADS + q) * Plan::GROUP_THREADS + thread) * 16;
  };
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Plan::TM; ++i)
#pragma unroll
    for (int q = 0; q < QUADS; ++q) {
      float swapped[4];
      swap_pairs(swapped, &acc[i][q * 4]);
      store_shared<4>(place(group, i, q), swapped);
    }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ROWS; ++i)
#pragma unroll
    for (int q = 0; q < QUADS; ++q) {
      float sum[4];
      load_shared<4>(sum, place(0, group * ROWS + i, q));
#pragma unroll
      for (int g = 1; g < Plan::GROUPS; ++g) {
        float more[4];
        load_shared<4>(more, place(g, group * ROWS + i, q));
#pragma unroll
        for (int w = 0; w < 4; ++w) sum[w] += more[w];
      }
      swap_pairs(*reinterpret_cast<float(*)[4]>(&sums.value[i][q * 4]), sum);
    }
  return sums;
}

/// C = alpha * sum + beta * C for WIDTH neighbours; beta == 0 does not read C.
template <int WIDTH>
__device__ __forceinline__ void update(float* c, const float (&sum)[WIDTH], float alpha,
                                       float beta) {
  float result[WIDTH];
#pragma unroll
  for (int w = 0; w < WIDTH; ++w) result[w] = alpha * sum[w];
  if (beta != 0.0f) {
#pragma unroll
    for (int w = 0; w < WIDTH; ++w) result[w] = fmaf(beta, c[w], result[w]);
  }
  if constexpr (WIDTH == 4)
    *reinterpret_cast<float4*>(c) = make_float4(result[0], result[1], result[2], result[3]);
  else
    c[0] = result[0];
}

/// Straight from registers, 16 bytes at a time: N is a multiple of 4.
template <class Plan>
__device__ __forceinline__ void store_sums(const Sums<Plan>& sums, const Arguments& arg,
                                           const BlockOrigin& origin, const Place<Plan>& place) {
  const int group = threadIdx.x / Plan::GROUP_THREADS;
#pragma unroll
  for (int i = 0; i < Sums<Plan>::ROWS; ++i) {
    const long long row = origin.m + place.m + place.row(group * Sums<Plan>::ROWS + i);
    if (row >= arg.M) continue;
#pragma unroll
    for (int j = 0; j < Plan::TN; j += 4) {
      const long long column = origin.n + place.n + place.column(j);
      if (column >= arg.N) continue;
      const float(&sum)[4] = reinterpret_cast<const float(&)[4]>(sums.value[i][j]);
      update<4>(arg.c + row * arg.ldc + column, sum, arg.alpha, arg.beta);
    }
  }
}

/// Of the tile, that each block of the cluster owns; the last may own fewer, or none.
template <class Plan>
__device__ __forceinline__ int rows_of(const Cluster& cluster) {
  return (Plan::BM + cluster.size - 1) / cluster.size;
}

/// This block's sums to the owners of the rows, each at `received` there: [split][row][column].
template <class Plan>
__device__ __forceinline__ void push_sums(const Sums<Plan>& sums, unsigned received,
                                          const Cluster& cluster, const Place<Plan>& place) {
  const int group = threadIdx.x / Plan::GROUP_THREADS, rows = rows_of<Plan>(cluster);
#pragma unroll
  for (int i = 0; i < Sums<Plan>::ROWS; ++i) {
    const int row = place.m + place.row(group * Sums<Plan>::ROWS + i);
    const int slot = cluster.rank * rows + row % rows;
    const unsigned there = cluster_address(received + (slot * Plan::BN + place.n) * 4, row / rows);
#pragma unroll
    for (int j = 0; j < Plan::TN; j += 4) {
      float swapped[4];
      swap_pairs(swapped, &sums.value[i][j]);
      store_cluster(there + place.column(j) * 4, swapped);
    }
  }
}

/// WIDTH floats at `address`, added up over the splits, `bytes` apart.
template <int WIDTH>
__device__ __forceinline__ void sum_received(float (&sum)[WIDTH], unsigned address, int splits,
                                             unsigned bytes) {
  load_shared<WIDTH>(sum, address);
  for (int split = 1; split < splits; ++split) {
    float more[WIDTH];
    load_shared<WIDTH>(more, address += bytes);
#pragma unroll
    for (int w = 0; w < WIDTH; ++w) sum[w] += more[w];
  }
}

/// The rows that this block owns: adds up what arrived and stores it, neighbouring lanes to
/// neighbouring elements, so that rows that are not aligned are written in whole sectors too.
template <class Plan>
__device__ __forceinline__ void store_received(unsigned received, const Arguments& arg,
                                               const BlockOrigin& origin, const Cluster& cluster) {
  constexpr int W = Plan::WIDTH_C, LANES = Plan::BN / W, STEP = Plan::THREADS / LANES;
  const int rows = rows_of<Plan>(cluster), first = cluster.rank * rows;
  const int column = threadIdx.x % LANES * W, row = threadIdx.x / LANES;
  const long long left = arg.M - origin.m;  // rows of C from the tile on
  const int end = left < Plan::BM ? static_cast<int>(left) : Plan::BM;
  const int owned = end - first < rows ? end - first : rows;
  if (origin.n + column >= arg.N) return;
  float* to = arg.c + (origin.m + first + row) * arg.ldc + origin.n + column;
  // Four at a time come as swapped pairs, one at a time from its pair's other place.
  const int from = W == 4 ? column : column ^ 1;
  unsigned address = received + (row * Plan::BN + from) * 4;
#pragma unroll 4
  for (int r = row; r < owned; r += STEP) {
    float sum[W];
    sum_received<W>(sum, address, cluster.size, rows * Plan::BN * 4);
    if constexpr (W == 4) {
      const float pairs[4] = {sum[1], sum[0], sum[3], sum[2]};
      update<4>(to, pairs, arg.alpha, arg.beta);
    } else {
      update<1>(to, sum, arg.alpha, arg.beta);
    }
    to += STEP * arg.ldc;
    address += STEP * Plan::BN * 4;
  }
}

}  // namespace rooftile::gemm::small
