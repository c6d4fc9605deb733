#include "model/predict/closed_forms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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

/// A closed network whose customers make a number of steps.
template <std::size_t n>
struct Network {
  int customers;
  std::array<double, n> demands;
  double delay;
  double steps;  ///< of the customers, one each

  double cycles() const { return steps / network_throughput(customers, demands, delay); }
  /// Never exceeded: every customer waits for all others at every station.
  double most_cycles() const { return steps * (delay / customers + served()); }
  /// Never undercut: no customer waits for another, or one station is never idle.
  double least_cycles() const {
    return steps * std::max((delay + served()) / customers,
                            *std::max_element(demands.begin(), demands.end()));
  }

 private:
  double served() const { return std::accumulate(demands.begin(), demands.end(), 0.0); }
};

/// The slower of two; a network is only solved where its bounds leave that open.
template <std::size_t m, std::size_t n>
double slower_cycles(const Network<m>& a, const Network<n>& b) {
  if (a.most_cycles() <= b.least_cycles()) return b.cycles();
  if (b.most_cycles() <= a.least_cycles()) return a.cycles();
  return std::max(a.cycles(), b.cycles());
}

/// `warps` warps that run freely between barriers; one step of all of them. Sub-cores are alike,
/// each has its issue port and a quarter of the shared path.
Network<3> free_running(const Machine& machine, const BlockDemand& d, const Costs& costs,
                        double issue_of_warp, double warps, double delay, double link) {
  const double sub_cores = machine.limits.sub_cores;
  const double each = warps_per_sub_core(machine, costs, warps);
  const double shared = costs.smem ? d.shared_cycles / d.warps * sub_cores : 0;
  // A fractional number of warps (issue not counted) only scales what the port is busy.
  return {
      .customers = std::max(1, static_cast<int>(std::ceil(each))) * (d.fragments_overlap ? 2 : 1),
      .demands = {issue_of_warp, shared, link / d.warps * sub_cores},
      .delay = delay,
      .steps = std::max(each, 1e-9)};
}

/// Blocks that advance together and synchronize at barriers.
class Synchronized {
 public:
  Synchronized(const Machine& machine, const BlockDemand& demand, const Costs& costs, double link)
      : machine_(machine), d_(demand), costs_(costs), link_(link) {
    const double delay = costs.latency ? d_.shared_wait + d_.chain_wait : 0;
    const double own_issue = issue_cycles(machine, d_, costs, d_.warps);
    alone_ = free_running(machine, d_, costs, own_issue, d_.warps, delay, 0).cycles();
    if (!costs.latency) return;
    barrier_ = d_.barriers * machine.barrier_cycles(d_.warps);
    wait_ = d_.global_wait;
  }

  /// Cycles that a step takes when n blocks make one each.
  double cycles(int n) const {
    const double busy_cycles = busy(n);
    if (!d_.loads_overlap) return not_overlapped(n, busy_cycles).cycles();
    return slower_cycles(in_flight(n, busy_cycles), in_order(n, busy_cycles));
  }
  double most_cycles(int n) const {
    const double busy_cycles = busy(n);
    if (!d_.loads_overlap) return not_overlapped(n, busy_cycles).most_cycles();
    return std::max(in_flight(n, busy_cycles).most_cycles(),
                    in_order(n, busy_cycles).most_cycles());
  }

 private:
  /// Per block, of the busiest of issue and shared path with n resident.
  double busy(int n) const {
    const double resident = n * d_.warps;
    return std::max(issue_cycles(machine_, d_, costs_, resident) *
                        warps_per_sub_core(machine_, costs_, resident) / n,
                    costs_.smem ? d_.shared_cycles : 0);
  }
  /// Of a block alone: latencies of LDS and FFMA that nothing hides, and the barriers.
  double pipeline(double busy_cycles) const {
    return std::max(0.0, alone_ - busy_cycles) + barrier_;
  }
  Network<2> not_overlapped(int n, double busy_cycles) const {
    return {n, {busy_cycles, link_}, pipeline(busy_cycles) + wait_, static_cast<double>(n)};
  }
  /// As many steps of each block are in flight as it has slices, one of them computing;
  Network<2> in_flight(int n, double busy_cycles) const {
    const double load = costs_.latency ? std::max(wait_, d_.load_latency + d_.last_load_wait) : 0;
    return {static_cast<int>(d_.slices * n),
            {busy_cycles, link_},
            pipeline(busy_cycles) + load,
            static_cast<double>(n)};
  }
  /// but the computing parts of a block still follow one another.
  Network<1> in_order(int n, double busy_cycles) const {
    return {n, {busy_cycles}, pipeline(busy_cycles) + wait_, static_cast<double>(n)};
  }

  const Machine& machine_;
  const BlockDemand& d_;
  const Costs& costs_;
  double link_, alone_ = 0, barrier_ = 0, wait_ = 0;
};

/// Blocks whose warps never meet at a barrier: every warp is a customer.
class Unsynchronized {
 public:
  Unsynchronized(const Machine& machine, const BlockDemand& demand, const Costs& costs, double link)
      : machine_(machine), d_(demand), costs_(costs), link_(link) {}

  double cycles(int n) const { return network(n).cycles(); }
  double most_cycles(int n) const { return network(n).most_cycles(); }

 private:
  Network<3> network(int n) const {
    const double resident = n * d_.warps;
    const double delay = costs_.latency ? d_.shared_wait + d_.chain_wait + d_.global_wait : 0;
    const double issue = issue_cycles(machine_, d_, costs_, resident);
    return free_running(machine_, d_, costs_, issue, resident, delay, link_);
  }

  const Machine& machine_;
  const BlockDemand& d_;
  const Costs& costs_;
  double link_;
};

/// A block more never shortens the step of the others, but warps that spread more evenly over the
/// sub-cores may look as if: the slowest of fewer blocks counts.
template <typename Blocks>
double slowest(const Blocks& blocks, int n) {
  double step = blocks.cycles(n);
  for (int fewer = n - 1; fewer > 0; --fewer)
    if (blocks.most_cycles(fewer) > step) step = std::max(step, blocks.cycles(fewer));
  return step;
}

}  // namespace

double ClosedForms::step(const Costs& costs, int n) const {
  if (last_.n != n || last_.costs != costs) last_ = {costs, n, slowest_step(costs, n)};
  return last_.cycles;
}

double ClosedForms::slowest_step(const Costs& costs, int n) const {
  // One SM's link to L2 carries its own loads one after another; all SMs together are held to the
  // bandwidth of a active ones.
  const double link = costs.l2 ? demand_.l2_link_bytes / machine_.l2_share(1) : 0;
  return demand_.barriers > 0 ? slowest(Synchronized(machine_, demand_, costs, link), n)
                              : slowest(Unsynchronized(machine_, demand_, costs, link), n);
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
