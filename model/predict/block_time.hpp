// t(n, a): cycles from a common start until n blocks on one SM have finished while a SMs are
// active; what the analytic and the sass predictor share. See docs/model.md, "Time of a block". As
// functions of n, all that a BlockModel returns are non-decreasing and at most n times what they
// are at 1: so is t, and no tail comes out negative.
#pragma once

#include "model/predict/demand.hpp"

namespace rooftile {

/// Which costs count. Switching them on one after another splits a time into terms.
struct Costs {
  bool issue = true, smem = true, l2 = true, dram = true, latency = true, epilogue = true;
  friend bool operator==(const Costs&, const Costs&) = default;
};

/// What an SM makes of one kernel's instructions: where the predictors differ. Cycles; n >= 1.
class BlockModel {
 public:
  virtual ~BlockModel() = default;
  /// One main-loop step of n resident blocks, all of them, on an SM that has L2 to itself. More
  /// costs never take less.
  virtual double step(const Costs& costs, int n) const = 0;
  /// Of a block's steps those that the loop does; the others are in prologue and epilogue.
  virtual double steps_in_loop(double steps) const { return steps; }
  /// From the start of n blocks, a SMs being active, to the first step.
  virtual double prologue(int n, int a) const = 0;
  /// Of n blocks from the last step to the first store.
  virtual double epilogue(int n) const = 0;
  /// Instructions of n blocks from there on; what the stores move is not counted.
  virtual double stores(int n) const = 0;
  /// Of blocks that walk over tiles, side by side, from one tile to the next: what is in neither
  /// epilogue nor prologue.
  virtual double next_tile() const { return 0; }
};

/// What the tile of a block comes after: the block's start, or another tile that it has done.
enum class TileAfter { block_start, tile };

/// Cycles; `clock_hz` converts DRAM bandwidth. n >= 0, a >= 1.
double block_time(const Machine& machine, const BlockDemand& demand, const BlockModel& model,
                  const Costs& costs, double clock_hz, int n, int a,
                  TileAfter after = TileAfter::block_start);

}  // namespace rooftile
