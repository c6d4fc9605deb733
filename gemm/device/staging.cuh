// Staging: a block's slices of A (BM x BK) and B (BK x BN) from global memory to registers and from
// there to shared memory.
//
// Guards without cost in the loop: rows past M and columns past N are clamped to the last real one
// (what they compute is never stored), and the ragged slice of K comes first, zero-filled, so that
// every later slice is full. Only addresses are 64-bit, and they only advance.
#pragma once

#include "gemm/arguments.cuh"
#include "gemm/device/access.cuh"
#include "gemm/device/grid.cuh"

namespace rooftile::gemm {

/// ROWS x COLS elements of a row-major matrix in the registers of THREADS threads, WIDTH neighbours
/// at a time; threads run along the row first (coalesced).
template <int ROWS, int COLS, int THREADS, int WIDTH>
struct StagedTile {
  static constexpr int LANES = COLS / WIDTH, ROW_STEP = THREADS / LANES, COUNT = ROWS / ROW_STEP;
  static_assert(COLS % WIDTH == 0 && THREADS % LANES == 0 && ROWS % ROW_STEP == 0);

  const float* pointer[COUNT];
  float value[COUNT][WIDTH];

  __device__ __forceinline__ static int row(int i) { return threadIdx.x / LANES + i * ROW_STEP; }
  __device__ __forceinline__ static int column() { return threadIdx.x % LANES * WIDTH; }

  __device__ __forceinline__ void load() {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) load_global<WIDTH>(value[i], pointer[i]);
  }
  /// Loads only what lies below `rows` and `columns`; the rest is zero. WIDTH must be 1.
  __device__ __forceinline__ void load_part(int rows, int columns) {
    static_assert(WIDTH == 1);
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
      value[i][0] = 0.0f;
      if (row(i) < rows && column() < columns) load_global<1>(value[i], pointer[i]);
    }
  }
  __device__ __forceinline__ void advance(long long elements) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) pointer[i] += elements;
  }
  /// As it lies: element (r, c) to to[r * PITCH + c].
  template <int PITCH>
  __device__ __forceinline__ void store(unsigned to) const {
#pragma unroll
    for (int i = 0; i < COUNT; ++i)
      store_shared<WIDTH>(to + (row(0) * PITCH + column() + i * ROW_STEP * PITCH) * 4, value[i]);
  }
  /// Transposed: element (r, c) to to[c * PITCH + r], one word at a time.
  template <int PITCH>
  __device__ __forceinline__ void store_transposed(unsigned to) const {
#pragma unroll
    for (int i = 0; i < COUNT; ++i)
#pragma unroll
      for (int w = 0; w < WIDTH; ++w)
        store_shared<1>(to + (column() * PITCH + row(0) + w * PITCH + i * ROW_STEP) * 4,
                        &value[i][w]);
  }
};

/// The slices of both operands and the walk along K.
template <int BM, int BN, int BK, int THREADS, int WIDTH, bool GUARDED>
struct Staging {
  static constexpr int LOAD_WIDTH = GUARDED ? 1 : WIDTH;
  StagedTile<BM, BK, THREADS, LOAD_WIDTH> a;
  StagedTile<BK, BN, THREADS, LOAD_WIDTH> b;
  int slices, first;  ///< slices along K; K elements in the first of them

  __device__ __forceinline__ Staging(const Arguments& arg, const BlockOrigin& origin)
      : slices(static_cast<int>((arg.K + BK - 1) / BK)),
        first(static_cast<int>(arg.K - (slices - 1LL) * BK)),
        ldb_(arg.ldb) {
#pragma unroll
    for (int i = 0; i < a.COUNT; ++i) {
      const long long m = clamp(origin.m + a.row(i), arg.M);
      a.pointer[i] = arg.a + m * arg.lda + a.column();
    }
    const long long n = clamp(origin.n + b.column(), arg.N);
#pragma unroll
    for (int i = 0; i < b.COUNT; ++i) b.pointer[i] = arg.b + b.row(i) * arg.ldb + n;
  }

  __device__ __forceinline__ void load_first() {
    if constexpr (GUARDED) {
      a.load_part(BM, first);
      b.load_part(first, BN);
      a.advance(first);
      b.advance(first * ldb_);
    } else {
      load_next();
    }
  }
  __device__ __forceinline__ void load_next() {
    a.load();
    b.load();
    a.advance(BK);
    b.advance(BK * ldb_);
  }

 private:
  long long ldb_;
  __device__ __forceinline__ static long long clamp(long long index, long long count) {
    return GUARDED && index >= count ? count - 1 : index;
  }
};

}  // namespace rooftile::gemm
