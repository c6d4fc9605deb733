// KPart: the slices of K that a block sums over. The ragged slice of K comes first, so every other
// slice, and every part but the first, is whole.
#pragma once

#include "gemm/arguments.cuh"

namespace rooftile::gemm {

struct KPart {
  long long begin;  ///< first k
  int slices;       ///< steps of BK
  int first;        ///< k's in the first of them, 1 to BK
};

template <int BK>
__device__ __forceinline__ KPart whole_k(const Arguments& arg) {
  const int slices = static_cast<int>((arg.K + BK - 1) / BK);
  return {0, slices, static_cast<int>(arg.K - (slices - 1LL) * BK)};
}

/// Part blockIdx.z of arg.z_parts, no two of which differ by more than a slice; all of K where z
/// walks something else.
template <int BK>
__device__ __forceinline__ KPart part_of_k(const Arguments& arg) {
  const KPart all = whole_k<BK>(arg);
  const long long z = arg.z_parts > 1 ? blockIdx.z : 0;
  const int from = static_cast<int>(all.slices * z / arg.z_parts);
  const int to = static_cast<int>(all.slices * (z + 1) / arg.z_parts);
  if (from == 0) return {0, to, all.first};
  return {all.first + (from - 1LL) * BK, to - from, BK};
}

}  // namespace rooftile::gemm
