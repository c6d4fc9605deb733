// Compiles the family for one path.
#pragma once

#include <utility>

#include "gemm/small/kernels.hpp"
#include "gemm/small/split_k_kernel.cuh"

namespace rooftile::gemm::small {

template <int I, bool TRANS_A, int WIDTH_A, int WIDTH_B, int WIDTH_C>
using PlanOf =
    Plan<candidates[I].BM, candidates[I].BN, candidates[I].BK, candidates[I].TM, candidates[I].TN,
         candidates[I].groups, candidates[I].stages, TRANS_A, WIDTH_A, WIDTH_B, WIDTH_C>;

/// Whether the rule may choose it.
template <int I, int WIDTH_B>
inline constexpr bool compiled = WIDTH_B == 4 || candidates[I].words.alone > 0;

template <class Plan, bool COMPILED>
FamilyKernel family_kernel() {
  if constexpr (!COMPILED)
    return {};
  else
    return {.function = reinterpret_cast<const void*>(&split_k<Plan>),
            .threads = Plan::THREADS,
            .shared_bytes = &Plan::shared_bytes};
}

template <bool TRANS_A, int WIDTH_A, int WIDTH_B, int WIDTH_C, int... I>
FamilyKernels family_kernels(std::integer_sequence<int, I...>) {
  return {family_kernel<PlanOf<I, TRANS_A, WIDTH_A, WIDTH_B, WIDTH_C>, compiled<I, WIDTH_B>>()...};
}

template <bool TRANS_A, int WIDTH_A, int WIDTH_B, int WIDTH_C>
FamilyKernels family_kernels() {
  return family_kernels<TRANS_A, WIDTH_A, WIDTH_B, WIDTH_C>(
      std::make_integer_sequence<int, candidate_count>{});
}

}  // namespace rooftile::gemm::small
