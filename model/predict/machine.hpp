// Machine: the numbers of a device profile that the predictors read, taken out once, with their
// uncertainty, so that a prediction neither searches the profile nor allocates.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/kernel/kernel_description.hpp"
#include "model/kernel/occupancy.hpp"
#include "model/memory/l2.hpp"
#include "model/memory/store_costs.hpp"
#include "model/memory/wavefronts.hpp"
#include "model/predict/launch_cost.hpp"
#include "model/predict/parts.hpp"
#include "model/profile/device_profile.hpp"
#include "model/profile/lookup.hpp"

namespace rooftile {

/// Scalar inputs, in the order of `scalar_input_ids`.
enum class Scalar : std::size_t {
  sm_count,
  fma_lanes,
  clock_ffma,
  clock_light,
  ffma_latency,
  ffma_throughput,
  lds32_latency,
  lds64_latency,
  lds128_latency,
  lds32_bandwidth,
  lds64_bandwidth,
  lds128_bandwidth,
  barrier_latency,
  l1_latency,
  l2_latency,
  dram_latency,
  l2_read,
  dram_read,
  dram_write,
  launch_overhead,
  launch_gap,
  block_cost,
  store_drain,
  persistent_step,
  count
};

/// Curve inputs; each is optional in a profile.
enum class CurveInput : std::size_t {
  ffma_over_warps,
  barrier_over_warps,
  latency_over_footprint,
  l2_over_sms,
  dram_over_sms,
  l2_over_stride,
  burst_l2_one_sm,
  burst_l2_all_sms,
  burst_dram_one_sm,
  burst_dram_all_sms,
  count
};

std::string_view id_of(Scalar scalar);
std::string_view id_of(CurveInput curve);

/// A scalar as read, with its own interval (repeat95, else ci95, else none).
struct ScalarInput {
  double value = 0;
  std::optional<Interval> interval;
  bool present = false;
};

struct Machine {
  std::array<ScalarInput, static_cast<std::size_t>(Scalar::count)> scalars;
  std::array<std::optional<Lookup>, static_cast<std::size_t>(CurveInput::count)> curves;
  OccupancyLimits limits;
  MergeRules merge;
  StoreCosts stores;
  double l2_bytes = 0;
  Residency residency;
  /// Ids of everything read for every kernel: all but Scalar::persistent_step.
  std::vector<std::string> inputs;
  Parts without;  ///< taken out of the model (take_out.hpp), usually none

  double operator[](Scalar s) const { return scalars[static_cast<std::size_t>(s)].value; }
  const std::optional<Lookup>& operator[](CurveInput c) const {
    return curves[static_cast<std::size_t>(c)];
  }

  LaunchCost launch() const {
    return {(*this)[Scalar::launch_overhead], (*this)[Scalar::launch_gap]};
  }
  int sms() const { return static_cast<int>((*this)[Scalar::sm_count]); }
  /// FMA per cycle of an SM whose sub-cores all have as many warps as the fullest has when `warps`
  /// > 0 are resident. The measured curve is over whole SMs, where five warps leave three sub-cores
  /// half idle; that unevenness is counted with the warps, not here.
  double ffma_rate(double warps) const;
  double barrier_cycles(double warps) const;
  double lds_latency(int width_bytes) const;
  double lds_bandwidth(int width_bytes) const;
  /// Of one warp instruction, on the shared-memory and L1 data path.
  double wavefronts(const SharedAccess& access) const;
  double wavefronts(const GlobalAccess& access) const;
  /// Sectors in whose time L2 delivers a line of which a single sector is asked for: what of the
  /// bandwidth is left where lanes read a word of each line.
  double sectors_a_line() const;
  /// Bytes per cycle that one of `active` SMs gets from L2.
  double l2_share(int active) const;
  /// Bytes per second that one of `active` SMs gets from DRAM.
  double dram_read_share(int active) const;
  double dram_write_share(int active) const;
  /// Cycles from the first issue to the last arrival where the warps of an SM ask L2 for `bytes` at
  /// once, of which `dram_bytes` come from DRAM, while `active` SMs do; a load takes `latency`
  /// cycles. Without the measured curves: the latency, then the bytes one after another.
  double burst_cycles(double latency, double bytes, double dram_bytes, int active) const;
  /// Cycles of a load of data that were last used `distance` bytes ago: near L2, far L2 or DRAM by
  /// the measured curve. Without it L2 and DRAM by the share that stays in L2.
  double load_latency(double distance) const;
};

/// Everything the analytic predictor reads. Throws MissingMetric naming id and supplier.
Machine make_machine(const DeviceProfile& profile);

}  // namespace rooftile
