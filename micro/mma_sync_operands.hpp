// The number formats of the tensor-core microbenchmarks: random operands, their values as double,
// and the error that a correct result may have.
//
// All tensor instructions here consume 32 bytes of K a row and step (16 two-byte elements, 8 of
// TF32, 32 one-byte ones), so that an operand is rows of bytes whatever its format.
//
// Random values are uniform in [-1, 1), rounded to the format (int8: uniform in [-127, 127]):
// zeros or few-bit values switch less and draw less power.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace rooftile::micro {

enum class Format { f16, bf16, tf32, fp8, int8 };

inline constexpr int mma_k_bytes = 32;  ///< bytes of K in one instruction, but for the short shapes

constexpr int element_bytes(Format format) {
  switch (format) {
    case Format::tf32:
      return 4;
    case Format::f16:
    case Format::bf16:
      return 2;
    default:
      return 1;
  }
}

/// Multiply-adds of one m x n instruction that consumes `k_bytes` of K.
constexpr double mma_work(Format format, int m, int n, int k_bytes = mma_k_bytes) {
  return static_cast<double>(m) * n * k_bytes / element_bytes(format);
}

/// `bytes` / element_bytes(format) random elements; `seed` picks the sequence.
std::vector<unsigned char> random_operand(Format format, std::size_t bytes, unsigned seed);
/// The elements of `from` with the other sign.
std::vector<unsigned char> negated(Format format, const std::vector<unsigned char>& from);
/// The values of the elements of `operand`.
std::vector<double> decoded(Format format, const std::vector<unsigned char>& operand);

/// Sum of a[k] b[k], and of the products' magnitudes.
struct DotProduct {
  double sum = 0, magnitude = 0;
};
DotProduct dot_product(const double* a, const double* b, std::size_t count);

/// Largest error of a correct result, relative to the sum of the products' magnitudes. The tensor
/// core adds aligned products and truncates. FP32 accumulators keep at least 23 bits: 2^-12 leaves
/// room for a thousand truncated products. For FP8 inputs Hopper's accumulator keeps about 13
/// fraction bits (DeepSeek-V3 report, arXiv 2412.19437, section 3.3.2): 2^-6. FP16 accumulators
/// have 11 bits: 2^-7 for one instruction. int8 is exact. A wrong layout misses all of these: its
/// error is of the size of the sum.
double tolerance(Format format, bool half_accumulator);

}  // namespace rooftile::micro
