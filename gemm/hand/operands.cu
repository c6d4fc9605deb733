// Copying, transposing and scaling matrices; memory-bound. A warp walks along a row, 128 columns at
// a time, with four independent accesses a lane; transposing goes through shared memory, 32 x 32
// elements at a time, so that reads and writes both run along rows.
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

__global__ void pack_kernel(const float* __restrict__ in, long long ld_in, float* __restrict__ out,
                            long long ld_out, long long rows, long long columns) {
  for_each_element(rows, columns, [&](long long row, long long column) {
    out[row * ld_out + column] = __ldcs(in + row * ld_in + column);
  });
}

constexpr int side = 32;

__global__ void transpose_kernel(const float* __restrict__ in, long long ld_in,
                                 float* __restrict__ out, long long ld_out, long long rows,
                                 long long columns) {
  __shared__ float square[side][side + 1];  // + 1: a column falls on all banks
  const long long column0 = static_cast<long long>(blockIdx.x) * side;
  const int x = threadIdx.x;
  for (long long row0 = static_cast<long long>(blockIdx.y) * side; row0 < rows;
       row0 += static_cast<long long>(gridDim.y) * side) {
#pragma unroll
    for (int y = threadIdx.y; y < side; y += warps)
      if (row0 + y < rows && column0 + x < columns)
        square[y][x] = __ldcs(in + (row0 + y) * ld_in + column0 + x);
    __syncthreads();
#pragma unroll
    for (int y = threadIdx.y; y < side; y += warps)
      if (column0 + y < columns && row0 + x < rows)
        out[(column0 + y) * ld_out + row0 + x] = square[x][y];
    __syncthreads();
  }
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

void pack(const float* in, long long ld_in, float* out, long long ld_out, long long rows,
          long long columns, cudaStream_t stream) {
  pack_kernel<<<grid_of(rows, columns), dim3(lanes, warps), 0, stream>>>(in, ld_in, out, ld_out,
                                                                         rows, columns);
  check_launch("pack");
}

void transpose(const float* in, long long ld_in, float* out, long long ld_out, long long rows,
               long long columns, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((columns + side - 1) / side),
                  static_cast<unsigned>(std::min<long long>((rows + side - 1) / side, 65535)));
  transpose_kernel<<<grid, dim3(lanes, warps), 0, stream>>>(in, ld_in, out, ld_out, rows, columns);
  check_launch("transpose");
}

void scale(float* c, long long ldc, float beta, long long rows, long long columns,
           cudaStream_t stream) {
  if (beta == 1.0f) return;
  scale_kernel<<<grid_of(rows, columns), dim3(lanes, warps), 0, stream>>>(c, ldc, beta, rows,
                                                                          columns);
  check_launch("scale");
}

}  // namespace rooftile::gemm::hand
