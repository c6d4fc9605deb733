#include "model/predict/closed_forms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "model/kernel/architecture.hpp"
#include "model/predict/queueing.hpp"

namespace rooftile {
namespace {

/// One step of one warp on its sub-core: cycles of the issue port and FMA pipe.
double issue_cycles(const Machine& machine, const BlockDemand& d, const Costs& costs,
                    double resident_warps) {
  const double sub_cores = machine.limits.sub_cores;
  const double pipe = d.fma * lanes_per_warp * sub_cores / machine.ffma_rate(resident_warps);
  if (!costs.issue) return pipe;
  // 128 lanes: an FFMA fills its sub-core's only issue slot, so every other instruction costs one
  // more. Fewer lanes: an FFMA occupies the pipe for several cycles and others slip in between.
  const bool full_rate = machine[Scalar::fma_lanes] >= sub_cores * lanes_per_warp;
  return full_rate ? pipe + d.other : std::max(pipe, d.fma + d.other);
}

/// Warps on the fullest sub-core; an even spread where issue does not count.
double warps_per_sub_core(const Machine& machine, const Costs& costs, double warps) {
  const double even = warps / machine.limits.sub_cores;
  return costs.issue ? std::ceil(even) : even;
}

/// Per step of one block: what the SM's own resources are busy, and what a block alone takes.
struct StepCosts {
  double busy = 0;   ///< of the busiest of issue and shared path, per block, n resident
  double alone = 0;  ///< cycles of a block alone: LDS, FFMA and their exposed latencies
};

/// Steps per cycle of `warps` warps that run freely between barriers: sub-cores are alike, each has
/// its issue port and a quarter of the shared path.
double free_running(const Machine& machine, const BlockDemand& d, const Costs& costs,
                    double issue_of_warp, double warps, double delay, double link) {
  const double sub_cores = machine.limits.sub_cores;
  const double each = warps_per_sub_core(machine, costs, warps);
  const double shared = costs.smem ? d.shared_cycles / d.warps * sub_cores : 0;
  const std::array<double, 3> demands = {issue_of_warp, shared, link / d.warps * sub_cores};
  const int customers =
      std::max(1, static_cast<int>(std::ceil(each))) * (d.fragments_overlap ? 2 : 1);
  // A fractional number of warps (issue not counted) only scales what the port is busy.
  return network_throughput(customers, demands, delay) / std::max(each, 1e-9);
}

StepCosts step_costs(const Machine& machine, const BlockDemand& d, const Costs& costs, int n) {
  const double resident = n * d.warps;
  const double shared = costs.smem ? d.shared_cycles : 0;
  const double delay = costs.latency ? d.shared_wait + d.chain_wait : 0;
  StepCosts step;
  step.busy = std::max(
      issue_cycles(machine, d, costs, resident) * warps_per_sub_core(machine, costs, resident) / n,
      shared);
  const double own_issue = issue_cycles(machine, d, costs, d.warps);
  step.alone = 1 / free_running(machine, d, costs, own_issue, d.warps, delay, 0);
  return step;
}

/// Cycles a block's step takes when n blocks advance together and synchronize at barriers.
double synchronized_step(const Machine& machine, const BlockDemand& d, const Costs& costs, int n,
                         double link) {
  const StepCosts step = step_costs(machine, d, costs, n);
  const double barrier = costs.latency ? d.barriers * machine.barrier_cycles(d.warps) : 0;
  const double wait = costs.latency ? d.global_wait : 0;
  const double pipeline = std::max(0.0, step.alone - step.busy);
  const std::array<double, 2> demands = {step.busy, link};
  if (!d.loads_overlap) return n / network_throughput(n, demands, pipeline + barrier + wait);
  // As many steps of each block are in flight as it has slices, one of them computing; but the
  // computing parts of a block still follow one another.
  const double load = costs.latency ? std::max(wait, d.load_latency + d.last_load_wait) : 0;
  const double in_flight = n / network_throughput(d.slices * n, demands, pipeline + barrier + load);
  const double in_order =
      n / network_throughput(n, std::span(demands).first(1), pipeline + barrier + wait);
  return std::max(in_flight, in_order);
}

/// The same for warps that never meet at a barrier: every warp is a customer.
double unsynchronized_step(const Machine& machine, const BlockDemand& d, const Costs& costs, int n,
                           double link) {
  const double resident = n * d.warps;
  const double delay = costs.latency ? d.shared_wait + d.chain_wait + d.global_wait : 0;
  const double issue = issue_cycles(machine, d, costs, resident);
  return 1 / free_running(machine, d, costs, issue, resident, delay, link);
}

}  // namespace

double ClosedForms::step(const Costs& costs, int n) const {
  // One SM's link to L2 carries its own loads one after another; all SMs together are held to the
  // bandwidth of a active ones.
  const double link = costs.l2 ? demand_.l2_link_bytes / machine_.l2_share(1) : 0;
  // A block more never shortens the step of the others, but warps that spread more evenly over the
  // sub-cores may look as if: the slowest of fewer blocks counts.
  double step = 0;
  for (int k = 1; k <= n; ++k)
    step = std::max(step, demand_.barriers > 0
                              ? synchronized_step(machine_, demand_, costs, k, link)
                              : unsynchronized_step(machine_, demand_, costs, k, link));
  return step;
}

double ClosedForms::prologue(int n, int a) const {
  if (!demand_.loads_overlap) return 0;
  return first_slice_cycles(machine_, demand_, n, a);
}

double ClosedForms::stores(int n) const {
  return n * demand_.warps * demand_.store_instructions / machine_.limits.sub_cores;
}

ResourceCycles resource_cycles(const Machine& machine, const BlockDemand& d, double clock_hz, int n,
                               int a) {
  const double resident = n * d.warps;
  const double spread = warps_per_sub_core(machine, {}, resident) / n * d.steps;
  ResourceCycles r;
  r.fma = issue_cycles(machine, d, {.issue = false}, resident) * d.warps /
          machine.limits.sub_cores * d.steps;
  r.issue = issue_cycles(machine, d, {}, resident) * spread;
  r.smem = d.shared_cycles * d.steps;
  r.l2 = (d.l2_link_bytes * d.steps + d.c_read_bytes) / machine.l2_share(a) +
         l2_store_cycles(machine, d, a);
  r.dram = clock_hz * (d.dram_bytes * d.steps / machine.dram_read_share(a) +
                       d.store_dram_bytes / machine.dram_write_share(a));
  return r;
}

}  // namespace rooftile
