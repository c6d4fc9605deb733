// What a warp's store to global memory costs an SM, by what its lanes touch: measured patterns
// (table global_store.patterns), one SM alone and all SMs at once.
//
// Patterns are told by width, lines and sectors; rows that have these in common count by their
// mean. A pattern that was not measured costs as the nearest one of its width by lines and sectors,
// in proportion to their sum: an H200 takes a cycle for each line and for each sector where it
// merges nothing. Stores on few lines are merged with those that follow, and that ends in a step;
// so the nearest with no fewer lines and the nearest with no more are both asked, and the dearer
// counts.
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
  /// What an SM takes alone still counts.
  void take_out_l2();

  /// Needs known(). No allocation.
  Cycles cycles(const StoreShape& shape) const;

 private:
  struct Pattern {
    StoreShape shape;
    Cycles cycles;
    int rows = 1;  ///< of the table that touch as much
  };
  struct Nearest;
  void add(const StoreShape& shape, const Cycles& cycles);

  std::vector<Pattern> patterns_;
};

}  // namespace rooftile
