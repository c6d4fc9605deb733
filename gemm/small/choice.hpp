// Which kernel of the family a launch takes, and how K is split. Plain C++.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "gemm/small/candidates.hpp"
#include "model/kernel/tile.hpp"

namespace rooftile::gemm::small {

inline constexpr int largest_cluster = 16;

/// What the rule reads of a device.
struct Machine {
  int sm_count = 0;
  bool has_clusters = false;  ///< of blocks, and launches that overlap the kernel before
  /// Clusters of so many blocks that run at once with a block a multiprocessor; 0: none.
  std::array<int, largest_cluster + 1> clusters{};
  /// Blocks a multiprocessor holds, by path and candidate; 0: it cannot run there.
  std::array<std::array<int, candidates.size()>, path_count> whole{}, in_cluster{};
};

struct Problem {
  std::int64_t M = 1, N = 1, K = 1;
  bool direct = false, words = false;  ///< paths that take it; prepared takes all
  double copied_bytes = 0;             ///< of the operands that Path::prepared would copy
  auto operator<=>(const Problem&) const = default;
};

struct Choice {
  Path path = Path::prepared;
  int candidate = 0;
  int splits = 1;
  bool cluster = false;  ///< the splits of a tile are a cluster; else a second kernel adds them up
  double seconds = 0;    ///< what the rule expects
};

/// Can the device launch it, and is it worth its memory? Of `problem` it asks the sizes and what
/// would be copied, not whether the path takes its alignment.
bool possible(const Problem& problem, const Machine& machine, const Choice& choice);

/// The least expensive by estimate(). K is at least 1.
Choice choose(const Problem& problem, const Machine& machine);

/// Waves x k-steps x cost, and what comes on top; seconds. See choice.cpp.
double estimate(const Problem& problem, const Machine& machine, const Choice& choice);

/// As a run records it.
Tile tile_of(const Choice& choice);

}  // namespace rooftile::gemm::small
