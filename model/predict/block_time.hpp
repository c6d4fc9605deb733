// t(n, a): cycles from a common start until n blocks on one SM have finished while a SMs are
// active; the heart of the analytic predictor. See docs/model.md, "Time of a block".
#pragma once

#include "model/predict/demand.hpp"

namespace rooftile {

/// Which costs count. Switching them on one after another splits a time into terms.
struct Costs {
  bool issue = true, smem = true, l2 = true, dram = true, latency = true, epilogue = true;
};

/// Cycles; `clock_hz` converts DRAM bandwidth. n >= 0, a >= 1.
double block_time(const Machine& machine, const BlockDemand& demand, const Costs& costs,
                  double clock_hz, int n, int a);

/// Busy cycles that each resource of an SM spends on one block at n resident blocks and a active
/// SMs: the lower bounds of t(n, a) / n.
struct ResourceCycles {
  double fma = 0, issue = 0, smem = 0, l2 = 0, dram = 0;
};
ResourceCycles resource_cycles(const Machine& machine, const BlockDemand& demand, double clock_hz,
                               int n, int a);

}  // namespace rooftile
