// See gemm_fuzz_check.cuh. Grid-stride loops; problems are small.
#include "gemm_fuzz_check.cuh"

#include "gpu/cuda/error.hpp"

namespace rooftile::gemm {

namespace {

constexpr int blocks = 528, threads = 256;

__device__ std::int64_t first_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::int64_t index_step() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

struct Element {
  std::int64_t matrix, row, column;
};

__device__ Element element_of(const FuzzCase& p, std::int64_t index) {
  const std::int64_t inside = index % (p.M * p.N);
  return {index / (p.M * p.N), inside / p.N, inside % p.N};
}
__device__ std::int64_t offset(const Steps& s, std::int64_t matrix, std::int64_t row,
                               std::int64_t column) {
  return matrix * s.matrix + row * s.row + column * s.column;
}

__global__ void reference_kernel(FuzzCase p, double* sum, double* magnitude) {
  for (auto i = first_index(); i < p.batch * p.M * p.N; i += index_step()) {
    const Element e = element_of(p, i);
    double total = 0, terms = 0;
    if (p.alpha != 0) {
      const float* a = p.a + offset(p.a_steps, e.matrix, e.row, 0);
      const float* b = p.b + offset(p.b_steps, e.matrix, 0, e.column);
      for (std::int64_t k = 0; k < p.K; ++k, a += p.a_steps.column, b += p.b_steps.row) {
        const double term = static_cast<double>(*a) * *b;
        total += term;
        terms += fabs(term);
      }
    }
    const double c = p.beta == 0 ? 0.0
                                 : static_cast<double>(p.beta) *
                                       p.c0[offset(p.c_steps, e.matrix, e.row, e.column)];
    sum[i] = p.alpha * total + c;
    magnitude[i] = fabs(static_cast<double>(p.alpha)) * terms + fabs(c);
  }
}

__global__ void elements_kernel(FuzzCase p, float* c, const double* sum, const double* magnitude,
                                double factor, int number, FuzzFailures* failures) {
  for (auto i = first_index(); i < p.batch * p.M * p.N; i += index_step()) {
    const Element e = element_of(p, i);
    const std::int64_t at = offset(p.c_steps, e.matrix, e.row, e.column);
    const bool good = fabs(c[at] - sum[i]) <= factor * magnitude[i];  // false for NaN
    reinterpret_cast<std::uint32_t*>(c)[at] = reinterpret_cast<const std::uint32_t*>(p.c0)[at];
    if (good) continue;
    atomicAdd(&failures->wrong, 1ULL);
    atomicMin(&failures->first_problem, number);
  }
}

__global__ void words_kernel(std::uint32_t* buffer, const std::uint32_t* before, std::int64_t words,
                             int number, FuzzFailures* failures) {
  for (auto i = first_index(); i < words; i += index_step()) {
    if (buffer[i] == before[i]) continue;
    buffer[i] = before[i];
    atomicAdd(&failures->overwritten, 1ULL);
    atomicMin(&failures->first_problem, number);
  }
}

}  // namespace

void fuzz_reference(const FuzzCase& problem, double* sum, double* magnitude, cudaStream_t stream) {
  reference_kernel<<<blocks, threads, 0, stream>>>(problem, sum, magnitude);
  check_launch("fuzz_reference");
}

void fuzz_check(const FuzzCase& problem, float* c, const double* sum, const double* magnitude,
                double factor, std::uint32_t* buffer, const std::uint32_t* before,
                std::int64_t words, int number, FuzzFailures* failures, cudaStream_t stream) {
  elements_kernel<<<blocks, threads, 0, stream>>>(problem, c, sum, magnitude, factor, number,
                                                  failures);
  check_launch("fuzz elements");
  words_kernel<<<blocks, threads, 0, stream>>>(buffer, before, words, number, failures);
  check_launch("fuzz words");
}

}  // namespace rooftile::gemm
