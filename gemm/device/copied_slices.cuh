// Slices of A and B copied from global to shared memory without passing registers (cp.async,
// compute capability 8.0 and newer), STAGES - 1 of them ahead of the one that is multiplied.
//
// A copy moves 4 or 16 bytes as they lie, so an operand that must be turned on its way (A of NN, B
// of NT) goes word by word, and the other one by float4.
#pragma once

#include "gemm/device/async_copy.cuh"
#include "gemm/device/staging.cuh"

namespace rooftile::gemm {

/// Copies what `tile` points at to to[r * PITCH + c], or, TURNED, to to[c * PITCH + r]. `rows` and
/// `columns` bound what is read; zeros beyond.
template <int PITCH, bool TURNED, bool WHOLE, int ROWS, int COLS, int THREADS, int WIDTH>
__device__ __forceinline__ void copy_tile(const StagedTile<ROWS, COLS, THREADS, WIDTH>& tile,
                                          unsigned to, int rows, int columns) {
  static_assert(!TURNED || WIDTH == 1);
  const int r0 = tile.row(0), c = tile.column();
  const unsigned first = to + (TURNED ? c * PITCH + r0 : r0 * PITCH + c) * 4;
#pragma unroll
  for (int i = 0; i < tile.COUNT; ++i) {
    const unsigned at = first + i * tile.ROW_STEP * (TURNED ? 1 : PITCH) * 4;
    if constexpr (WHOLE)
      copy_async<WIDTH>(at, tile.pointer[i]);
    else
      copy_async<WIDTH>(at, tile.pointer[i], tile.row(i) < rows && c < columns);
  }
}

/// R: BM BN BK THREADS FORM A_PITCH B_PITCH A_FLOATS STAGE_BYTES STAGES.
template <class R, bool GUARDED>
struct CopiedSlices {
  using Slices = Staging<R::BM, R::BN, R::BK, R::THREADS, 4, GUARDED, R::FORM>;

  __device__ __forceinline__ CopiedSlices(const Arguments& arg, const BlockOrigin& origin,
                                          const KPart& part, unsigned shared)
      : staging_(arg, origin, part), shared_(shared), left_(part.slices) {}

  /// Starts the next slice's copy, if there is one, and ends its group in any case.
  __device__ __forceinline__ void start_next() {
    if (left_ > 0) copy<true>(R::BK);
    end_copy_group();
  }
  /// The same for the first slice, which may be ragged.
  __device__ __forceinline__ void start_first() {
    if (!GUARDED || left_ > 0) copy<!GUARDED>(staging_.first);
    end_copy_group();
  }

 private:
  Slices staging_;
  unsigned shared_;
  int left_, buffer_ = 0;

  template <bool WHOLE>
  __device__ __forceinline__ void copy(int count) {
    constexpr bool turn_a = !Slices::TRANS_A, turn_b = Slices::TRANS_B;
    const unsigned to = shared_ + buffer_;
    copy_tile<R::A_PITCH, turn_a, WHOLE>(staging_.a, to, turn_a ? R::BM : count,
                                         turn_a ? count : R::BM);
    copy_tile<R::B_PITCH, turn_b, WHOLE>(staging_.b, to + R::A_FLOATS * 4, turn_b ? R::BN : count,
                                         turn_b ? count : R::BN);
    staging_.advance(count);
    --left_;
    buffer_ = buffer_ == (R::STAGES - 1) * R::STAGE_BYTES ? 0 : buffer_ + R::STAGE_BYTES;
  }
};

}  // namespace rooftile::gemm
