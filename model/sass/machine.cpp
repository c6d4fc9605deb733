// The Machine of a profile. Intervals and latencies of the hardware are whole cycles; measured ones
// differ from them by what closes the microbenchmark's loop, so they are rounded (by 2 % mostly, by
// 8 % in smem.lds128.issue.one_sub_core). Means over points are not.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/error.hpp"
#include "model/kernel/architecture.hpp"
#include "model/sass/schedule.hpp"
#include "model/stats/robust.hpp"

namespace rooftile::sass {

namespace {

/// The profile; writes down what is read.
class Reader {
 public:
  explicit Reader(const DeviceProfile& profile) : profile_(profile) {}

  double value(std::string_view id) {
    const double value = profile_.value(id);
    inputs_.emplace_back(id);
    return value;
  }
  const Curve& curve(std::string_view id) {
    inputs_.emplace_back(id);
    return profile_.curve(id);
  }
  const DeviceProfile& profile() const { return profile_; }
  double cycles(std::string_view id) { return std::round(value(id)); }
  /// Cycles between instructions of one sub-core, from those of an SM per cycle.
  double interval(std::string_view id, int sub_cores) { return std::round(sub_cores / value(id)); }
  ByWidth by_width(std::string_view front, std::string_view back) {
    ByWidth result{};
    for (const auto& [at, bits] : {std::pair{0, "32"}, {1, "64"}, {2, "128"}}) {
      result[static_cast<std::size_t>(at)] = cycles(std::string(front) + bits + std::string(back));
    }
    return result;
  }
  /// Each id once, sorted.
  std::vector<std::string> inputs() const {
    const std::set<std::string> once(inputs_.begin(), inputs_.end());
    return {once.begin(), once.end()};
  }

 private:
  const DeviceProfile& profile_;
  std::vector<std::string> inputs_;
};

void read_pipes(Reader& read, Machine& m) {
  m.fma_interval_cycles =
      std::round(m.sub_cores * lanes_per_warp / read.value("device.fma_lanes_per_sm"));
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
/// no bound at any width.
double stolen_cycles(Reader& read, std::string_view id) {
  constexpr double hidden_by = 24;
  const Curve& mix = read.curve(id);
  const Curve& alone = read.curve("smem.ffma_mix.ffma_alone");
  double sum = 0, points = 0;
  for (std::size_t at = 0; at < mix.x.size(); ++at) {
    if (mix.x[at] < hidden_by || mix.x[at] > alone.x.back()) continue;
    sum += mix.y[at] - interpolate(alone, mix.x[at]) - 1;
    ++points;
  }
  if (points == 0)
    throw MissingMetric(
        fmt::format("{}: curve {} has no point with {} FFMA a load or more that "
                    "smem.ffma_mix.ffma_alone has, too; measure both anew",
                    read.profile().source, id, hidden_by));
  return std::max(0.0, sum / points);
}

void read_shared_memory(Reader& read, Machine& m) {
  m.lds_latency_cycles = read.by_width("smem.lds", ".latency.full_warp");
  m.lds_lone_latency_cycles = read.by_width("smem.lds", ".latency");
  m.lds_interval_cycles = read.by_width("smem.lds", ".issue.one_sub_core");
  m.sts_interval_cycles = read.by_width("smem.sts", ".issue.one_sub_core");
  m.lds_stolen_cycles = {stolen_cycles(read, "smem.ffma_mix.lds32.four_warps"),
                         stolen_cycles(read, "smem.ffma_mix.lds64.four_warps"),
                         stolen_cycles(read, "smem.ffma_mix.lds128.four_warps")};
  m.lds_merged_stolen_cycles = stolen_cycles(read, "smem.ffma_mix.lds128.merged");
  m.l1_latency_cycles = read.cycles("l1.latency");
  m.l1_bytes = read.value("device.smem_per_sm");
  m.queue_depth = read.cycles("smem.queue.depth");
  if (m.queue_depth > deepest_queue)
    throw InputError(fmt::format("{}: smem.queue.depth is {}; no more than {} is simulated",
                                 read.profile().source, m.queue_depth, deepest_queue));
}

/// What MissingMetric says of `read`, or "".
template <typename Read>
std::string missing(Read read) {
  try {
    read();
    return "";
  } catch (const MissingMetric& absent) {
    return absent.what();
  }
}

/// Path cycles of a warp's cp.async, from the bytes a cycle of an SM whose copies hit L1.
void read_copies(Reader& read, Machine& m) {
  const auto cycles = [&](int width_bytes) {
    return lanes_per_warp * width_bytes /
           read.value(fmt::format("async_copy.ca{}.l1.bandwidth", width_bytes));
  };
  m.no_copies = missing([&] { m.copy_cycles = {cycles(4), cycles(8), cycles(16)}; });
}

void read_synchronization(Reader& read, Machine& m) {
  const Curve& barrier = read.curve("barrier.latency.over_warps");
  m.barrier_first_cycles = interpolate(barrier, 1);
  m.barrier_next_cycles =
      (barrier.y.back() - barrier.y.front()) / (barrier.x.back() - barrier.x.front());
  m.no_mbarriers =
      missing([&] { m.mbarrier_latency_cycles = read.cycles("mbarrier.try_wait.done"); });
}

void read_fetch(Reader& read, Machine& m) {
  m.fetch = read.curve("instruction_cache.cycles.one_warp");
  // The shortest loop is straight line but for the branch that closes it.
  m.branch_cycles = std::round((m.fetch.y.front() - 1) * m.fetch.x.front() / bytes_per_instruction);
  m.cached_bytes = read.value("instruction_cache.capacity.first");
}

/// Median over SMs of what lies between the starts of their two blocks; 0 without the table.
double block_offset_cycles(Reader& read) {
  constexpr std::string_view id = "block_order.two_resident";
  const Table* table = read.profile().find_table(id);
  if (table == nullptr) return 0;
  const std::size_t sm = read.profile().column(id, "sm"), at_s = read.profile().column(id, "start");
  std::map<double, std::pair<double, double>> starts;  // by SM: first and last
  for (const Table::Row& row : table->rows) {
    const double start = row.values.at(at_s);
    const auto [at, fresh] = starts.try_emplace(row.values.at(sm), start, start);
    if (fresh) continue;
    at->second.first = std::min(at->second.first, start);
    at->second.second = std::max(at->second.second, start);
  }
  std::vector<double> apart;
  for (const auto& [of_sm, start] : starts) apart.push_back(start.second - start.first);
  return apart.empty() ? 0 : std::round(median(apart) * read.value("device.sm_clock_max"));
}

}  // namespace

Machine machine_of(const DeviceProfile& profile) {
  Reader read(profile);
  Machine machine;
  read_pipes(read, machine);
  read_shared_memory(read, machine);
  read_copies(read, machine);
  read_synchronization(read, machine);
  read_fetch(read, machine);
  machine.block_offset_cycles = block_offset_cycles(read);
  machine.inputs = read.inputs();
  return machine;
}

}  // namespace rooftile::sass
