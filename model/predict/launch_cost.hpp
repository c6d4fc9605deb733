// What launching adds to a kernel's own time, as runs are measured: an event-timed launch alone
// costs launch.overhead; where several follow each other between the two events, each further one
// costs the time from kernel to kernel of a stream.
#pragma once

#include "model/record/launches.hpp"

namespace rooftile {

struct LaunchCost {
  double alone_s = 0;
  double next_s = 0;  ///< of each further launch in a row; at most alone_s

  /// Of one launch whose kernel runs `work_s`. `in_a_row`: false where something happens between
  /// launches (C is reset, where it is read). With it the sum of both never falls as work_s grows.
  double share_s(double work_s, bool in_a_row) const {
    if (!in_a_row || alone_s + work_s <= 0) return alone_s;
    const double launches = launches_a_sample(alone_s + work_s);
    return (alone_s + (launches - 1) * std::min(next_s, alone_s)) / launches;
  }
};

}  // namespace rooftile
