// What a warp's store to global memory costs an SM, by what its lanes touch: measured patterns
// (table global_store.patterns), one SM alone and all SMs at once.
//
// A pattern that was not measured costs what the nearest measured one of its width does that
// touches no fewer lines, by the ratios of lines and of sectors, in proportion to its sectors. No
// fewer: stores on few lines are merged with those that follow, and what merges is a step.
#pragma once

#include <vector>

#include "model/kernel/kernel_description.hpp"
#include "model/profile/device_profile.hpp"

namespace rooftile {

class StoreCosts {
 public:
  /// Cycles of an SM for one warp store.
  struct Cycles {
    double one_sm = 0, all_sms = 0;
  };

  StoreCosts() = default;
  /// Without the table: nothing is known. Throws InputError for a table of other columns.
  explicit StoreCosts(const DeviceProfile& profile);

  bool known() const { return !patterns_.empty(); }
  /// Needs known(). No allocation.
  Cycles cycles(const StoreShape& shape) const;

 private:
  struct Pattern {
    StoreShape shape;
    Cycles cycles;
  };
  std::vector<Pattern> patterns_;
};

}  // namespace rooftile
