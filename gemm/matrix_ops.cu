// See matrix_ops.cuh. Grid-stride loops over 64-bit indices; none of this is timed.
#include <cuda_runtime.h>

#include <vector>

#include "gemm/matrix_ops.cuh"
#include "gpu/cuda/error.hpp"
#include "gpu/cuda/handles.hpp"

namespace rooftile::gemm {

namespace {

constexpr int blocks = 1024, threads = 256;

__device__ std::int64_t first_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::int64_t index_step() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

__device__ float uniform(std::uint64_t counter, std::uint32_t key) {
  auto low = static_cast<std::uint32_t>(counter), high = static_cast<std::uint32_t>(counter >> 32);
  for (int round = 0; round < 10; ++round, key += 0x9E3779B9u) {
    const std::uint32_t product_high = __umulhi(0xD256D193u, low);
    const std::uint32_t product_low = 0xD256D193u * low;
    low = product_high ^ key ^ high;
    high = product_low;
  }
  return static_cast<float>(low >> 8) * 0x1p-23f - 1.0f;
}

/// The i-th element, row-major, matrix after matrix.
__device__ float& element(const MatrixView& of, std::int64_t i) {
  const std::int64_t one = of.rows * of.columns, inside = i % one;
  return of.data[i / one * of.stride + inside / of.columns * of.pitch + inside % of.columns];
}

/// Is the word `at` behind the first an element? Several matrices may reach around it, row beside
/// row, but only those whose span holds it are asked.
__device__ bool is_element(const MatrixView& of, std::int64_t at) {
  const std::int64_t span = (of.rows - 1) * of.pitch + of.columns;
  if (at < 0) return false;
  const std::int64_t last = of.stride > 0 ? min(at / of.stride, of.count - 1) : 0;
  for (std::int64_t i = last; i >= 0; --i) {
    const std::int64_t inside = at - i * of.stride;
    if (inside >= span) return false;
    if (inside % of.pitch < of.columns) return true;
  }
  return false;
}

__global__ void fill_random_kernel(MatrixView to, std::uint32_t seed) {
  for (auto i = first_index(); i < to.size(); i += index_step()) element(to, i) = uniform(i, seed);
}

__global__ void widen_kernel(MatrixView from, double* to, bool absolute) {
  for (auto i = first_index(); i < from.size(); i += index_step()) {
    const double value = element(from, i);
    to[i] = absolute ? fabs(value) : value;
  }
}

/// Error over bound; infinite for what is not finite, so that NaN is always worst.
__device__ double badness(const Comparison& c) {
  if (c.not_finite > 0) return INFINITY;
  if (c.worst_error == 0) return 0;
  return c.worst_bound > 0 ? c.worst_error / c.worst_bound : INFINITY;
}

__device__ void merge(Comparison& into, const Comparison& other) {
  if (badness(other) > badness(into)) {
    into.worst_error = other.worst_error;
    into.worst_bound = other.worst_bound;
    into.worst_index = other.worst_index;
  }
  into.error_squares += other.error_squares;
  into.reference_squares += other.reference_squares;
  into.bad += other.bad;
  into.not_finite += other.not_finite;
}

__device__ Comparison compare_element(float value, double reference, double bound,
                                      std::int64_t index) {
  Comparison one;
  const double error = fabs(value - reference);
  one.not_finite = isfinite(value) ? 0 : 1;
  one.bad = error <= bound ? 0 : 1;  // false for NaN
  one.worst_error = one.not_finite ? 0 : error;
  one.worst_bound = bound;
  one.worst_index = index;
  one.error_squares = one.not_finite ? 0 : error * error;
  one.reference_squares = reference * reference;
  return one;
}

__global__ void compare_kernel(MatrixView result, const double* reference, const double* scale,
                               double factor, Comparison* by_block) {
  Comparison mine;
  for (auto i = first_index(); i < result.size(); i += index_step())
    merge(mine, compare_element(element(result, i), reference[i], factor * scale[i], i));
  __shared__ Comparison shared[threads];
  shared[threadIdx.x] = mine;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < half)
      merge(shared[threadIdx.x], shared[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) by_block[blockIdx.x] = shared[0];
}

__global__ void merge_kernel(Comparison* by_block, int count) {
  for (int i = 1; i < count; ++i) merge(by_block[0], by_block[i]);
}

__global__ void overwritten_kernel(const float* words, std::int64_t count, MatrixView matrix,
                                   unsigned long long* found) {
  const std::int64_t first = matrix.data - words;
  for (auto i = first_index(); i < count; i += index_step()) {
    if (__float_as_uint(words[i]) != 0xFFFFFFFFu && !is_element(matrix, i - first))
      atomicAdd(found, 1ULL);
  }
}

}  // namespace

void fill_random(const MatrixView& to, std::uint32_t seed, cudaStream_t stream) {
  fill_random_kernel<<<blocks, threads, 0, stream>>>(to, seed);
  check_launch("fill_random");
}

void widen(const MatrixView& from, double* to, bool absolute, cudaStream_t stream) {
  widen_kernel<<<blocks, threads, 0, stream>>>(from, to, absolute);
  check_launch("widen");
}

Comparison compare(const MatrixView& result, const double* reference, const double* scale,
                   double factor, cudaStream_t stream) {
  DeviceBuffer<Comparison> by_block(blocks);
  compare_kernel<<<blocks, threads, 0, stream>>>(result, reference, scale, factor, by_block.data());
  check_launch("compare");
  merge_kernel<<<1, 1, 0, stream>>>(by_block.data(), blocks);
  check_launch("merge");
  check(cudaStreamSynchronize(stream), "compare");
  Comparison comparison;
  by_block.download(&comparison, 1);
  return comparison;
}

std::int64_t count_overwritten(const float* words, std::int64_t count, const MatrixView& matrix,
                               cudaStream_t stream) {
  DeviceBuffer<unsigned long long> found(1);
  check(cudaMemsetAsync(found.data(), 0, found.size_bytes(), stream), "cudaMemsetAsync");
  overwritten_kernel<<<blocks, threads, 0, stream>>>(words, count, matrix, found.data());
  check_launch("count_overwritten");
  check(cudaStreamSynchronize(stream), "count_overwritten");
  unsigned long long host = 0;
  found.download(&host, 1);
  return static_cast<std::int64_t>(host);
}

}  // namespace rooftile::gemm
