// The list of all ids with unit, supplier and meaning, and the closed list of units.
#include "model/profile/metric_catalog.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "model/edit_distance.hpp"

namespace rooftile {
namespace {

constexpr auto M = EntryKind::metric;
constexpr auto C = EntryKind::curve;
constexpr auto T = EntryKind::table;

constexpr std::array catalog = {
    // Device limits, read from the driver.
    CatalogEntry{"device.sm_count", M, "count", "", "device_limits", "streaming multiprocessors"},
    CatalogEntry{"device.fma_lanes_per_sm", M, "count", "", "device_limits",
                 "FP32 lanes an SM, by compute capability (CUDA C++ Programming Guide, arithmetic "
                 "throughput)"},
    CatalogEntry{"device.registers_per_sm", M, "count", "", "device_limits",
                 "32-bit registers an SM"},
    CatalogEntry{"device.max_threads_per_sm", M, "count", "", "device_limits",
                 "resident threads an SM"},
    CatalogEntry{"device.max_blocks_per_sm", M, "count", "", "device_limits",
                 "resident blocks an SM"},
    CatalogEntry{"device.smem_per_sm", M, "byte", "", "device_limits", "shared memory an SM"},
    CatalogEntry{"device.smem_per_block_optin", M, "byte", "", "device_limits",
                 "most shared memory a block may ask for"},
    CatalogEntry{"device.smem_reserved_per_block", M, "byte", "", "device_limits",
                 "shared memory the system reserves a block"},
    CatalogEntry{"device.l2_size", M, "byte", "", "device_limits", "L2 capacity as reported"},
    CatalogEntry{"device.dram_size", M, "byte", "", "device_limits", "device memory"},
    CatalogEntry{"device.dram_peak_bandwidth", M, "byte/s", "", "device_limits",
                 "memory clock x 2 x bus width"},
    CatalogEntry{"device.sm_clock_max", M, "Hz", "", "device_limits", "highest SM clock"},
    // Clocks and launch.
    CatalogEntry{"clock.light", M, "Hz", "", "clock", "SM clock under light load"},
    CatalogEntry{"clock.ffma", M, "Hz", "", "clock", "SM clock under full FFMA load"},
    CatalogEntry{"clock.ffma.power", M, "W", "", "clock", "board power under full FFMA load"},
    CatalogEntry{"launch.overhead", M, "s", "", "launch",
                 "event-timed duration of an empty kernel"},
    CatalogEntry{"launch.interval", M, "s", "", "launch",
                 "time between back-to-back empty kernels of one stream"},
    CatalogEntry{"launch.block_cost", M, "cycle", "", "launch",
                 "time an SM slot needs to retire an empty block and start the next"},
    // Arithmetic.
    CatalogEntry{"ffma.latency", M, "cycle", "", "ffma", "dependent FFMA to FFMA"},
    CatalogEntry{"ffma.throughput", M, "fma/cycle/SM", "", "ffma",
                 "independent FFMA without operand-port conflicts"},
    CatalogEntry{"ffma.throughput.over_warps", C, "fma/cycle/SM", "count", "ffma",
                 "FFMA rate over resident warps an SM"},
    // Shared memory.
    CatalogEntry{"smem.lds32.latency", M, "cycle", "", "smem_latency", "dependent LDS.32 chain"},
    CatalogEntry{"smem.lds64.latency", M, "cycle", "", "smem_latency", "dependent LDS.64 chain"},
    CatalogEntry{"smem.lds128.latency", M, "cycle", "", "smem_latency", "dependent LDS.128 chain"},
    CatalogEntry{"smem.lds32.bandwidth", M, "byte/cycle/SM", "", "smem_bandwidth",
                 "conflict-free LDS.32"},
    CatalogEntry{"smem.lds64.bandwidth", M, "byte/cycle/SM", "", "smem_bandwidth",
                 "conflict-free LDS.64"},
    CatalogEntry{"smem.lds128.bandwidth", M, "byte/cycle/SM", "", "smem_bandwidth",
                 "conflict-free LDS.128"},
    CatalogEntry{"smem.conflict.lds32", C, "cycle/inst", "count", "smem_conflict",
                 "LDS.32 at saturation over the stride in words"},
    CatalogEntry{"smem.conflict.lds64", C, "cycle/inst", "count", "smem_conflict",
                 "LDS.64 at saturation over the stride in 8-byte elements"},
    CatalogEntry{"smem.conflict.lds128", C, "cycle/inst", "count", "smem_conflict",
                 "LDS.128 at saturation over the stride in 16-byte elements"},
    CatalogEntry{"smem.patterns", T, "", "", "smem_patterns",
                 "lane patterns: measured cycles an instruction beside the modelled wavefronts"},
    CatalogEntry{"smem.merge_a", M, "1", "", "smem_patterns",
                 "1 where groups of lanes merge when lane i equals lane i^1"},
    CatalogEntry{"smem.merge_b", M, "1", "", "smem_patterns",
                 "1 where groups of lanes merge when lane i equals lane i^2"},
    CatalogEntry{"smem.merge_per_half", M, "1", "", "smem_patterns",
                 "1 where the merge condition is judged for each half-warp alone"},
    CatalogEntry{"smem.merge_inactive", M, "1", "", "smem_patterns",
                 "1 where an inactive lane counts as equal"},
    CatalogEntry{"smem.merge_store", M, "1", "", "smem_patterns",
                 "1 where stores merge like loads"},
    // Barrier.
    CatalogEntry{"barrier.latency", M, "cycle", "", "barrier",
                 "bar.sync of a block of 256 threads, all warps arriving together"},
    CatalogEntry{"barrier.latency.over_warps", C, "cycle", "count", "barrier",
                 "bar.sync over the warps of the block"},
    // Caches and DRAM.
    CatalogEntry{"memory.latency.over_footprint", C, "cycle", "byte", "memory_latency",
                 "dependent loads on a random cycle over the footprint"},
    CatalogEntry{"l1.latency", M, "cycle", "", "memory_latency", "footprint of 16 KiB"},
    CatalogEntry{"l2.latency", M, "cycle", "", "memory_latency",
                 "footprint well inside the near L2 partition, L1 bypassed"},
    CatalogEntry{"dram.latency", M, "cycle", "", "memory_latency", "footprint several times L2"},
    CatalogEntry{"l1.bandwidth", M, "byte/cycle/SM", "", "l1_bandwidth",
                 "coalesced loads that hit L1"},
    CatalogEntry{"l1.stride", C, "cycle/inst", "count", "l1_bandwidth",
                 "cycles a warp load that hits L1 over the stride in words"},
    CatalogEntry{"l2.bandwidth.read", M, "byte/cycle", "", "memory_bandwidth",
                 "whole GPU, L1 bypassed, footprint inside L2"},
    CatalogEntry{"memory.bandwidth.over_footprint", C, "byte/s", "byte", "memory_bandwidth",
                 "whole-GPU reads with L1 bypassed over the footprint"},
    CatalogEntry{"l2.bandwidth.over_active_sms", C, "byte/cycle", "count", "active_sms",
                 "L2 reads over the number of SMs that read"},
    CatalogEntry{"dram.bandwidth.over_active_sms", C, "byte/s", "count", "active_sms",
                 "DRAM reads over the number of SMs that read"},
    CatalogEntry{"dram.bandwidth.read", M, "byte/s", "", "dram_bandwidth",
                 "streaming reads far larger than L2"},
    CatalogEntry{"dram.bandwidth.write", M, "byte/s", "", "dram_bandwidth",
                 "streaming writes far larger than L2"},
    CatalogEntry{"dram.bandwidth.copy", M, "byte/s", "", "dram_bandwidth",
                 "bytes read plus bytes written"},
};

constexpr std::array<std::string_view, 16> units = {"cycle",
                                                    "cycle/inst",
                                                    "byte/cycle",
                                                    "byte/cycle/SM",
                                                    "fma/cycle/SM",
                                                    "inst/cycle/SM",
                                                    "wavefront/inst",
                                                    "byte/s",
                                                    "flop/s",
                                                    "byte",
                                                    "s",
                                                    "Hz",
                                                    "W",
                                                    "degC",
                                                    "count",
                                                    "1"};

}  // namespace

std::span<const CatalogEntry> metric_catalog() { return catalog; }
std::span<const std::string_view> known_units() { return units; }

const CatalogEntry* find_catalog_entry(std::string_view id, EntryKind kind) {
  const auto found = std::find_if(catalog.begin(), catalog.end(), [&](const CatalogEntry& e) {
    return e.id == id && e.kind == kind;
  });
  return found == catalog.end() ? nullptr : &*found;
}

std::string nearest_ids(std::string_view id) {
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const auto& entry : catalog) ranked.emplace_back(edit_distance(id, entry.id), entry.id);
  std::partial_sort(ranked.begin(), ranked.begin() + 3, ranked.end());
  std::string text;
  for (int i = 0; i < 3; ++i)
    text += (i == 0 ? "" : ", ") + std::string(ranked[static_cast<std::size_t>(i)].second);
  return text;
}

}  // namespace rooftile
