// Memory-bound: a warp walks along a row, 128 columns at a time, with four independent accesses a
// lane.
#include <algorithm>

#include "gemm/hand/operands.cuh"
#include "gpu/cuda/error.hpp"

namespace rooftile::gemm::hand {

namespace {

constexpr int lanes = 32, warps = 8, columns_a_warp = 128;

template <class Visit>
__device__ __forceinline__ void for_each_element(long long rows, long long columns, Visit visit) {
  const long long first = static_cast<long long>(blockIdx.x) * columns_a_warp + threadIdx.x;
  for (long long row = static_cast<long long>(blockIdx.y) * warps + threadIdx.y; row < rows;
       row += static_cast<long long>(gridDim.y) * warps)
#pragma unroll
    for (int i = 0; i < columns_a_warp; i += lanes)
      if (first + i < columns) visit(row, first + i);
}

__global__ void scale_kernel(float* c, long long ldc, float beta, long long rows,
                             long long columns) {
  for_each_element(rows, columns, [&](long long row, long long column) {
    float& element = c[row * ldc + column];
    element = beta == 0.0f ? 0.0f : beta * element;
  });
}

dim3 grid_of(long long rows, long long columns) {
  return dim3(static_cast<unsigned>((columns + columns_a_warp - 1) / columns_a_warp),
              static_cast<unsigned>(std::min<long long>((rows + warps - 1) / warps, 65535)));
}

}  // namespace

void scale(float* c, long long ldc, float beta, long long rows, long long columns,
           cudaStream_t stream) {
  if (beta == 1.0f) return;
  scale_kernel<<<grid_of(rows, columns), dim3(lanes, warps), 0, stream>>>(c, ldc, beta, rows,
                                                                          columns);
  check_launch("scale");
}

}  // namespace rooftile::gemm::hand
