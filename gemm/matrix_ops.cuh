// Device-side work on whole matrices that a checked measurement needs: seeded random numbers,
// copies in FP64, comparison with a reference, and the search for writes outside the matrix. All on
// `stream`, asynchronous but for those that return a value; sizes and pitches in elements.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace rooftile::gemm {

/// Row-major matrices on the device, `stride` elements apart; one, unless `count` says otherwise.
struct MatrixView {
  float* data = nullptr;
  std::int64_t rows = 0, columns = 0, pitch = 0;
  std::int64_t count = 1, stride = 0;

  /// Elements of all matrices, and those from the first to the last one's end.
  constexpr std::int64_t size() const { return count * rows * columns; }
  constexpr std::int64_t span() const {
    return (count - 1) * stride + (rows - 1) * pitch + columns;
  }
};

/// Uniform in [-1, 1) on a grid of 2^-23, from Philox 2x32-10 (Salmon et al., SC 2011) with the
/// element's row-major index, matrix after matrix, as counter: the same numbers for any pitch,
/// never all zeros, never compressible. Elements between rows and matrices stay as they are.
/// Matrices that share elements (stride 0, say) leave them with one of their numbers.
void fill_random(const MatrixView& to, std::uint32_t seed, cudaStream_t stream);

/// Packed FP64 copy; with `absolute` of the magnitudes.
void widen(const MatrixView& from, double* to, bool absolute, cudaStream_t stream);

/// How a result compares with its reference, element by element. An element is bad when it is not
/// finite or its error passes factor * scale(i, j).
struct Comparison {
  double worst_error = 0,
         worst_bound = 0;        ///< at the element nearest to (or furthest past) its bound
  std::int64_t worst_index = 0;  ///< of that element, row-major, matrix after matrix
  double error_squares = 0, reference_squares = 0;
  std::int64_t bad = 0, not_finite = 0;
};

/// Waits for `stream`. reference and scale are packed.
Comparison compare(const MatrixView& result, const double* reference, const double* scale,
                   double factor, cudaStream_t stream);

/// Words of `words[0..count)` that are neither 0xFFFFFFFF nor an element of `matrix`, all of
/// which lie within. Waits for `stream`.
std::int64_t count_overwritten(const float* words, std::int64_t count, const MatrixView& matrix,
                               cudaStream_t stream);

}  // namespace rooftile::gemm
