// The rule: the candidate, path and split with the least of
//
//   launch + waves + exchange + copies
//
// waves     the fullest multiprocessor's blocks run in waves of what it holds; a wave of r blocks
//           takes max(alone, r * shared) cycles a k-step, and its fixed cost
// exchange  partial sums through distributed shared memory, or through L2 and a second kernel
// copies    of operands that 16-byte accesses do not reach, by a kernel before the main one
//
// Constants were fitted to the development shapes on one H200. On another GPU the order of
// magnitude holds, and with it most choices; nothing but speed depends on it.
#include "gemm/small/choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rooftile::gemm::small {

namespace {

constexpr double launch_us = 2.00, cycles_a_us = 1980, store_us_an_element = 8.02e-05;
constexpr double cluster_us = 0.43, cluster_bytes_a_us = 73951;  // of a multiprocessor
constexpr double add_us = 1.76, add_bytes_a_us = 8.21e+06;
constexpr double copy_us = 2.30, copy_bytes_a_us = 4.03e+06;
/// More partial sums than this are not worth their memory.
constexpr double most_partial_bytes = 256e6;
/// Nor are larger copies where the words path does without.
constexpr double most_copied_bytes = 4e9;

std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

struct Shape {
  std::int64_t tiles;
  double tile_elements;
};

Shape shape_of(const Problem& p, const Candidate& c) {
  return {quotient_up(p.M, c.BM) * quotient_up(p.N, c.BN), static_cast<double>(c.BM) * c.BN};
}

int resident(const Machine& machine, const Choice& choice) {
  const auto& by_path = choice.cluster ? machine.in_cluster : machine.whole;
  return by_path[static_cast<int>(choice.path)][choice.candidate];
}

/// Blocks on the fullest multiprocessor. Clusters do not fill all of them, for each lies within a
/// GPC.
std::int64_t most_blocks(const Shape& shape, const Machine& machine, const Choice& choice) {
  if (!choice.cluster) return quotient_up(shape.tiles * choice.splits, machine.sm_count);
  return quotient_up(shape.tiles, machine.clusters[choice.splits]);
}

double waves_us(const Problem& p, const Machine& machine, const Choice& choice) {
  const Candidate& c = candidates[choice.candidate];
  const Shape shape = shape_of(p, c);
  const Costs& costs = choice.path == Path::words ? c.words : c.quads;
  const double k = static_cast<double>(quotient_up(p.K, choice.splits));
  const double unit_us = shape.tile_elements / 128 / cycles_a_us;
  const auto wave = [&](double blocks) {
    return std::max(costs.alone, blocks * costs.shared) * k * unit_us + costs.wave_us +
           blocks * shape.tile_elements * store_us_an_element;
  };
  const std::int64_t blocks = most_blocks(shape, machine, choice), held = resident(machine, choice);
  const std::int64_t full_waves = blocks / held, rest = blocks % held;
  return static_cast<double>(full_waves) * wave(static_cast<double>(held)) +
         (rest > 0 ? wave(static_cast<double>(rest)) : 0.0);
}

double exchange_us(const Problem& p, const Machine& machine, const Choice& choice) {
  if (choice.splits == 1) return 0;
  const Shape shape = shape_of(p, candidates[choice.candidate]);
  if (!choice.cluster)
    return add_us + 8.0 * choice.splits * static_cast<double>(p.M * p.N) / add_bytes_a_us;
  const auto blocks =
      std::min<std::int64_t>(most_blocks(shape, machine, choice), resident(machine, choice));
  return cluster_us + static_cast<double>(blocks) * shape.tile_elements * 4 * (choice.splits - 1) /
                          choice.splits / cluster_bytes_a_us;
}

double copies_us(const Problem& p, const Choice& choice) {
  if (choice.path != Path::prepared || p.copied_bytes == 0) return 0;
  return copy_us + 2 * p.copied_bytes / copy_bytes_a_us;
}

/// Splits worth a look: every cluster, and independent blocks that fill the multiprocessors.
std::vector<Choice> splits_of(Choice choice, const Problem& p, const Machine& machine) {
  std::vector<Choice> all{choice};
  choice.cluster = true;
  for (choice.splits = 2; choice.splits <= largest_cluster; ++choice.splits) all.push_back(choice);
  choice.cluster = false;
  const std::int64_t tiles = shape_of(p, candidates[choice.candidate]).tiles;
  for (std::int64_t held = 1; held <= 4; ++held) {
    const std::int64_t splits = held * machine.sm_count / tiles;
    if (splits < 2 || splits > 1024) continue;
    choice.splits = static_cast<int>(splits);
    all.push_back(choice);
  }
  return all;
}

}  // namespace

bool possible(const Problem& p, const Machine& machine, const Choice& choice) {
  const Candidate& c = candidates[choice.candidate];
  if (resident(machine, choice) == 0) return false;
  if (choice.path == Path::words && c.words.alone == 0) return false;
  if (choice.path == Path::prepared && p.words && p.copied_bytes > most_copied_bytes) return false;
  if (choice.splits == 1) return true;
  if (choice.splits > quotient_up(p.K, c.BK)) return false;
  if (choice.cluster) return machine.clusters[choice.splits] > 0 && choice.splits <= c.BM;
  return 4.0 * choice.splits * static_cast<double>(p.M * p.N) <= most_partial_bytes;
}

double estimate(const Problem& p, const Machine& machine, const Choice& choice) {
  return 1e-6 * (launch_us + waves_us(p, machine, choice) + exchange_us(p, machine, choice) +
                 copies_us(p, choice));
}

Choice choose(const Problem& p, const Machine& machine) {
  Choice best;
  best.seconds = std::numeric_limits<double>::infinity();
  for (const Path path : {Path::direct, Path::prepared, Path::words}) {
    if ((path == Path::direct && !p.direct) || (path == Path::words && !p.words)) continue;
    if (path == Path::prepared && p.direct) continue;
    for (int candidate = 0; candidate < candidate_count; ++candidate)
      for (Choice choice : splits_of({.path = path, .candidate = candidate}, p, machine)) {
        if (!possible(p, machine, choice)) continue;
        choice.seconds = estimate(p, machine, choice);
        if (choice.seconds < best.seconds) best = choice;
      }
  }
  return best;
}

Tile tile_of(const Choice& choice) {
  const Candidate& c = candidates[choice.candidate];
  return {.BM = c.BM,
          .BN = c.BN,
          .BK = c.BK,
          .TM = c.TM,
          .TN = c.TN,
          .WM = 4 * c.TM,
          .WN = 8 * c.TN,
          .stages = c.stages,
          .split_k = choice.splits};
}

}  // namespace rooftile::gemm::small
