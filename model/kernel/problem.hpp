// The GEMM problem: C(MxN) = alpha * op(A) * op(B) + beta * C, names as in BLAS.
#pragma once

#include <cstdint>
#include <string>

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
};

/// Row-major NN, packed, alpha 1, beta 0: the headline problem.
GemmProblem make_problem(std::int64_t M, std::int64_t N, std::int64_t K);

/// "4096x11008x4096" for any layout; used in tables and file names.
std::string shape_name(const GemmProblem& problem);

/// Parses "4096", "4Ki" (a cube) or "MxNxK" with such sizes. Throws InputError that names the text
/// and the grammar.
GemmProblem parse_shape(const std::string& text);

Json to_json(const GemmProblem& problem);
GemmProblem problem_from(const JsonReader& json);

}  // namespace rooftile
