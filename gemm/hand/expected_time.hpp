// What hand_scheduled is expected to take, to choose between it and other kernels. Plain C++.
//
//   start + whole tiles x K at its rate + fix-ups of split tiles + copies of operands
//
// A rule of thumb with constants from measurements of 27 development shapes on one H200; nothing
// but the choice of a kernel depends on it, and the model does not use it.
#pragma once

#include <cstdint>

#include "gemm/hand/shell_arguments.hpp"

namespace rooftile::gemm::hand {

struct ExpectedWork {
  std::int64_t M = 1, N = 1, K = 1;
  double copied_bytes = 0;  ///< of operands that TMA does not take as they lie
  int copies = 0;
};

inline double expected_seconds(const ExpectedWork& work, int sm_count, double clock_hz) {
  constexpr double start_s = 25e-6, copy_s = 5e-6, copy_bytes_a_s = 0.8e12;
  constexpr double fma_a_cycle = 117.8;  // of an SM, start and tail apart
  constexpr double fix_up_s = 1.2e-6;    // of each further block of a tile, one after the other
  const std::int64_t tiles_m = (work.M - 1) / block_m + 1, tiles_n = (work.N - 1) / block_n + 1;
  const double fma = static_cast<double>(tiles_m * block_m) *
                     static_cast<double>(tiles_n * block_n) * static_cast<double>(work.K);
  const double blocks_a_tile = sm_count / static_cast<double>(tiles_m * tiles_n);
  const double fix_ups = blocks_a_tile > 1 ? blocks_a_tile - 1 : 0;
  return start_s + fma / (fma_a_cycle * sm_count * clock_hz) + fix_ups * fix_up_s +
         work.copies * copy_s + 2 * work.copied_bytes / copy_bytes_a_s;
}

}  // namespace rooftile::gemm::hand
