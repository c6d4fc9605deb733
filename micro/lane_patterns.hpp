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

/// The published patterns, all XOR pairings, mixtures of half-warps and quarter-warps, inactive
/// lanes, conflicts after a merge, what tiled matrix products use, random permutations and offsets,
/// and stores: no two alike in width, direction and lanes. All offsets stay within 32 KiB.
std::vector<LanePattern> lane_patterns();

/// A pattern with its measured cycles an instruction at saturation.
struct MeasuredPattern {
  LanePattern pattern;
  double cycles = 0;
};

/// Whether measured cycles are the modelled wavefronts: they round to them and lie within 1.5 %.
bool matches_wavefronts(double cycles, int wavefronts);

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
