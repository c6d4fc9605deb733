// Where another run's median will fall: the interval `repeat95` of a metric.
//
// Two things move a median from one run to the next: the scatter of its repetitions, and what all
// repetitions of a run share (placement of pages, which SMs a block gets, temperature). The first
// is seen inside a round of measuring, the second only between rounds that start anew. So both are
// estimated, and the interval holds both of these and the median:
//  - of one more repetition, from all n: mean +- t(n-1) s sqrt(1 + 1/n),
//  - of one more round, from the r >= 2 medians of rounds: the same with the medians.
// Both are the prediction interval of Hahn and Meeker, Statistical Intervals, section 4.7, moved to
// the median and widened to hold it. Pitfall: what rounds of one process share (a driver's state,
// a card) is in neither.
#pragma once

#include <span>
#include <vector>

#include "model/profile/device_profile.hpp"

namespace rooftile {

/// 97.5 % quantile of Student's t, `freedom` >= 1; within 1 %. Throws std::logic_error below 1.
double student_975(int freedom);

/// `rounds`: the repetitions of each round; at least 2 values altogether (std::logic_error). A
/// single round gives the first interval alone.
Interval repeat_interval(std::span<const std::vector<double>> rounds);

}  // namespace rooftile
