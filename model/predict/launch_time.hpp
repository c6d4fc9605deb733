// From the time of a block to the time of a launch: waves, tail, terms, bound. What the analytic
// and the sass predictor share:
//
//   T = launch + floor(T / (S b)) t(b, S) + t(ceil(r / S), min(r, S))
//
// with t(n, a) of block_time.hpp. A persistent grid is one wave of blocks, whose tiles follow one
// another as waves do; from the second on t has a step to the next tile in place of a block's
// start. Terms come from switching costs on one after another: FMA, issue,
// shared path, L2, DRAM, latency, epilogue, tail, launch; each term is the difference that the cost
// makes, so they add up to the time.
#pragma once

#include <functional>
#include <optional>

#include "model/kernel/occupancy.hpp"
#include "model/predict/block_time.hpp"
#include "model/predict/closed_forms.hpp"
#include "model/predict/sum_pass.hpp"
#include "model/record/prediction.hpp"
#include "model/schedule/waves.hpp"

namespace rooftile {

/// Everything that follows from machine, kernel and problem before a block is timed.
struct LaunchCase {
  Occupancy fit;  ///< blocks_per_sm == 0: cannot be launched, and nothing below is set
  KernelDemand demand;
  Waves waves;
  double clock_hz = 0;
  ResourceCycles busy;   ///< per block, all SMs active
  double launches = 1;   ///< of the kernel, one after another
  SumPassTime sums;      ///< of what adds up parts of K
  bool in_a_row = true;  ///< measured so where short: C is not read
};

LaunchCase launch_case(const Machine& machine, const KernelDescription& kernel,
                       const GemmProblem& problem);

/// Sets clock and busy cycles anew, after a change of the demand.
void update_busy(const Machine& machine, LaunchCase& c);

/// Seconds. No allocation.
double launch_time_s(const Machine& machine, const LaunchCase& c, const BlockModel& model);

/// Fills in time, terms, bound, schedule and traffic. Throws InputError when the kernel does not
/// fit on an SM.
void explain_launch(const Machine& machine, const LaunchCase& c, const BlockModel& model,
                    Prediction& prediction);

/// The profile's uncertainty carried through: the changes that `time_s_on` shows with each input at
/// both ends of its own interval, one at a time, added in quadrature (independent inputs, first
/// order); nullopt where no input has an interval.
std::optional<Interval> input_interval(const Machine& machine, double time_s,
                                       const std::function<double(const Machine&)>& time_s_on);

}  // namespace rooftile
