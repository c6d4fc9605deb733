// What a launch may need beside its main kernel: operands copied to where 16-byte accesses (or TMA)
// reach them, and the sum of partial results that independent blocks left. Also for the other
// kernels that split K or copy operands.
#pragma once

#include "gemm/small/cluster.cuh"
#include "gemm/small/packing.cuh"
#include "gemm/small/reduction.cuh"
#include "gemm/small/split_arguments.cuh"

namespace rooftile::gemm::small {

/// Piece `block`, 32 x 64, of a copy as it is; zeros behind the rows' last elements.
__device__ __forceinline__ void copy_piece(const Packing& p, long long block) {
  constexpr int ROWS = pack_threads / pack_columns;
  const long long pieces = (p.columns + pack_columns - 1) / pack_columns;
  const long long row = block / pieces * pack_rows + threadIdx.x / pack_columns;
  const long long column = block % pieces * pack_columns + threadIdx.x % pack_columns;
  if (column >= p.pitch_to) return;
#pragma unroll
  for (int i = 0; i < pack_rows; i += ROWS)
    if (row + i < p.rows)
      p.to[(row + i) * p.pitch_to + column] =
          column < p.columns ? p.from[(row + i) * p.pitch_from + column] : 0.0f;
}

/// The same of a transposed one.
__device__ __forceinline__ void transpose_piece(const Packing& p, long long block) {
  constexpr int LANES = pack_rows, STEP = pack_threads / LANES;
  __shared__ float piece[pack_rows][pack_columns + 1];
  const long long pieces = (p.columns + pack_columns - 1) / pack_columns;
  const long long row0 = block / pieces * pack_rows, column0 = block % pieces * pack_columns;
  const int r = threadIdx.x % LANES, c = threadIdx.x / LANES;
#pragma unroll
  for (int i = 0; i < pack_columns; i += STEP)
    if (row0 + r < p.rows && column0 + c + i < p.pitch_to)
      piece[r][c + i] =
          column0 + c + i < p.columns ? p.from[(column0 + c + i) * p.pitch_from + row0 + r] : 0.0f;
  __syncthreads();
  const int row = threadIdx.x / pack_columns, column = threadIdx.x % pack_columns;
#pragma unroll
  for (int i = 0; i < pack_rows; i += pack_threads / pack_columns)
    if (row0 + row + i < p.rows && column0 + column < p.pitch_to)
      p.to[(row0 + row + i) * p.pitch_to + column0 + column] = piece[row + i][column];
}

__device__ __forceinline__ void pack_piece(const Packing& p, long long block) {
  if (p.transposed)
    transpose_piece(p, block);
  else
    copy_piece(p, block);
}

/// Grid: pack_blocks() of one and the other.
__global__ void __launch_bounds__(pack_threads) pack_operands(const Packing a, const Packing b) {
  wait_for_previous_grid();
  const long long blocks_a = pack_blocks(a);
  if (blockIdx.x < blocks_a)
    pack_piece(a, blockIdx.x);
  else
    pack_piece(b, blockIdx.x - blocks_a);
  let_next_grid_start();
}

inline constexpr int add_threads = 128;

/// C = alpha * (sum over the splits, in their order) + beta * C. A thread takes WIDTH neighbours;
/// grid: x over M * (pitch / WIDTH).
template <int WIDTH>
__global__ void __launch_bounds__(add_threads) add_partial(const SplitArguments arg) {
  wait_for_previous_grid();
  const Arguments& g = arg.problem;
  const long long place = static_cast<long long>(blockIdx.x) * add_threads + threadIdx.x;
  const long long lanes = arg.pitch / WIDTH, row = place / lanes, column = place % lanes * WIDTH;
  if (row >= g.M || column >= g.N) return;
  const float* from = arg.partial + row * arg.pitch + column;
  float sum[WIDTH];
  load_written<WIDTH>(sum, from);
#pragma unroll 8
  for (int split = 1; split < arg.splits; ++split) {
    float more[WIDTH];
    load_written<WIDTH>(more, from + split * g.M * arg.pitch);
#pragma unroll
    for (int w = 0; w < WIDTH; ++w) sum[w] += more[w];
  }
  update<WIDTH>(g.c + row * g.ldc + column, sum, g.alpha, g.beta);
}

}  // namespace rooftile::gemm::small
