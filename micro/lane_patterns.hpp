// Lane patterns of shared-memory accesses, and the merge rules that explain their measured cost.
// Plain C++.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/kernel/kernel_description.hpp"
#include "model/memory/wavefronts.hpp"

namespace rooftile::micro {

struct LanePattern {
  std::string name;  ///< e.g. "lds128 4(i/2)": instruction, float offset of lane i
  int width_bytes = 4;
  Direction direction = Direction::load;
  LaneAddresses lanes;
};

/// The published patterns, all XOR pairings, mixtures of half-warps, inactive lanes, conflicts
/// after a merge, random permutations and stores. All offsets stay within 16 KiB.
std::vector<LanePattern> lane_patterns();

/// A pattern with its measured cycles an instruction at saturation.
struct MeasuredPattern {
  LanePattern pattern;
  double cycles = 0;
};

struct RuleVerdict {
  MergeRules rules;     ///< the candidate that explains most patterns; of equals the one nearest
                        ///< the defaults
  int unexplained = 0;  ///< patterns whose modelled wavefronts differ from the measured cycles by
                        ///< more than a quarter
  MergeRules agreed;    ///< per switch: whether all equally good candidates give it the same value
};

/// Compares all 32 combinations of the switches.
RuleVerdict infer_rules(std::span<const MeasuredPattern> measured);

}  // namespace rooftile::micro
