// See problem_data.cuh. cuBLAS is column-major: row-major C = A B is C^T = B^T A^T, so the operands
// swap and nothing is transposed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gemm/cublas_gemm.cuh"
#include "gemm/problem_arguments.hpp"
#include "gemm/problem_data.cuh"

namespace rooftile::gemm {

namespace {

constexpr std::int64_t guard_words = 256;
constexpr double unit_roundoff = 0x1p-24, lambda = 4;

/// The matrices A, B and C as they lie in memory.
MatrixView shape_a(const GemmProblem& p) {
  return {nullptr, p.trans_a ? p.K : p.M, p.trans_a ? p.M : p.K, p.lda, p.batch, p.stride_a};
}
MatrixView shape_b(const GemmProblem& p) {
  return {nullptr, p.trans_b ? p.N : p.K, p.trans_b ? p.K : p.N, p.ldb, p.batch, p.stride_b};
}
MatrixView shape_c(const GemmProblem& p) { return {nullptr, p.M, p.N, p.ldc, p.batch, p.stride_c}; }

double elements(const MatrixView& shape) {
  return static_cast<double>(shape.rows) * static_cast<double>(shape.columns) *
         static_cast<double>(shape.count);
}

/// out = alpha op(a) op(b) + beta out for each matrix of the batch; packed row-major FP64.
void multiply(const CublasHandle& handle, const GemmProblem& p, double alpha, const double* a,
              const double* b, double beta, double* out) {
  check(cublasDgemmStridedBatched_64(handle, cublas_operation(p.trans_b),
                                     cublas_operation(p.trans_a), p.N, p.M, p.K, &alpha, b,
                                     p.trans_b ? p.K : p.N, p.K * p.N, a, p.trans_a ? p.M : p.K,
                                     p.M * p.K, &beta, out, p.N, p.M * p.N, p.batch),
        "cublasDgemmStridedBatched");
}

}  // namespace

GuardedMatrix::GuardedMatrix(const MatrixView& shape, int offset)
    : words_(static_cast<std::size_t>(shape.span() + 2 * guard_words + offset)), view_(shape) {
  view_.data = words_.data() + guard_words + offset;
}

// In double: strides may be far apart.
double GuardedMatrix::bytes(const MatrixView& shape) {
  const double before_last =
      static_cast<double>(shape.count - 1) * static_cast<double>(shape.stride);
  const double last = static_cast<double>(shape.rows) * static_cast<double>(shape.pitch);
  return 4 * (before_last + last + 2 * guard_words);
}

void GuardedMatrix::poison(cudaStream_t stream) {
  check(cudaMemsetAsync(words_.data(), 0xFF, words_.size_bytes(), stream), "cudaMemsetAsync");
}

std::int64_t GuardedMatrix::overwritten(cudaStream_t stream) const {
  return count_overwritten(words_.data(), static_cast<std::int64_t>(words_.size()), view_, stream);
}

std::int64_t ProblemData::bytes_needed(const GemmProblem& problem) {
  const GemmProblem p = canonical(problem);
  const MatrixView shapes[] = {shape_a(p), shape_b(p), shape_c(p)};
  // In double: the sum for the largest legal matrices (2^60 elements each) passes 2^63.
  double bytes = 8.0 * elements(shapes[2]);  // the scale; the reference is among the three
  for (const MatrixView& shape : shapes)
    bytes += 8.0 * elements(shape) + GuardedMatrix::bytes(shape);
  return static_cast<std::int64_t>(std::min(bytes, 0x1p62));
}

ProblemData::ProblemData(const GemmProblem& problem, const DataOptions& options,
                         cudaStream_t stream)
    : problem_(canonical(problem)),
      options_(options),
      stream_(stream),
      a_(shape_a(problem_), options.offset_a),
      b_(shape_b(problem_), options.offset_b),
      c_(shape_c(problem_), options.offset_c),
      reference_(static_cast<std::size_t>(c_.view().size())),
      scale_(static_cast<std::size_t>(c_.view().size())) {
  a_.poison(stream);
  b_.poison(stream);
  if (!options.poison_inputs) {
    fill_random(a_.view(), options.seed, stream);
    fill_random(b_.view(), options.seed + 1, stream);
  }
  make_reference();
}

Arguments ProblemData::arguments() const {
  return arguments_of(problem_, a_.view().data, b_.view().data, c_.view().data);
}

std::vector<double> ProblemData::reference() const {
  std::vector<double> host(reference_.size());
  reference_.download(host.data(), host.size());
  return host;
}

void ProblemData::reset_c() {
  c_.poison(stream_);
  if (problem_.beta != 0) fill_random(c_.view(), options_.seed + 2, stream_);
}

void ProblemData::make_reference() {
  const double alpha = static_cast<float>(problem_.alpha);
  const double beta = static_cast<float>(problem_.beta);
  CublasHandle handle(stream_);
  check(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
  // With beta == 0 cuBLAS must not see what the buffers hold.
  check(cudaMemsetAsync(reference_.data(), 0, reference_.size_bytes(), stream_), "cudaMemsetAsync");
  check(cudaMemsetAsync(scale_.data(), 0, scale_.size_bytes(), stream_), "cudaMemsetAsync");
  reset_c();
  if (beta != 0) {
    widen(c_.view(), reference_.data(), false, stream_);
    widen(c_.view(), scale_.data(), true, stream_);
  }
  if (alpha == 0) {  // A and B must not matter
    check(cublasDscal_64(handle, c_.view().size(), &beta, reference_.data(), 1), "scale");
    const double magnitude = std::abs(beta);
    check(cublasDscal_64(handle, c_.view().size(), &magnitude, scale_.data(), 1), "scale");
  } else {
    DeviceBuffer<double> a(static_cast<std::size_t>(a_.view().size()));
    DeviceBuffer<double> b(static_cast<std::size_t>(b_.view().size()));
    for (const bool absolute : {false, true}) {
      widen(a_.view(), a.data(), absolute, stream_);
      widen(b_.view(), b.data(), absolute, stream_);
      if (absolute)
        multiply(handle, problem_, std::abs(alpha), a.data(), b.data(), std::abs(beta),
                 scale_.data());
      else
        multiply(handle, problem_, alpha, a.data(), b.data(), beta, reference_.data());
    }
    check(cudaStreamSynchronize(stream_), "reference");
  }
  check(cudaStreamSynchronize(stream_), "reference");
}

std::string ProblemData::place_of(std::int64_t index) const {
  const std::int64_t one = problem_.M * problem_.N, inside = index % one;
  std::string text = fmt::format("row {}, column {}", inside / problem_.N, inside % problem_.N);
  if (problem_.batch > 1) text += fmt::format(" of matrix {}", index / one);
  return text;
}

ProblemData::Verdict ProblemData::check_c() const {
  const double factor = lambda * std::sqrt(static_cast<double>(problem_.K) + 3) * unit_roundoff;
  const Comparison c = compare(c_.view(), reference_.data(), scale_.data(), factor, stream_);
  const std::string at = place_of(c.worst_index);
  if (c.not_finite > 0)
    return {std::nullopt, fmt::format("wrong result: {} of {} elements are not finite, e.g. {}",
                                      c.not_finite, c_.view().size(), at)};
  Verdict verdict;
  verdict.correctness = Correctness{
      .max_error = c.worst_error,
      .normwise_error = c.reference_squares > 0 ? std::sqrt(c.error_squares / c.reference_squares)
                                                : std::sqrt(c.error_squares),
      .bound = c.worst_bound,
      .passed = c.bad == 0};
  if (c.bad > 0)
    verdict.reason =
        fmt::format("wrong result: {} of {} elements, e.g. {}: error {:.3g}, bound {:.3g}", c.bad,
                    c_.view().size(), at, c.worst_error, c.worst_bound);
  if (const auto outside = c_.overwritten(stream_); outside > 0) {
    verdict.correctness->passed = false;
    verdict.reason = fmt::format("wrote {} words outside C", outside);
  }
  return verdict;
}

}  // namespace rooftile::gemm
