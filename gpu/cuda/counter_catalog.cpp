// The table of counters.
//
// Pitfalls: lts__t_* counts every lookup in L2, also those that one half of the L2 makes for the
// other on chips with two partitions; srcunit_tex keeps only what SMs ask for. An FFMA counter
// counts threads: divided by 32 it is warp instructions where no lane is off. Shared-memory
// wavefronts include those of cp.async (LDGSTS) and of Tensor Core operands.
#include "gpu/cuda/counter_catalog.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace rooftile {

namespace {

#define ROOFTILE_TEX_READ "lts__t_sectors_srcunit_tex_op_read"
#define ROOFTILE_SMEM "l1tex__data_pipe_lsu_wavefronts_mem_shared"

constexpr double sector_bytes = 32, percent = 0.01, lanes = 32;

constexpr std::array<CounterDefinition, 18> catalog{{
    {"instructions.executed", "smsp__inst_executed.sum", "", 1},
    {"instructions.ffma", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "", 1 / lanes},
    {"issue.active_fraction", "smsp__issue_active.avg.per_cycle_active", "", 1},
    {"occupancy.achieved", "sm__warps_active.avg.pct_of_peak_sustained_active", "", percent},
    {"sm.active_fraction", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed", "", percent},
    {"sm.cycles", "sm__cycles_elapsed.max", "", 1},
    {"smem.wavefronts", ROOFTILE_SMEM ".sum", "", 1},
    {"smem.wavefronts_load", ROOFTILE_SMEM "_op_ld.sum", "", 1},
    {"smem.wavefronts_store", ROOFTILE_SMEM "_op_st.sum", "", 1},
    {"smem.bank_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "", 1},
    {"l1.hit_rate", "l1tex__t_sector_hit_rate.pct", "", percent},
    {"l2.hit_rate", "lts__t_sector_hit_rate.pct", "", percent},
    {"l2.read_hit_rate", ROOFTILE_TEX_READ "_lookup_hit.sum", ROOFTILE_TEX_READ ".sum", 1},
    {"l2.read_bytes", ROOFTILE_TEX_READ ".sum", "", sector_bytes},
    {"l2.write_bytes", "lts__t_sectors_srcunit_tex_op_write.sum", "", sector_bytes},
    {"l2.fabric_read_bytes", "lts__t_sectors_srcunit_ltcfabric_op_read.sum", "", sector_bytes},
    {"dram.read_bytes", "dram__bytes_read.sum", "", 1},
    {"dram.write_bytes", "dram__bytes_write.sum", "", 1},
}};

#undef ROOFTILE_TEX_READ
#undef ROOFTILE_SMEM

}  // namespace

std::span<const CounterDefinition> counter_catalog() { return catalog; }

std::vector<std::string> counter_metrics() {
  std::vector<std::string> metrics;
  const auto add = [&](std::string_view metric) {
    if (metric.empty() || std::find(metrics.begin(), metrics.end(), metric) != metrics.end()) {
      return;
    }
    metrics.emplace_back(metric);
  };
  for (const CounterDefinition& counter : catalog) {
    add(counter.numerator);
    add(counter.denominator);
  }
  return metrics;
}

std::vector<std::pair<std::string, double>> counter_values(
    const std::map<std::string, double>& metrics) {
  std::vector<std::pair<std::string, double>> values;
  for (const CounterDefinition& counter : catalog) {
    const auto numerator = metrics.find(counter.numerator);
    if (numerator == metrics.end()) continue;
    double divisor = 1;
    if (*counter.denominator != '\0') {
      const auto denominator = metrics.find(counter.denominator);
      if (denominator == metrics.end()) continue;
      divisor = denominator->second;
    }
    const double value = counter.scale * numerator->second / divisor;
    if (std::isfinite(value)) values.emplace_back(counter.name, value);
  }
  return values;
}

}  // namespace rooftile
