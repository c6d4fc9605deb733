// Wavefronts: passes of the 128-byte data path that one warp instruction needs.
//
// Shared memory has 32 banks of 4 bytes. Lanes are served in groups: all 32 at 4 bytes a lane, the
// two half-warps at 8, the four quarter-warps at 16; a group needs as many wavefronts as the
// fullest bank has distinct words, and one even when none of its lanes is active while another
// group's are (measured on 9.0 for loads: LDS.128 of the low half takes as long as of all lanes).
// Neighbouring groups merge when, over the active lanes, every
// lane reads the address of lane i^1 (condition A), or every lane that of lane i^2 (condition B):
// LDS.64 becomes one group, LDS.128 one group a half-warp, never one. Published for compute
// capability 7.x, measured to hold on 9.0; which switches hold on a GPU is a microbenchmark's
// business (smem_patterns).
#pragma once

#include "model/kernel/kernel_description.hpp"
#include "model/profile/device_profile.hpp"

namespace rooftile {

/// How groups of lanes merge on this architecture; defaults as measured on compute capability 9.0.
struct MergeRules {
  bool merge_a = true;           ///< condition A merges
  bool merge_b = true;           ///< condition B merges
  bool per_half = false;         ///< the condition is judged for each half-warp alone
  bool inactive_matches = true;  ///< a pair with an inactive lane counts as equal
  bool store_merge = false;      ///< stores merge like loads
  auto operator<=>(const MergeRules&) const = default;
};

/// Switches found by the microbenchmark; those absent from the profile keep their default.
MergeRules merge_rules(const DeviceProfile& profile);

/// Wavefronts of one shared-memory instruction; 0 when no lane is active. Throws InputError unless
/// the width is 4, 8 or 16 and every active address is a multiple of it and not negative.
int shared_wavefronts(const LaneAddresses& lanes, int width_bytes, Direction direction,
                      const MergeRules& rules);

/// A lower bound on shared_wavefronts from width and rules alone, for an instruction with all
/// lanes active.
int least_shared_wavefronts(int width_bytes, Direction direction, const MergeRules& rules);

/// Of an instruction whose lanes neither conflict nor merge.
int plain_wavefronts(int width_bytes);

/// Wavefronts of the L1 data path for one global load that hits L1: the larger of the bank
/// conflicts of its words (as for shared memory, without merging) and the distinct 128-byte lines
/// over four. Measured on an H200 (curve l1.stride, strides in words): 1: 1.00, 2: 2.00, 3: 1.13,
/// 4: 4.00, 5: 2.00, 6: 2.00, 7: 2.25, 8: 8.00, 9: 3.00, 16: 16, 32: 32. The rule gives whole
/// numbers, so 1 and 2 at strides of 3 and 7: an eighth too few; all others within 1 %.
int l1_wavefronts(const LaneAddresses& lanes, int width_bytes);

/// Distinct 128-byte lines that the active lanes touch.
int lines(const LaneAddresses& lanes);

/// Distinct 32-byte sectors that the active lanes touch.
int sectors(const LaneAddresses& lanes, int width_bytes);

/// Of a store with these lanes.
StoreShape store_shape(const LaneAddresses& lanes, int width_bytes);

}  // namespace rooftile
