// Resident blocks an SM = the least of five limits: threads, blocks, registers, shared memory,
// barriers. Rules and granularities as in cuda_occupancy.h of the CUDA Toolkit, with which a test
// compares.
#include "model/kernel/occupancy.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "model/error.hpp"

namespace rooftile {
namespace {

constexpr int warp_size = 32;
constexpr std::int64_t kib = 1024;
constexpr int unlimited = std::numeric_limits<int>::max();

// Shared-memory configurations of the unified L1, KiB, ascending; the last is the whole carve-out.
constexpr std::array volta_kib = {0, 8, 16, 32, 64, 96};
constexpr std::array turing_kib = {32, 64};
constexpr std::array ampere_kib = {0, 8, 16, 32, 64, 100, 132, 164};
constexpr std::array consumer_kib = {0, 8, 16, 32, 64, 100};
constexpr std::array hopper_kib = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};

std::span<const int> carveouts_kib(int major, int minor) {
  if (major == 7) return minor == 5 ? std::span<const int>(turing_kib) : volta_kib;
  if (major == 8) return minor == 0 || minor == 7 ? std::span<const int>(ampere_kib) : consumer_kib;
  if (major == 12) return consumer_kib;
  return hopper_kib;
}

struct Row {
  int major, minor, threads, blocks, barriers;
};
// CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability";
// barriers per SM from cuda_occupancy.h (a limit from 9.0 on).
constexpr std::array rows = {
    Row{7, 0, 2048, 32, 0},   Row{7, 2, 2048, 32, 0},   Row{7, 5, 1024, 16, 0},
    Row{8, 0, 2048, 32, 0},   Row{8, 6, 1536, 16, 0},   Row{8, 7, 1536, 16, 0},
    Row{8, 9, 1536, 24, 0},   Row{9, 0, 2048, 32, 64},  Row{10, 0, 2048, 32, 64},
    Row{10, 1, 1536, 24, 24}, Row{10, 3, 2048, 32, 64}, Row{11, 0, 1536, 24, 24},
    Row{12, 0, 1536, 24, 24}, Row{12, 1, 1536, 24, 24}};

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Smallest configuration of at least `bytes`; -1 when there is none.
std::int64_t carveout_for(const OccupancyLimits& limits, std::int64_t bytes) {
  for (const int size : carveouts_kib(limits.major, limits.minor))
    if (size * kib >= bytes) return size * kib;
  return -1;
}

int blocks_by_threads(const OccupancyLimits& limits, const BlockResources& block, int warps) {
  if (block.threads > limits.max_threads_per_block) return 0;
  return limits.max_threads_per_sm / warp_size / warps;
}

int blocks_by_registers(const OccupancyLimits& limits, const BlockResources& block, int warps,
                        std::int64_t& allocated) {
  const std::int64_t per_warp =
      round_up(std::int64_t{block.registers_per_thread} * warp_size, limits.register_unit);
  allocated = per_warp * warps;
  // The launch check assumes that every sub-core gets as many warps as the fullest.
  const std::int64_t checked = per_warp * round_up(warps, limits.sub_cores);
  if (checked > limits.registers_per_block || block.registers_per_thread > 256) return 0;
  if (per_warp == 0) return unlimited;
  const std::int64_t warps_per_sub_core = limits.registers_per_sm / limits.sub_cores / per_warp;
  return static_cast<int>(warps_per_sub_core * limits.sub_cores / warps);
}

int blocks_by_shared(const OccupancyLimits& limits, const BlockResources& block,
                     std::int64_t& allocated) {
  const std::int64_t used = block.shared_bytes + limits.shared_reserved;
  allocated = round_up(used, limits.shared_unit);
  const std::int64_t most =
      used > limits.shared_per_block ? limits.shared_per_block_optin : limits.shared_per_block;
  if (allocated > most + limits.shared_reserved) return 0;
  const std::int64_t wanted = block.carveout_percent < 0
                                  ? limits.shared_per_sm
                                  : block.carveout_percent * limits.shared_per_sm / 100;
  std::int64_t carveout = carveout_for(limits, wanted);
  if (carveout < allocated) carveout = carveout_for(limits, allocated);
  if (carveout < 0) return 0;
  return allocated == 0 ? unlimited : static_cast<int>(carveout / allocated);
}

}  // namespace

std::string_view to_string(OccupancyLimiter limiter) {
  constexpr std::array<std::string_view, 5> names = {"threads", "blocks", "registers",
                                                     "shared memory", "barriers"};
  return names[static_cast<std::size_t>(limiter)];
}

OccupancyLimits occupancy_limits(int major, int minor) {
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const Row& r) { return r.major == major && r.minor == minor; });
  if (row == rows.end())
    throw InputError(fmt::format(
        "compute capability {}.{} is not known; known are 7.0, 7.2, 7.5, 8.0, 8.6, 8.7, 8.9, 9.0, "
        "10.0, 10.1, 10.3, 11.0, 12.0, 12.1. Check environment.compute_capability of the profile",
        major, minor));
  OccupancyLimits limits;
  limits.major = major;
  limits.minor = minor;
  limits.max_threads_per_sm = row->threads;
  limits.max_blocks_per_sm = row->blocks;
  limits.barriers_per_sm = row->barriers;
  limits.shared_per_sm = carveouts_kib(major, minor).back() * kib;
  limits.shared_reserved = major >= 8 ? kib : 0;
  limits.shared_per_block_optin = limits.shared_per_sm - limits.shared_reserved;
  limits.shared_unit = major >= 8 ? 128 : 256;
  return limits;
}

OccupancyLimits occupancy_limits(const DeviceProfile& profile) {
  OccupancyLimits limits = occupancy_limits(profile.environment.compute_capability_major,
                                            profile.environment.compute_capability_minor);
  const auto take = [&](std::string_view id, auto& member) {
    if (const auto value = profile.find(id))
      member = static_cast<std::remove_reference_t<decltype(member)>>(*value);
  };
  take("device.registers_per_sm", limits.registers_per_sm);
  take("device.max_threads_per_sm", limits.max_threads_per_sm);
  take("device.max_blocks_per_sm", limits.max_blocks_per_sm);
  take("device.smem_per_sm", limits.shared_per_sm);
  take("device.smem_per_block_optin", limits.shared_per_block_optin);
  take("device.smem_reserved_per_block", limits.shared_reserved);
  return limits;
}

Occupancy occupancy(const OccupancyLimits& limits, const BlockResources& block) {
  if (block.threads <= 0)
    throw InputError(fmt::format("threads per block = {}: must be at least 1", block.threads));
  const int warps = (block.threads + warp_size - 1) / warp_size;
  Occupancy result;
  const std::array<int, 5> limit = {
      blocks_by_threads(limits, block, warps), limits.max_blocks_per_sm,
      blocks_by_registers(limits, block, warps, result.registers_allocated),
      blocks_by_shared(limits, block, result.shared_bytes_allocated),
      limits.barriers_per_sm > 0 && block.barriers > 0 ? limits.barriers_per_sm / block.barriers
                                                       : unlimited};
  const auto least = std::min_element(limit.begin(), limit.end());
  result.limiter = static_cast<OccupancyLimiter>(least - limit.begin());
  result.blocks_per_sm = *least;
  result.warps_per_sm = *least * warps;
  const int warp_limit = limits.max_threads_per_sm / warp_size;
  result.fraction = static_cast<double>(result.warps_per_sm) / warp_limit;
  return result;
}

Occupancy occupancy(const OccupancyLimits& limits, const KernelDescription& kernel) {
  return occupancy(limits, {.threads = kernel.threads_per_block,
                            .registers_per_thread = kernel.resources.registers_per_thread,
                            .shared_bytes = std::int64_t{kernel.resources.static_shared_bytes} +
                                            kernel.resources.dynamic_shared_bytes,
                            .barriers = 1,
                            .carveout_percent = -1});
}

}  // namespace rooftile
