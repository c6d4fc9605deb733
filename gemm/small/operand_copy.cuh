// One operand's slices of BK along K, copied asynchronously from global to shared memory, where
// they always lie as [k][x]; x runs along M for A, along N for B. Two ways, by what is contiguous:
//
//   x contiguous  rows are copied as they lie, WIDTH floats at a time (B of NN, A of TN)
//   K contiguous  a 4-byte copy an element transposes on the way (A of NN, B of NT). A warp takes 8
//                 along k (one sector) of 4 rows; the pitch of EXTENT + 4 spreads them over all
//                 banks
//
// Guards cost nothing in the loop: x past the end is clamped to the last real element (what it
// yields is never stored), and the ragged slice of K comes first, zero-filled, so that every later
// one is full.
#pragma once

#include "gemm/device/async_copy.cuh"

namespace rooftile::gemm {

template <int EXTENT, int BK, int THREADS, bool K_CONTIGUOUS, int WIDTH>
class OperandCopy;

template <int EXTENT, int BK, int THREADS, int WIDTH>
class OperandCopy<EXTENT, BK, THREADS, false, WIDTH> {
 public:
  static constexpr bool STAGED = false;
  static constexpr int PITCH = EXTENT;  ///< floats between rows in shared memory
  __host__ __device__ static constexpr int swizzle(int) { return 0; }

  /// `x0`, `k0`: where this block starts; `extent`: of the whole operand, a multiple of WIDTH.
  __device__ __forceinline__ OperandCopy(const float* operand, long long pitch, long long x0,
                                         long long extent, long long k0)
      : pitch_(pitch) {
    long long x = x0 + column();
    if (x > extent - WIDTH) x = extent - WIDTH;
    pointer_ = operand + (k0 + row()) * pitch + x;
  }
  /// The next slice, of `rows` <= BK, to shared address `to`; the rest becomes zero.
  __device__ __forceinline__ void part(unsigned to, int rows) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i)
      copy_async<WIDTH>(place(to, i), pointer_ + i * ROWS * pitch_, row() + i * ROWS < rows);
    pointer_ += rows * pitch_;
  }
  /// The next slice, a full one.
  __device__ __forceinline__ void full(unsigned to) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) copy_pass(to, i);
  }
  /// The same, spread over the first `steps` k-steps, of which this is `k`.
  __device__ __forceinline__ void step(unsigned to, int k, int steps) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i)
      if (i * steps / COUNT == k) copy_pass(to, i);
  }

 private:
  static constexpr int LANES = EXTENT / WIDTH, ROWS = THREADS / LANES, COUNT = BK / ROWS;
  static_assert(EXTENT % WIDTH == 0 && THREADS % LANES == 0 && BK % ROWS == 0 && COUNT > 0);

  __device__ __forceinline__ void copy_pass(unsigned to, int i) {
    copy_async<WIDTH>(place(to, i), pointer_);
    pointer_ += ROWS * pitch_;
  }
  __device__ __forceinline__ static int row() { return threadIdx.x / LANES; }
  __device__ __forceinline__ static int column() { return threadIdx.x % LANES * WIDTH; }
  __device__ __forceinline__ static unsigned place(unsigned to, int i) {
    return to + (row() * PITCH + column() + i * ROWS * PITCH) * 4;
  }

  const float* pointer_;
  long long pitch_;
};

template <int EXTENT, int BK, int THREADS, int WIDTH>
class OperandCopy<EXTENT, BK, THREADS, true, WIDTH> {
 public:
  static constexpr bool STAGED = false;
  static constexpr int PITCH = EXTENT + 4;
  /// Element (k, x) lies at k * PITCH + (x ^ swizzle(k)).
  __host__ __device__ static constexpr int swizzle(int k) { return k / 8 % 4 * SWIZZLE; }

  __device__ __forceinline__ OperandCopy(const float* operand, long long pitch, long long x0,
                                         long long extent, long long k0) {
#pragma unroll
    for (int i = 0; i < X_COUNT; ++i) {
      long long x = x0 + row() + i * X_LANES;
      if (x > extent - 1) x = extent - 1;
      pointer_[i] = operand + x * pitch + k0 + column();
    }
  }
  __device__ __forceinline__ void part(unsigned to, int columns) {
#pragma unroll
    for (int i = 0; i < X_COUNT; ++i) {
#pragma unroll
      for (int k = 0; k < K_COUNT; ++k)
        copy_async<1>(place(to, i, k), pointer_[i] + k * K_STEP, column() + k * K_STEP < columns);
      pointer_[i] += columns;
    }
  }
  __device__ __forceinline__ void full(unsigned to) {
#pragma unroll
    for (int i = 0; i < X_COUNT; ++i) copy_pass(to, i);
  }
  __device__ __forceinline__ void step(unsigned to, int k, int steps) {
#pragma unroll
    for (int i = 0; i < X_COUNT; ++i)
      if (i * steps / X_COUNT == k) copy_pass(to, i);
  }

 private:
  static constexpr int SWIZZLE = BK == 8 ? 0 : BK == 16 ? 8 : 4, K_LANES = 8;
  static constexpr int X_LANES = THREADS / K_LANES < EXTENT ? THREADS / K_LANES : EXTENT;
  static constexpr int X_COUNT = EXTENT / X_LANES, K_STEP = THREADS / X_LANES;
  static constexpr int K_COUNT = BK / K_STEP;
  static_assert(EXTENT % X_LANES == 0 && THREADS % X_LANES == 0 && BK % K_STEP == 0 && K_COUNT > 0);
  static_assert(X_LANES % 16 == 0 && BK <= 32);  // the swizzle stays within them

  __device__ __forceinline__ void copy_pass(unsigned to, int i) {
#pragma unroll
    for (int k = 0; k < K_COUNT; ++k) copy_async<1>(place(to, i, k), pointer_[i] + k * K_STEP);
    pointer_[i] += BK;
  }
  __device__ __forceinline__ static int row() { return threadIdx.x / K_LANES % X_LANES; }
  __device__ __forceinline__ static int column() {
    return threadIdx.x % K_LANES + threadIdx.x / (K_LANES * X_LANES) * K_LANES;
  }
  __device__ __forceinline__ static unsigned place(unsigned to, int i, int k) {
    const int x = (row() ^ swizzle(column() + k * K_STEP)) + i * X_LANES;
    return to + ((column() + k * K_STEP) * PITCH + x) * 4;
  }

  const float* pointer_[X_COUNT];
};

/// K contiguous and 16-byte aligned: in the loop, loads of four along k wait in registers and are
/// stored transposed a slice later: a warp takes whole rows of BK, so that it loads from few lines,
/// and the swizzle spreads its stores over all banks. That costs the load-store unit 8 cycles a 512
/// bytes (BK = 32), 4-byte copies 20. The first slices, which nothing would hide, are still copied.
template <int EXTENT, int BK, int THREADS>
class OperandCopy<EXTENT, BK, THREADS, true, 4> : public OperandCopy<EXTENT, BK, THREADS, true, 1> {
 public:
  static constexpr bool STAGED = true;
  using First = OperandCopy<EXTENT, BK, THREADS, true, 1>;
  using First::PITCH;

  __device__ __forceinline__ OperandCopy(const float* operand, long long pitch, long long x0,
                                         long long extent, long long k0)
      : First(operand, pitch, x0, extent, k0) {
#pragma unroll
    for (int i = 0; i < X_COUNT; ++i) {
      long long x = x0 + row() + i * X_LANES;
      if (x > extent - 1) x = extent - 1;
      quad_[i] = operand + x * pitch + k0 + column();
    }
  }
  /// Passes over `elements` along k, which were copied otherwise.
  __device__ __forceinline__ void skip(int elements) {
#pragma unroll
    for (int i = 0; i < X_COUNT; ++i) quad_[i] += elements;
  }
  /// Loads in the first steps, stores in the last ones.
  __device__ __forceinline__ void step(unsigned to, int k, int steps) {
#pragma unroll
    for (int i = 0; i < X_COUNT; ++i) {
      if (i * steps / (2 * X_COUNT) == k) fetch(i);
      if (steps - 1 - (X_COUNT - 1 - i) * (steps / 4) / X_COUNT == k) deposit(to, i);
    }
  }

 private:
  static constexpr int K_LANES = BK / 4;
  static constexpr int X_LANES = THREADS / K_LANES < EXTENT ? THREADS / K_LANES : EXTENT;
  static constexpr int X_COUNT = EXTENT / X_LANES;
  static_assert(EXTENT % X_LANES == 0 && THREADS == X_LANES * K_LANES && X_LANES % 16 == 0);

  __device__ __forceinline__ void fetch(int i) {
    load_written<4>(value_[i], quad_[i]);
    quad_[i] += BK;
  }
  __device__ __forceinline__ void deposit(unsigned to, int i) const {
    const int x = (row() ^ First::swizzle(column())) + i * X_LANES;
    const unsigned at = to + (column() * PITCH + x) * 4;
#pragma unroll
    for (int w = 0; w < 4; ++w) store_shared<1>(at + w * PITCH * 4, &value_[i][w]);
  }
  __device__ __forceinline__ static int row() { return threadIdx.x / K_LANES; }
  __device__ __forceinline__ static int column() { return threadIdx.x % K_LANES * 4; }

  const float* quad_[X_COUNT];
  float value_[X_COUNT][4];
};

}  // namespace rooftile::gemm
