// What hand_scheduled is expected to take, to choose between it and other kernels. Plain C++.
//
//   start + whole tiles x K at its rate + fix-ups of split tiles + copies of operands
//
// A rule of thumb with constants from measurements of 27 development shapes on one H200. Of the 53
// times of hand_scheduled in data/h200/checks/selected.jsonl.gz half are met within 4 %, all but
// three within 26 %; the worst (4095x4097x33, -64 %) have next to no K. Nothing but the choice of a
// kernel depends on it, and the model does not use it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gemm/hand/schedule.hpp"

namespace rooftile::gemm::hand {

struct ExpectedWork {
  std::int64_t M = 1, N = 1, K = 1;
  double copied_bytes = 0;  ///< of operands that TMA does not take as they lie
  int copies = 0;
};

/// Of a problem that is not too_large().
inline double expected_seconds(const ExpectedWork& work, int sm_count, double clock_hz) {
  constexpr double start_s = 25e-6, copy_s = 5e-6, copy_bytes_a_s = 0.8e12;
  constexpr double fma_a_cycle = 117.8;  // of an SM, start and tail apart
  constexpr double fix_up_s = 1.2e-6;    // of each further block of a tile, one after the other
  const Schedule s = schedule_of(work.M, work.N, work.K, sm_count);
  const double tiles = static_cast<double>(s.tiles_m) * s.tiles_n;
  const double fma = tiles * block_m * block_n * static_cast<double>(work.K);
  const double fix_ups = std::max(s.blocks / tiles - 1, 0.0);
  return start_s + fma / (fma_a_cycle * sm_count * clock_hz) + fix_ups * fix_up_s +
         work.copies * copy_s + 2 * work.copied_bytes / copy_bytes_a_s;
}

}  // namespace rooftile::gemm::hand
