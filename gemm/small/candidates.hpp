// The tiles of the family and what each costs. Plain C++.
//
// The costs are fitted to runs of the development shapes of data/splits.json on one H200 and go
// into the rule of choice.cpp: a heuristic, not the project's model.
#pragma once

#include <array>

namespace rooftile::gemm::small {

/// How a kernel reaches the operands.
enum class Path {
  direct,    ///< NN, all of it 16-byte aligned
  prepared,  ///< A as K x M and B as K x N, aligned, copied there where they are not; C anyhow
  words,     ///< NN, 4 bytes at a time, nothing aligned, nothing copied
};
inline constexpr int path_count = 3;

/// Of one k-step of a block, in multiples of BM * BN / 128 cycles: with its multiprocessor to
/// itself, and its share of a full one. What a wave of blocks costs beside its steps.
struct Costs {
  double alone, shared, wave_us;
};

struct Candidate {
  int BM, BN, BK, TM, TN;
  int groups, stages;  ///< see Plan
  Costs quads, words;  ///< paths direct and prepared; path words, 0: not compiled for it
};

inline constexpr std::array candidates{
    Candidate{16, 32, 32, 4, 4, 4, 4, {2.08, 2.10, 1.16}, {7.23, 4.67, 1.75}},
    Candidate{32, 32, 32, 4, 4, 2, 4, {1.60, 1.84, 1.38}, {5.16, 3.05, 1.46}},
    Candidate{32, 32, 32, 4, 4, 4, 4, {2.08, 2.08, 1.52}, {4.41, 3.29, 1.70}},
    Candidate{32, 64, 32, 4, 8, 2, 4, {1.72, 1.55, 1.48}, {4.45, 3.05, 2.20}},
    Candidate{32, 64, 32, 8, 8, 4, 4, {1.57, 1.46, 1.70}, {4.65, 2.81, 2.30}},
    Candidate{64, 32, 32, 8, 4, 2, 4, {1.84, 1.63, 1.76}, {3.73, 2.41, 2.04}},
    Candidate{64, 64, 16, 8, 8, 2, 4, {1.66, 1.40, 1.76}, {4.43, 1.79, 2.01}},
    Candidate{64, 64, 32, 8, 8, 4, 3, {1.47, 1.41, 2.22}, {2.85, 1.85, 3.20}},
    Candidate{64, 64, 32, 16, 8, 4, 3, {1.76, 1.35, 2.91}, {2.40, 1.83, 4.26}},
    Candidate{64, 128, 16, 8, 8, 1, 4, {1.60, 1.35, 2.37}, {3.62, 1.54, 2.94}},
    Candidate{64, 128, 16, 16, 8, 2, 4, {1.60, 1.30, 3.13}, {0, 0, 0}},
    Candidate{64, 128, 32, 16, 8, 4, 3, {1.46, 1.35, 2.54}, {0, 0, 0}},
    Candidate{128, 128, 16, 8, 8, 1, 3, {1.45, 1.29, 2.24}, {1.84, 1.30, 4.70}},
    Candidate{128, 128, 8, 16, 8, 1, 4, {1.60, 1.30, 3.18}, {0, 0, 0}},
};
inline constexpr int candidate_count = static_cast<int>(candidates.size());

}  // namespace rooftile::gemm::small
