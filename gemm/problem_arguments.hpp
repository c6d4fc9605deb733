// From a problem and three pointers to kernel arguments, the border behind which all is row-major;
// and what is asked of these.
#pragma once

#include <cstdint>
#include <utility>

#include "gemm/arguments.cuh"
#include "model/kernel/problem.hpp"

namespace rooftile::gemm {

/// `a`, `b`, `c`: as the problem names them; of a column-major problem A and B change places.
inline Arguments arguments_of(const GemmProblem& problem, const float* a, const float* b,
                              float* c) {
  const GemmProblem p = canonical(problem);
  if (problem.layout == Layout::column_major) std::swap(a, b);
  return {.a = a,
          .b = b,
          .c = c,
          .M = p.M,
          .N = p.N,
          .K = p.K,
          .lda = p.lda,
          .ldb = p.ldb,
          .ldc = p.ldc,
          .alpha = static_cast<float>(p.alpha),
          .beta = static_cast<float>(p.beta),
          .trans_a = p.trans_a,
          .trans_b = p.trans_b,
          .batch = p.batch,
          .stride_a = p.stride_a,
          .stride_b = p.stride_b,
          .stride_c = p.stride_c};
}

/// Does every row of a matrix start on 16 bytes, as float4, 16-byte copies and TMA want it?
inline bool aligned16(const float* data, long long pitch) {
  return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && pitch % 4 == 0;
}

}  // namespace rooftile::gemm
