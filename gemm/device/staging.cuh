// Staging: a block's slices of A (BM x BK) and B (BK x BN) from global memory to registers and from
// there to shared memory.
//
// Guards without cost in the loop: rows past M and columns past N are clamped to the last real one
// (what they compute is never stored), and the ragged slice of K comes first, zero-filled, so that
// every later slice is full. Only addresses are 64-bit, and they only advance.
//
// Transposed operands: the guarded path takes both kinds by run-time strides; the path of whole
// tiles knows them at compile time (StagingForm), reads along the rows that there are and so
// coalesces either way.
#pragma once

#include "gemm/arguments.cuh"
#include "gemm/device/access.cuh"
#include "gemm/device/grid.cuh"
#include "gemm/device/k_part.cuh"

namespace rooftile::gemm {

/// What the path of whole tiles is compiled for.
struct StagingForm {
  bool trans_a = false, trans_b = false;
  bool word_by_word = false;    ///< a thread's WIDTH neighbours by as many loads of one word
  bool turns_by_words = false;  ///< operands that are turned on their way have width 1 (cp.async)
};

/// Bit 0: A transposed, bit 1: B.
__host__ __device__ constexpr StagingForm form_of(int trans, bool turns_by_words = false) {
  return {(trans & 1) != 0, (trans & 2) != 0, false, turns_by_words};
}

/// ROWS x COLS elements of a row-major matrix in the registers of THREADS threads, WIDTH neighbours
/// at a time; threads run along the row first (coalesced).
template <int ROWS, int COLS, int THREADS, int WIDTH, bool WORD_BY_WORD = false>
struct StagedTile {
  static constexpr int LANES = COLS / WIDTH, ROW_STEP = THREADS / LANES, COUNT = ROWS / ROW_STEP;
  static_assert(COLS % WIDTH == 0 && THREADS % LANES == 0 && ROWS % ROW_STEP == 0);

  const float* pointer[COUNT];
  float value[COUNT][WIDTH];

  __device__ __forceinline__ static int row(int i) { return threadIdx.x / LANES + i * ROW_STEP; }
  __device__ __forceinline__ static int column() { return threadIdx.x % LANES * WIDTH; }

  __device__ __forceinline__ void load() {
    constexpr int W = WORD_BY_WORD ? 1 : WIDTH;
#pragma unroll
    for (int i = 0; i < COUNT; ++i)
#pragma unroll
      for (int w = 0; w < WIDTH; w += W) load_global<W>(&value[i][w], pointer[i] + w);
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
template <int BM, int BN, int BK, int THREADS, int WIDTH, bool GUARDED,
          StagingForm FORM = StagingForm{}>
struct Staging {
  static constexpr bool TRANS_A = FORM.trans_a && !GUARDED, TRANS_B = FORM.trans_b && !GUARDED;
  static constexpr int WIDTH_A = GUARDED || (FORM.turns_by_words && !TRANS_A) ? 1 : WIDTH;
  static constexpr int WIDTH_B = GUARDED || (FORM.turns_by_words && TRANS_B) ? 1 : WIDTH;
  static constexpr bool WORDS = FORM.word_by_word && !GUARDED;
  StagedTile<TRANS_A ? BK : BM, TRANS_A ? BM : BK, THREADS, WIDTH_A, WORDS> a;
  StagedTile<TRANS_B ? BN : BK, TRANS_B ? BK : BN, THREADS, WIDTH_B, WORDS> b;
  int slices, first;  ///< slices along K; K elements in the first of them

  __device__ __forceinline__ Staging(const Arguments& arg, const BlockOrigin& origin)
      : Staging(arg, origin, whole_k<BK>(arg)) {}

  __device__ __forceinline__ Staging(const Arguments& arg, const BlockOrigin& origin,
                                     const KPart& part)
      : slices(part.slices), first(part.first) {
    point_at_a(arg, origin.m);
    point_at_b(arg, origin.n);
    if (part.begin > 0) {
      a.advance(part.begin * k_step_a_);
      b.advance(part.begin * k_step_b_);
    }
  }

  __device__ __forceinline__ void load_first() {
    if constexpr (GUARDED) {
      a.load_part(BM, first);
      b.load_part(first, BN);
      advance(first);
    } else {
      load_next();
    }
  }
  __device__ __forceinline__ void load_next() {
    a.load();
    b.load();
    advance(BK);
  }
  __device__ __forceinline__ void advance(int k) {
    a.advance(k * k_step_a_);
    b.advance(k * k_step_b_);
  }

  /// To shared[k * PITCH + m] and shared[k * PITCH + n], turned where needed.
  template <int PITCH>
  __device__ __forceinline__ void store_a_by_k(unsigned to) const {
    if constexpr (TRANS_A)
      a.template store<PITCH>(to);
    else
      a.template store_transposed<PITCH>(to);
  }
  template <int PITCH>
  __device__ __forceinline__ void store_b_by_k(unsigned to) const {
    if constexpr (TRANS_B)
      b.template store_transposed<PITCH>(to);
    else
      b.template store<PITCH>(to);
  }

 private:
  long long k_step_a_, k_step_b_;  ///< elements from one k to the next

  __device__ __forceinline__ void point_at_a(const Arguments& arg, long long m0) {
    const float* from = matrix_of_z(arg.a, arg.stride_a);
    const bool turned = GUARDED ? arg.trans_a : TRANS_A;
    k_step_a_ = turned ? arg.lda : 1;
#pragma unroll
    for (int i = 0; i < a.COUNT; ++i) {
      if constexpr (TRANS_A) {
        a.pointer[i] = from + a.row(i) * arg.lda + m0 + a.column();
      } else {
        const long long m = clamp(m0 + a.row(i), arg.M);
        a.pointer[i] = from + m * (turned ? 1 : arg.lda) + a.column() * k_step_a_;
      }
    }
  }
  __device__ __forceinline__ void point_at_b(const Arguments& arg, long long n0) {
    const float* from = matrix_of_z(arg.b, arg.stride_b);
    const bool turned = GUARDED ? arg.trans_b : TRANS_B;
    k_step_b_ = turned ? 1 : arg.ldb;
    const long long n = clamp(n0 + b.column(), arg.N);
#pragma unroll
    for (int i = 0; i < b.COUNT; ++i) {
      if constexpr (TRANS_B)
        b.pointer[i] = from + (n0 + b.row(i)) * arg.ldb + b.column();
      else
        b.pointer[i] = from + b.row(i) * k_step_b_ + n * (turned ? arg.ldb : 1);
    }
  }
  __device__ __forceinline__ static long long clamp(long long index, long long count) {
    return GUARDED && index >= count ? count - 1 : index;
  }
};

}  // namespace rooftile::gemm
