// A device profile of an NVIDIA H200 from published-style microbenchmark values (no GEMM), and
// kernel descriptions, for tests of the model.
#pragma once

#include "model/kernel/arithmetic.hpp"
#include "model/kernel/kernel_description.hpp"
#include "model/kernel/problem.hpp"
#include "model/profile/device_profile.hpp"

namespace rooftile::test {

inline void set(DeviceProfile& profile, const std::string& id, double value,
                double relative_half_width = 0) {
  Metric metric;
  metric.value = value;
  if (relative_half_width > 0)
    metric.ci95 = Interval{value * (1 - relative_half_width), value * (1 + relative_half_width)};
  profile.metrics[id] = metric;
}

inline void set_curve(DeviceProfile& profile, const std::string& id, std::vector<double> x,
                      std::vector<double> y) {
  Curve curve;
  curve.x = std::move(x);
  curve.y = std::move(y);
  profile.curves[id] = curve;
}

/// H200 SXM, 132 SMs. Launch, barrier and few-SM values are typical ones for the architecture.
inline DeviceProfile h200() {
  DeviceProfile p;
  p.environment.gpu_name = "NVIDIA H200";
  p.environment.compute_capability_major = 9;
  set(p, "device.sm_count", 132);
  set(p, "device.fma_lanes_per_sm", 128);
  set(p, "device.registers_per_sm", 65536);
  set(p, "device.l2_size", 62914560);
  set(p, "device.dram_peak_bandwidth", 4.8e12);
  set(p, "device.sm_clock_max", 1980e6);
  set(p, "clock.light", 1980e6, 0.001);
  set(p, "clock.ffma", 1968e6, 0.002);
  set(p, "launch.overhead", 2.2e-6, 0.05);
  set(p, "launch.block_cost", 300, 0.05);
  set(p, "persistent_step.static", 40, 0.001);
  set(p, "ffma.latency", 4.1);
  set(p, "ffma.throughput", 126.5, 0.002);
  set(p, "smem.lds32.latency", 29, 0.01);
  set(p, "smem.lds64.latency", 29);
  set(p, "smem.lds128.latency", 31);
  set(p, "smem.lds32.bandwidth", 127.3, 0.002);
  set(p, "smem.lds64.bandwidth", 127.9, 0.002);
  set(p, "smem.lds128.bandwidth", 127.8, 0.002);
  set(p, "barrier.latency", 30);
  set(p, "l1.latency", 32.6);
  set(p, "l1.bandwidth", 124);
  set(p, "l2.latency", 282, 0.01);
  set(p, "dram.latency", 659, 0.01);
  set(p, "l2.bandwidth.read", 4790, 0.01);
  set(p, "dram.bandwidth.read", 4.62e12, 0.005);
  set(p, "dram.bandwidth.write", 3.1e12, 0.01);
  set(p, "dram.bandwidth.copy", 3.98e12);
  set_curve(p, "memory.latency.over_footprint", {1e5, 22e6, 37e6, 48e6, 150e6, 1e9},
            {282, 282, 513, 513, 659, 697});
  set_curve(p, "memory.bandwidth.over_footprint", {2.5e6, 11e6, 40e6, 50e6, 62e6, 100e6, 512e6},
            {9.7e12, 9.7e12, 9.5e12, 6.7e12, 5.4e12, 4.62e12, 4.62e12});
  set_curve(p, "l2.bandwidth.over_active_sms", {1, 66, 132}, {64, 3300, 4790});
  set_curve(p, "dram.bandwidth.over_active_sms", {1, 33, 66, 132}, {1e11, 2.6e12, 4.4e12, 4.62e12});
  return p;
}

/// With what a profile may lack: stores by pattern, bursts of loads, launches in a row.
inline DeviceProfile with_stores_and_bursts(DeviceProfile p) {
  set(p, "launch.gap", 1.2e-6, 0.02);
  set(p, "global_store.drain", 0.4e-6, 0.05);
  Table stores;
  stores.columns = {"name", "width", "rows", "spacing", "lines", "sectors", "one SM", "all SMs"};
  stores.rows = {{"words side by side", {4, 1, 4, 1, 4, 3, 5}},
                 {"words of 8 rows", {4, 8, 16, 8, 16, 20, 30}},
                 {"a word a sector", {4, 2, 32, 8, 32, 40, 60}},
                 {"quads side by side", {16, 1, 16, 4, 16, 12, 24}},
                 {"quads of 8 rows", {16, 8, 16, 8, 16, 16, 28}}};
  p.tables["global_store.patterns"] = stores;
  const auto burst = [&p](const std::string& id, double latency, double bytes_a_cycle) {
    std::vector<double> x, y;
    for (double bytes = 512; bytes <= 131072; bytes *= 2) {
      x.push_back(bytes);
      y.push_back(latency + bytes / bytes_a_cycle);
    }
    set_curve(p, id, x, y);
  };
  burst("load_burst.l2.one_sm.ldg128", 300, 60);
  burst("load_burst.l2.all_sms.ldg128", 300, 40);
  burst("load_burst.dram.one_sm.ldg128", 700, 60);
  burst("load_burst.dram.all_sms.ldg128", 700, 20);
  return p;
}

inline SharedAccess shared_access(Direction direction, int width, double count,
                                  std::int32_t stride) {
  return {.name = "",
          .direction = direction,
          .width_bytes = width,
          .per_iteration = count,
          .lanes = strided_lanes(stride)};
}

/// A float4 kernel with conflict-free 8x8 thread tiles (split or Z-order lanes): per k-step two
/// LDS.128 of A and two of B at two wavefronts each, block tiles staged through registers.
inline KernelDescription tiled_kernel(const Tile& tile, const GemmProblem& problem,
                                      bool double_buffered, int registers = 128) {
  KernelDescription k;
  k.variant = double_buffered ? "double" : "single";
  k.tile = tile;
  k.threads_per_block = tile.threads();
  k.resources.registers_per_thread = registers;
  k.resources.static_shared_bytes =
      (tile.BM + tile.BN) * tile.BK * element_bytes * (double_buffered ? 2 : 1);
  k.k_iterations = (problem.K + tile.BK - 1) / tile.BK;
  const double warps = (tile.threads() + 31) / 32;
  const double fragments = (tile.TM + tile.TN) / 4.0 * tile.BK;
  const double staged = (tile.BM + tile.BN) * tile.BK / 4.0 / 32 / warps;
  k.mix.fma = static_cast<double>(tile.TM) * tile.TN * tile.BK;
  k.mix.integer = 8;
  k.mix.control = 2;
  k.mix.barriers = double_buffered ? 1 : 2;
  k.mix.shared_moves = fragments + staged * 2;
  k.mix.global_moves = staged;
  // Z-order lanes: 8-lane broadcast pairs in both operands.
  SharedAccess load = shared_access(Direction::load, 16, fragments, 0);
  for (int i = 0; i < 32; ++i)
    load.lanes.byte_offset[static_cast<std::size_t>(i)] = 16 * (i % 2 + 2 * (i / 16));
  k.shared = {load, shared_access(Direction::store, 16, staged, 16),
              shared_access(Direction::store, 4, staged, 4)};
  k.global = {{.name = "panels",
               .width_bytes = 16,
               .per_iteration = staged,
               .lanes = strided_lanes(16),
               .l1_reuse = 0}};
  k.overlap = {.global_to_shared = double_buffered, .shared_to_register = double_buffered};
  k.loads_in_flight = 4;
  k.exposed_shared_latencies = double_buffered ? 0 : tile.BK;
  k.exposed_global_latencies = double_buffered ? 0 : 1;
  k.epilogue_stores = tile.TM * tile.TN / 4.0;
  k.epilogue_store = {16, 4, 16};
  return k;
}

}  // namespace rooftile::test
