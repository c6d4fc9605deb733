// The Machine of a profile. Intervals and latencies of the hardware are whole cycles; measured ones
// differ from them by what closes the microbenchmark's loop (below 2 %), so they are rounded.
#include <algorithm>
#include <cmath>

#include "model/kernel/architecture.hpp"
#include "model/sass/schedule.hpp"

namespace rooftile::sass {

namespace {

class Reader {
 public:
  explicit Reader(const DeviceProfile& profile) : profile_(profile) {}

  double cycles(std::string_view id) const { return std::round(profile_.value(id)); }
  /// Cycles between instructions of one sub-core, from those of an SM per cycle.
  double interval(std::string_view id, int sub_cores) const {
    return std::round(sub_cores / profile_.value(id));
  }
  ByWidth by_width(std::string_view front, std::string_view back) const {
    ByWidth result{};
    for (const auto& [at, bits] : {std::pair{0, "32"}, {1, "64"}, {2, "128"}}) {
      result[static_cast<std::size_t>(at)] = cycles(std::string(front) + bits + std::string(back));
    }
    return result;
  }

 private:
  const DeviceProfile& profile_;
};

void read_pipes(const DeviceProfile& profile, Machine& m) {
  const Reader read(profile);
  m.fma_interval_cycles =
      std::round(m.sub_cores * lanes_per_warp / profile.value("device.fma_lanes_per_sm"));
  m.alu_interval_cycles = read.interval("instruction.iadd3.throughput", m.sub_cores);
  m.imad_interval_cycles = read.interval("instruction.imad.throughput", m.sub_cores);
  m.slow_interval_cycles = read.interval("instruction.mufu_rcp.throughput", m.sub_cores);
  m.shuffle_interval_cycles = read.interval("instruction.shfl.throughput", m.sub_cores);
  m.mma_interval_cycles = read.interval("mma.f16.throughput", m.sub_cores);
  m.slow_latency_cycles = read.cycles("instruction.mufu_rcp.latency");
  m.shuffle_latency_cycles = read.cycles("instruction.shfl.latency");
  m.mma_latency_cycles = read.cycles("mma.f16.latency");
  m.banks = static_cast<int>(read.cycles("register.banks"));
  m.window_cycles = read.cycles("register.window");
}

/// Cycles that a load among FFMA costs beyond its issue slot, where the FFMA hide it: mean over the
/// points of the mix's curve with at least 24 FFMA a load, from where on the shared-memory path is
/// no bound at any width. In quarters of a cycle, which is less than these means are known by.
double stolen_cycles(const DeviceProfile& profile, std::string_view id) {
  constexpr double hidden_by = 24;
  const Curve& mix = profile.curve(id);
  const Curve& alone = profile.curve("smem.ffma_mix.ffma_alone");
  double sum = 0, points = 0;
  for (std::size_t at = 0; at < mix.x.size(); ++at) {
    if (mix.x[at] < hidden_by) continue;
    sum += mix.y[at] - interpolate(alone, mix.x[at]) - 1;
    ++points;
  }
  return points > 0 ? std::max(0.0, std::round(4 * sum / points) / 4) : 0;
}

void read_shared_memory(const DeviceProfile& profile, Machine& m) {
  const Reader read(profile);
  m.lds_latency_cycles = read.by_width("smem.lds", ".latency.full_warp");
  m.lds_lone_latency_cycles = read.by_width("smem.lds", ".latency");
  m.lds_interval_cycles = read.by_width("smem.lds", ".issue.one_sub_core");
  m.sts_interval_cycles = read.by_width("smem.sts", ".issue.one_sub_core");
  m.lds_stolen_cycles = {stolen_cycles(profile, "smem.ffma_mix.lds32.four_warps"),
                         stolen_cycles(profile, "smem.ffma_mix.lds64.four_warps"),
                         stolen_cycles(profile, "smem.ffma_mix.lds128.four_warps")};
  m.lds_merged_stolen_cycles = stolen_cycles(profile, "smem.ffma_mix.lds128.merged");
  m.queue_depth = read.cycles("smem.queue.depth");
}

void read_synchronization(const DeviceProfile& profile, Machine& m) {
  const Curve& barrier = profile.curve("barrier.latency.over_warps");
  m.barrier_first_cycles = interpolate(barrier, 1);
  m.barrier_next_cycles =
      (barrier.y.back() - barrier.y.front()) / (barrier.x.back() - barrier.x.front());
  m.mbarrier_latency_cycles = Reader(profile).cycles("mbarrier.try_wait.done");
}

void read_fetch(const DeviceProfile& profile, Machine& m) {
  m.fetch = profile.curve("instruction_cache.cycles.one_warp");
  // The shortest loop is straight line but for the branch that closes it.
  m.branch_cycles = std::round((m.fetch.y.front() - 1) * m.fetch.x.front() / bytes_per_instruction);
  m.cached_bytes = profile.value("instruction_cache.capacity.first");
}

}  // namespace

Machine machine_of(const DeviceProfile& profile) {
  Machine machine;
  read_pipes(profile, machine);
  read_shared_memory(profile, machine);
  read_synchronization(profile, machine);
  read_fetch(profile, machine);
  machine.block_offset_cycles = Reader(profile).cycles("launch.block_cost");
  return machine;
}

}  // namespace rooftile::sass
