#include "model/predict/block_time.hpp"

#include <algorithm>

namespace rooftile {
namespace {

/// Least cycles of a step of one block that L2 and DRAM allow.
double memory_cycles(const Machine& machine, const BlockDemand& d, const Costs& costs,
                     double clock_hz, int a) {
  double cycles = costs.l2 ? d.l2_link_bytes / machine.l2_share(a) : 0;
  if (costs.dram && d.dram_bytes > 0)
    cycles = std::max(cycles, d.dram_bytes * clock_hz / machine.dram_read_share(a));
  return cycles;
}

/// Block start or the way from the tile before, all before the loop, and C after it.
double outside_loop(const Machine& machine, const BlockDemand& d, const BlockModel& model,
                    double clock_hz, int n, int a, TileAfter after) {
  const double start =
      after == TileAfter::tile ? model.next_tile() : n * machine[Scalar::block_cost];
  double cycles = start + model.prologue(n, a) + model.epilogue(n);
  const double l2 = n * (store_cycles(machine, d, a) + d.c_read_bytes / machine.l2_share(a));
  const double dram = n * d.store_dram_bytes * clock_hz / machine.dram_write_share(a);
  cycles += std::max({model.stores(n), l2, dram});
  if (d.c_read_bytes > 0) cycles += d.load_latency;
  return cycles;
}

}  // namespace

double block_time(const Machine& machine, const BlockDemand& d, const BlockModel& model,
                  const Costs& costs, double clock_hz, int n, int a, TileAfter after) {
  if (n <= 0) return 0;
  const double held = n * memory_cycles(machine, d, costs, clock_hz, a);
  const double steps = model.steps_in_loop(d.steps);
  double cycles = steps > 0 ? steps * std::max(model.step(costs, n), held) : 0;
  if (!costs.epilogue) return cycles;
  cycles += outside_loop(machine, d, model, clock_hz, n, a, after);
  // What all SMs store passes L2 one after another, but under the loops of blocks that are not as
  // far: it holds the whole time, not the epilogue.
  const double l2 = n * (d.steps * d.l2_link_bytes + d.c_read_bytes) / machine.l2_share(a) +
                    n * l2_store_cycles(machine, d, a);
  return costs.l2 ? std::max(cycles, l2) : cycles;
}

}  // namespace rooftile
