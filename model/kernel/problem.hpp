// The GEMM problem: C(MxN) = alpha * op(A) * op(B) + beta * C, names as in BLAS.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/record/json_reader.hpp"

namespace rooftile {

enum class Layout { row_major, column_major };
enum class DataType { f32 };

struct GemmProblem {
  std::int64_t M = 1, N = 1, K = 1, batch = 1;
  Layout layout = Layout::row_major;
  bool trans_a = false, trans_b = false;
  std::int64_t lda = 0, ldb = 0, ldc = 0;  ///< elements; make_problem() fills in packed ones
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;  ///< elements between matrices of a batch
  DataType type_a = DataType::f32, type_b = DataType::f32, type_c = DataType::f32,
           accumulate = DataType::f32;
  double alpha = 1, beta = 0;

  double flop() const {
    return 2.0 * static_cast<double>(M) * static_cast<double>(N) * static_cast<double>(K) *
           static_cast<double>(batch);
  }
  friend bool operator==(const GemmProblem&, const GemmProblem&) = default;
};

/// Largest M, N, K, batch and leading dimension. check_problem() also refuses matrices of more than
/// 2^60 elements, so that every element and byte count fits in 64 bits.
inline constexpr std::int64_t max_dimension = (std::int64_t{1} << 31) - 1;

std::string_view to_string(Layout layout);
std::string_view to_string(DataType type);

/// Smallest legal leading dimensions (a, b, c) of the problem's layout and transpositions.
std::array<std::int64_t, 3> packed_leading_dimensions(const GemmProblem& problem);

/// Lines (rows of a row-major matrix) that a, b and c have in memory, each a leading dimension
/// apart.
std::array<std::int64_t, 3> stored_lines(const GemmProblem& problem);

/// Strides (a, b, c) of a batch whose matrices follow one another without a gap.
std::array<std::int64_t, 3> packed_strides(const GemmProblem& problem);

/// Sets packed leading dimensions, and for a batch packed strides (else 0).
void pack(GemmProblem& problem);

/// The same computation on row-major matrices. A column-major matrix is the transpose of a
/// row-major one in the same memory, and C^T = op(B)^T op(A)^T: M and N change places, A and B with
/// all that belongs to them, and nothing is copied. Row-major problems come back as they are.
GemmProblem canonical(const GemmProblem& problem);

/// Throws InputError with `where` in front unless all sizes, leading dimensions, strides and
/// scalars are legal.
void check_problem(const GemmProblem& problem, const std::string& where);

/// Row-major NN, packed, alpha 1, beta 0: the headline problem.
GemmProblem make_problem(std::int64_t M, std::int64_t N, std::int64_t K);

/// "4096x11008x4096" for any layout; used in tables and file names.
std::string shape_name(const GemmProblem& problem);

/// The shape, followed by what differs from a packed row-major NN with alpha 1 and beta 0:
/// "4096x4096x4096 TN beta=1".
std::string problem_name(const GemmProblem& problem);

/// One size: "4096", "4Ki", "1Mi". At least 1, at most max_dimension. Throws InputError.
std::int64_t parse_size(const std::string& text);

/// Parses "4096", "4Ki" (a cube) or "MxNxK" with such sizes. Throws InputError that names the text
/// and the grammar.
GemmProblem parse_shape(const std::string& text);
/// The same from a text in a file; the error names its place.
GemmProblem shape_from(const JsonReader& json);

Json to_json(const GemmProblem& problem);
GemmProblem problem_from(const JsonReader& json);

}  // namespace rooftile
