// GEMM for problems that are too small to fill the GPU with large tiles: small block tiles, and K
// split over the blocks of a cluster, or over as many blocks as there is room for. Grid: x = (tile,
// split).
#pragma once

#include "gemm/small/main_loop.cuh"
#include "gemm/small/reduction.cuh"
#include "gemm/small/split_arguments.cuh"

namespace rooftile::gemm::small {

template <int WIDTH>
__device__ __forceinline__ long long whole(long long extent) {
  return (extent + WIDTH - 1) / WIDTH * WIDTH;
}

/// Where this block's sums go: C, or its part of `partial`.
__device__ __forceinline__ Arguments destination(const SplitArguments& arg, int split) {
  Arguments to = arg.problem;
  if (arg.partial == nullptr) return to;
  to.c = arg.partial + split * to.M * arg.pitch;
  to.ldc = arg.pitch;
  to.alpha = 1.0f;
  to.beta = 0.0f;
  return to;
}

/// An operand that is read 16 bytes at a time has room for a multiple of four floats in each row.
template <class Plan>
__global__ void __launch_bounds__(Plan::THREADS, Plan::BLOCKS) split_k(const SplitArguments arg) {
  extern __shared__ __align__(16) float shared_floats[];
  const unsigned shared = shared_address(shared_floats);
  const Arguments& g = arg.problem;
  cluster_arrive_relaxed();

  const unsigned tile = blockIdx.x / arg.splits;
  const int split = static_cast<int>(blockIdx.x % arg.splits);
  const unsigned tiles_n = static_cast<unsigned>((g.N + Plan::BN - 1) / Plan::BN);
  const BlockOrigin origin{static_cast<long long>(tile / tiles_n) * Plan::BM,
                           static_cast<long long>(tile % tiles_n) * Plan::BN};
  const SliceRange range = slice_range<Plan::BK>(g.K, arg.splits, split);
  typename Plan::CopyA copy_a(g.a, g.lda, origin.m, whole<Plan::ROOM_A>(g.M), range.start);
  typename Plan::CopyB copy_b(g.b, g.ldb, origin.n, whole<Plan::ROOM_B>(g.N), range.start);
  const Place<Plan> place;

  float acc[Plan::TM][Plan::TN] = {};
  wait_for_previous_grid();
  multiply<Plan>(acc, shared, copy_a, copy_b, range, place);
  let_next_grid_start();
  const Sums<Plan> sums = sum_groups<Plan>(acc, shared);
  cluster_wait();

  const Cluster cluster;
  if (cluster.size == 1) {
    const Arguments to = destination(arg, split);
    if constexpr (Plan::WIDTH_C == 4) return store_sums<Plan>(sums, to, origin, place);
    __syncthreads();
    push_sums<Plan>(sums, shared, cluster, place);
    __syncthreads();
    return store_received<Plan>(shared, to, origin, Cluster::alone());
  }
  const unsigned received = shared + Plan::LOOP_BYTES;
  push_sums<Plan>(sums, received, cluster, place);
  cluster_arrive();
  cluster_wait();
  store_received<Plan>(received, g, origin, cluster);
}

}  // namespace rooftile::gemm::small
