// What an SM makes of a described kernel, in closed forms: the instruction counts of the
// description through two small queueing networks. The block model of the analytic predictor.
#pragma once

#include "model/predict/block_time.hpp"

namespace rooftile {

/// Refers to machine and demand; allocates nothing.
class ClosedForms final : public BlockModel {
 public:
  ClosedForms(const Machine& machine, const BlockDemand& demand)
      : machine_(machine), demand_(demand) {}
  double step(const Costs& costs, int n) const override;
  /// The first loads of a double-buffered loop.
  double prologue(int n, int a) const override;
  double epilogue(int) const override { return 0; }
  double stores(int n) const override;
  double next_tile() const override { return machine_[Scalar::persistent_step]; }

 private:
  struct Step {
    Costs costs;
    int n = 0;
    double cycles = 0;
  };
  double slowest_step(const Costs& costs, int n) const;

  const Machine& machine_;
  const BlockDemand& demand_;
  /// Asked for last, n >= 1: whole waves and the tail often hold as many blocks. An object is of
  /// one prediction, and so of one thread.
  mutable Step last_;
};

/// Busy cycles that each resource of an SM spends on one block at n resident blocks and a active
/// SMs: the lower bounds of t(n, a) / n.
struct ResourceCycles {
  double fma = 0, issue = 0, smem = 0, l2 = 0, dram = 0;
};
ResourceCycles resource_cycles(const Machine& machine, const BlockDemand& demand, double clock_hz,
                               int n, int a);

}  // namespace rooftile
