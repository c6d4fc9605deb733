#include "model/predict/demand.hpp"

#include <algorithm>
#include <cmath>

#include "model/kernel/architecture.hpp"
#include "model/kernel/arithmetic.hpp"

namespace rooftile {
namespace {

constexpr double path_bytes = 128;  // one wavefront of the shared-memory and L1 data path

/// Shared-memory instructions: wavefronts, path cycles and the latency a warp waits for.
void add_shared(const Machine& machine, const KernelDescription& kernel, BlockDemand& demand) {
  double loads = 0, latency = 0;
  for (const SharedAccess& access : kernel.shared) {
    const double count = access.per_iteration * demand.warps;
    const double wavefronts = count * machine.wavefronts(access);
    demand.shared_wavefronts += wavefronts;
    demand.shared_cycles += wavefronts * path_bytes / machine.lds_bandwidth(access.width_bytes);
    if (access.direction == Direction::load) {
      loads += access.per_iteration;
      latency += access.per_iteration * machine.lds_latency(access.width_bytes);
    }
  }
  if (loads <= 0) return;
  double waits = kernel.exposed_shared_latencies;
  if (waits <= 0 && !kernel.overlap.shared_to_register) waits = loads / kernel.loads_in_flight;
  demand.shared_wait = waits * latency / loads;
}

/// Cycles of the two panels' first touches, averaged over the waves.
struct PanelLatency {
  double a = 0, b = 0;
};

PanelLatency panel_latency(const Machine& machine, const PanelTraffic& panels,
                           const GemmProblem& problem) {
  const double from_launch = machine.load_latency(footprint_bytes(problem));
  const auto average = [&](const MatrixTouches& matrix) {
    if (matrix.first_touch <= 0) return from_launch;
    const double first = std::min(1.0, matrix.compulsory / matrix.first_touch);
    return first * from_launch + (1 - first) * machine.load_latency(matrix.distance);
  };
  return {average(panels.a), average(panels.b)};
}

/// Latency that one of `waits` waits of a step meets. All blocks of a wave, and all warps of a
/// block, walk through K at the pace of the one that fetches a panel: whoever asks for a line that
/// is still in flight waits for it too, in L1 and in L2 alike. So the level counts where the panel
/// lives before the wave, not the hit rate, and a wait for both panels is one for the slower. Only
/// what the same warp read in an earlier step is near: the rest of a sector where K is contiguous.
double wait_cycles(const PanelLatency& level, double l1_latency, const Tile& tile,
                   const GemmProblem& problem, double waits) {
  const double in_sector =
      std::min(1.0, static_cast<double>(tile.BK * element_bytes) / sector_bytes / waits);
  const double new_a = problem.trans_a ? 1 : in_sector, new_b = problem.trans_b ? in_sector : 1;
  const bool a_slower = level.a > level.b;
  const double slow = a_slower ? new_a : new_b, fast = a_slower ? new_b : new_a;
  // Sectors of A and B begin at the same k, so the rarer of the two falls on the other's waits.
  return slow * std::max(level.a, level.b) +
         std::max(0.0, fast - slow) * std::min(level.a, level.b) +
         (1 - std::max(slow, fast)) * l1_latency;
}

/// Global loads: they pass the L1 data path and, except for what L1 holds, come from L2. Returns
/// how often a step waits for them.
double add_global(const Machine& machine, const KernelDescription& kernel, BlockDemand& demand) {
  double loads = 0;
  for (const GlobalAccess& access : kernel.global) {
    const double count = access.per_iteration * demand.warps;
    demand.shared_cycles += count * machine.wavefronts(access);
    const double missed = count * sector_bytes * (1 - access.l1_reuse);
    const double touched = sectors(access.lanes, access.width_bytes);
    demand.l2_bytes += missed * touched;
    demand.l2_link_bytes +=
        missed * std::max(touched, machine.sectors_a_line() * lines(access.lanes));
    loads += access.per_iteration;
  }
  if (loads <= 0 || kernel.exposed_global_latencies > 0) return kernel.exposed_global_latencies;
  return kernel.overlap.global_to_shared ? 0 : loads / kernel.loads_in_flight;
}

/// A block of the edge loads less; the average block's share of a full one's panel bytes.
double edge_share(const Tile& tile, const GemmProblem& problem) {
  const BlockGrid grid = block_grid(tile, problem);
  const double padded_k = std::ceil(static_cast<double>(problem.K) / tile.BK) * tile.BK;
  const auto rows = static_cast<double>(grid.rows), columns = static_cast<double>(grid.columns);
  const double full = rows * columns * (tile.BM + tile.BN) * padded_k;
  const double real =
      (static_cast<double>(problem.M) * columns + static_cast<double>(problem.N) * rows) *
      static_cast<double>(problem.K);
  return real / full;
}

/// C, in whole sectors.
void add_stores(const Machine& machine, const KernelDescription& kernel, BlockDemand& d) {
  StoreShape shape = kernel.epilogue_store;
  if (machine.without[Part::lane_addresses])  // side by side
    shape = store_shape(strided_lanes(shape.width_bytes), shape.width_bytes);
  d.store_instructions = kernel.epilogue_stores;
  const double stores = kernel.epilogue_stores * d.warps;
  d.store_bytes = stores * shape.sectors * sector_bytes;
  if (!machine.stores.known()) return;
  const auto [one_sm, all_sms] = machine.stores.cycles(shape);
  d.store_cycles = {stores * one_sm, stores * all_sms};
}

}  // namespace

double store_cycles(const Machine& machine, const BlockDemand& d, int active) {
  if (!machine.stores.known()) return d.store_bytes / machine.l2_share(active);
  return d.store_cycles.one_sm;
}

double l2_store_cycles(const Machine& machine, const BlockDemand& d, int active) {
  if (!machine.stores.known()) return d.store_bytes / machine.l2_share(active);
  return d.store_cycles.all_sms * active / machine.sms();
}

double first_slice_cycles(const Machine& machine, const BlockDemand& d, int n, int active) {
  const auto of = [&](int blocks) {
    return machine.burst_cycles(d.load_latency, blocks * d.l2_link_bytes, blocks * d.dram_bytes,
                                active);
  };
  return n == 1 ? of(1) : std::min(of(n), n * of(1));
}

bool stages_panels(const KernelDescription& kernel) {
  return std::any_of(kernel.shared.begin(), kernel.shared.end(), [](const SharedAccess& access) {
    return access.direction == Direction::store && access.per_iteration > 0;
  });
}

KernelDemand kernel_demand(const Machine& machine, const KernelDescription& kernel,
                           const GemmProblem& problem, int blocks_per_sm) {
  KernelDemand result;
  BlockDemand& d = result.block;
  LaunchTraffic& launch = result.launch;
  launch.blocks = static_cast<double>(block_grid(kernel.tile, problem).blocks() * problem.batch);
  d.warps = std::ceil(kernel.threads_per_block / 32.0);
  d.steps = static_cast<double>(kernel.k_iterations);
  d.fma = kernel.mix.fma;
  d.other = kernel.mix.total() - kernel.mix.fma;
  d.barriers = kernel.mix.barriers;
  d.loads_overlap = kernel.overlap.global_to_shared;
  d.persistent = kernel.persistent;
  d.slices = d.loads_overlap ? std::max(2, kernel.tile.stages) : 1;
  // A warp that waits less often than once a k-step has the next fragments in flight meanwhile,
  // whether by its source or by the compiler's unrolling.
  d.fragments_overlap =
      kernel.overlap.shared_to_register ||
      (kernel.exposed_shared_latencies > 0 && kernel.exposed_shared_latencies < kernel.tile.BK);
  // A thread with few accumulators cannot issue its next FFMA before the last has finished.
  const double accumulators = static_cast<double>(kernel.tile.TM) * kernel.tile.TN;
  d.chain_wait = d.fma * std::max(0.0, machine[Scalar::ffma_latency] / accumulators - 1);

  const PanelTraffic panels =
      panel_traffic(kernel.tile, problem, std::int64_t{machine.sms()} * blocks_per_sm);
  launch.dram = dram_traffic(panels, problem, machine.residency);
  if (d.steps == 0) launch.dram.compulsory = launch.dram.capacity = 0;  // alpha = 0: only C
  const double from_dram = launch.dram.compulsory + launch.dram.capacity;
  add_shared(machine, kernel, d);
  const double waits = add_global(machine, kernel, d);
  if (!kernel.global.empty())
    d.load_latency =
        wait_cycles(panel_latency(machine, panels, problem), machine[Scalar::l1_latency],
                    kernel.tile, problem, waits > 0 ? waits : 1);
  const double link = d.l2_bytes > 0 ? d.l2_link_bytes / d.l2_bytes : 1;
  d.l2_bytes *= edge_share(kernel.tile, problem);
  const double block_steps = std::max(1.0, launch.blocks * d.steps);
  if (d.steps > 0)
    launch.l2_read_bytes = std::max(
        d.l2_bytes * block_steps, least_l2_read_bytes(kernel.tile, problem, stages_panels(kernel)));
  d.l2_bytes = launch.l2_read_bytes / block_steps;
  d.l2_link_bytes = link * d.l2_bytes;
  d.dram_bytes =
      machine.without[Part::l2_hits] ? d.l2_bytes : std::min(d.l2_bytes, from_dram / block_steps);
  launch.hit_rate =
      launch.l2_read_bytes > 0 ? 1 - d.dram_bytes * block_steps / launch.l2_read_bytes : 0;

  // A slice is complete with its last load.
  if (stages_panels(kernel) && d.load_latency > 0)
    d.last_load_wait = std::max(0.0, first_slice_cycles(machine, d, 1, 1) - d.load_latency -
                                         d.l2_link_bytes / machine.l2_share(1));
  d.global_wait = waits * (d.load_latency + d.last_load_wait);

  add_stores(machine, kernel, d);
  d.store_dram_bytes = launch.dram.c_write / launch.blocks;
  d.c_read_bytes = problem.beta != 0 ? d.store_bytes : 0;
  return result;
}

}  // namespace rooftile
