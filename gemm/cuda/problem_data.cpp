// See problem_data.cuh. cuBLAS is column-major: row-major C = A B is C^T = B^T A^T, so the operands
// swap and nothing is transposed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gemm/problem_data.cuh"

namespace rooftile::gemm {

namespace {

constexpr std::int64_t guard_words = 256;
constexpr double unit_roundoff = 0x1p-24, lambda = 4;

std::int64_t span(std::int64_t rows, std::int64_t columns, std::int64_t pitch) {
  return (rows - 1) * pitch + columns;
}

/// out = alpha a b + beta out, packed row-major FP64.
void multiply(const CublasHandle& handle, const GemmProblem& p, double alpha, const double* a,
              const double* b, double beta, double* out) {
  check(cublasDgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, p.N, p.M, p.K, &alpha, b, p.N, a, p.K,
                       &beta, out, p.N),
        "cublasDgemm");
}

}  // namespace

GuardedMatrix::GuardedMatrix(std::int64_t rows, std::int64_t columns, std::int64_t pitch,
                             int offset)
    : words_(static_cast<std::size_t>(span(rows, columns, pitch) + 2 * guard_words + offset)),
      view_{words_.data() + guard_words + offset, rows, columns, pitch} {}

std::int64_t GuardedMatrix::bytes(std::int64_t rows, std::int64_t columns, std::int64_t pitch) {
  return (span(rows, columns, pitch) + 2 * guard_words) * 4;
}

void GuardedMatrix::poison(cudaStream_t stream) {
  check(cudaMemsetAsync(words_.data(), 0xFF, words_.size_bytes(), stream), "cudaMemsetAsync");
}

std::int64_t GuardedMatrix::overwritten(cudaStream_t stream) const {
  return count_overwritten(words_.data(), static_cast<std::int64_t>(words_.size()), view_, stream);
}

std::int64_t ProblemData::bytes_needed(const GemmProblem& p) {
  // In double: the sum for the largest legal matrices (2^60 elements each) passes 2^63.
  double bytes = 8.0 * (static_cast<double>(p.M * p.K) + static_cast<double>(p.K * p.N) +
                        2.0 * static_cast<double>(p.M * p.N));
  for (const std::int64_t single :
       {GuardedMatrix::bytes(p.M, p.K, p.lda), GuardedMatrix::bytes(p.K, p.N, p.ldb),
        GuardedMatrix::bytes(p.M, p.N, p.ldc)})
    bytes += static_cast<double>(single);
  return static_cast<std::int64_t>(std::min(bytes, 0x1p62));
}

ProblemData::ProblemData(const GemmProblem& problem, const DataOptions& options,
                         cudaStream_t stream)
    : problem_(problem),
      options_(options),
      stream_(stream),
      a_(problem.M, problem.K, problem.lda, options.offset_a),
      b_(problem.K, problem.N, problem.ldb, options.offset_b),
      c_(problem.M, problem.N, problem.ldc, options.offset_c),
      reference_(static_cast<std::size_t>(problem.M * problem.N)),
      scale_(static_cast<std::size_t>(problem.M * problem.N)) {
  a_.poison(stream);
  b_.poison(stream);
  if (!options.poison_inputs) {
    fill_random(a_.view(), options.seed, stream);
    fill_random(b_.view(), options.seed + 1, stream);
  }
  make_reference();
}

Arguments ProblemData::arguments() const {
  return {.a = a_.view().data,
          .b = b_.view().data,
          .c = c_.view().data,
          .M = problem_.M,
          .N = problem_.N,
          .K = problem_.K,
          .lda = problem_.lda,
          .ldb = problem_.ldb,
          .ldc = problem_.ldc,
          .alpha = static_cast<float>(problem_.alpha),
          .beta = static_cast<float>(problem_.beta)};
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
    check(cublasDscal_64(handle, problem_.M * problem_.N, &beta, reference_.data(), 1), "scale");
    const double magnitude = std::abs(beta);
    check(cublasDscal_64(handle, problem_.M * problem_.N, &magnitude, scale_.data(), 1), "scale");
  } else {
    DeviceBuffer<double> a(static_cast<std::size_t>(problem_.M * problem_.K));
    DeviceBuffer<double> b(static_cast<std::size_t>(problem_.K * problem_.N));
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

ProblemData::Verdict ProblemData::check_c() const {
  const double factor = lambda * std::sqrt(static_cast<double>(problem_.K) + 3) * unit_roundoff;
  const Comparison c = compare(c_.view(), reference_.data(), scale_.data(), factor, stream_);
  const std::string at =
      fmt::format("row {}, column {}", c.worst_index / problem_.N, c.worst_index % problem_.N);
  if (c.not_finite > 0)
    return {std::nullopt, fmt::format("wrong result: {} of {} elements are not finite, e.g. {}",
                                      c.not_finite, problem_.M * problem_.N, at)};
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
                    problem_.M * problem_.N, at, c.worst_error, c.worst_bound);
  if (const auto outside = c_.overwritten(stream_); outside > 0) {
    verdict.correctness->passed = false;
    verdict.reason = fmt::format("wrote {} words outside C", outside);
  }
  return verdict;
}

}  // namespace rooftile::gemm
