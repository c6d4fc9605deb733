// The search for the merge rules that explain measured lane patterns.
#include <algorithm>
#include <cmath>

#include "micro/lane_patterns.hpp"

namespace rooftile::micro {
namespace {

std::vector<MergeRules> candidates() {
  std::vector<MergeRules> all;
  for (int bits = 0; bits < 32; ++bits)
    all.push_back(
        {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0});
  // Nearest the defaults first, so that a tie falls to them.
  const auto distance = [](const MergeRules& rules) {
    const MergeRules usual;
    return (rules.merge_a != usual.merge_a) + (rules.merge_b != usual.merge_b) +
           (rules.per_half != usual.per_half) + (rules.inactive_matches != usual.inactive_matches) +
           (rules.store_merge != usual.store_merge);
  };
  std::stable_sort(all.begin(), all.end(), [&](const MergeRules& x, const MergeRules& y) {
    return distance(x) < distance(y);
  });
  return all;
}

int unexplained(std::span<const MeasuredPattern> measured, const MergeRules& rules) {
  return static_cast<int>(
      std::count_if(measured.begin(), measured.end(), [&](const MeasuredPattern& m) {
        const int modelled =
            shared_wavefronts(m.pattern.lanes, m.pattern.width_bytes, m.pattern.direction, rules);
        return std::abs(m.cycles - modelled) > std::max(0.25, 0.02 * modelled);
      }));
}

}  // namespace

bool matches_wavefronts(double cycles, int wavefronts) {
  return std::lround(cycles) == wavefronts && std::abs(cycles - wavefronts) <= 0.015 * wavefronts;
}

RuleVerdict infer_rules(std::span<const MeasuredPattern> measured) {
  RuleVerdict verdict;
  bool first = true;
  for (const MergeRules& rules : candidates()) {
    const int misses = unexplained(measured, rules);
    if (first || misses < verdict.unexplained) {
      verdict = {rules, misses, {true, true, true, true, true}};
      first = false;
    } else if (misses == verdict.unexplained) {
      verdict.agreed.merge_a &= rules.merge_a == verdict.rules.merge_a;
      verdict.agreed.merge_b &= rules.merge_b == verdict.rules.merge_b;
      verdict.agreed.per_half &= rules.per_half == verdict.rules.per_half;
      verdict.agreed.inactive_matches &= rules.inactive_matches == verdict.rules.inactive_matches;
      verdict.agreed.store_merge &= rules.store_merge == verdict.rules.store_merge;
    }
  }
  return verdict;
}

}  // namespace rooftile::micro
