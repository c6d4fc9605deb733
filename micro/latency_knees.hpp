// Which knee of the latency staircase belongs to which level: L1, the part of L2 near to an SM, all
// of L2.
//
// Steps are found by micro/knees.hpp. A step belongs to the level whose known latency lies nearest
// to what it leaves; the one that arrives at DRAM's latency ends L2.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "micro/context.hpp"
#include "micro/knees.hpp"

namespace rooftile::micro {

struct LevelLatencies {
  double l1 = 0, l2 = 0, dram = 0;  ///< cycles
};

struct LevelKnee {
  std::string id;        ///< memory.knee.l1, .l2_near or .l2
  std::size_t step = 0;  ///< index into the steps
};

/// The steps that end a level, at most one for each id.
std::vector<LevelKnee> name_knees(const std::vector<Knee>& steps, const LevelLatencies& levels);

/// `count` x around a knee, log-spaced from under its start to over its end, moved by `phase` (0 to
/// 1) of their distance.
std::vector<double> around(const Knee& knee, int count, double phase);

/// One repetition of a latency curve.
struct Staircase {
  std::vector<double> x, y;
  void add(double at, double value);  ///< keeps x ascending
};

/// Where `stair` leaves the level before step `k` of `steps`: a fit of its own to the points
/// between the steps before and after.
std::optional<double> position_in(const Staircase& stair, const std::vector<Knee>& steps,
                                  std::size_t k);

}  // namespace rooftile::micro
