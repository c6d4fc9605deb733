// Occupancy: how many blocks of a kernel fit on one SM at a time.
//
// blocks = min over threads, block slots, registers, shared memory and named barriers, with the
// allocation granularities of the architecture. Sources: CUDA C++ Programming Guide, "Compute
// Capabilities" (technical specifications per compute capability), and NVIDIA's
// cuda_occupancy.h (allocation units, sub-core register files, shared-memory configurations);
// the tests compare with that header over the whole domain where a toolkit is installed.
//
// Pitfalls: registers are allocated to warps inside one of four sub-cores, so the count is warps
// per sub-core x 4, not registers over registers; and from compute capability 8.0 on the driver
// takes 1 KiB of shared memory from each block.
#pragma once

#include <cstdint>

#include "model/kernel/kernel_description.hpp"
#include "model/profile/device_profile.hpp"

namespace rooftile {

/// Limits of one SM. Bytes, counts.
struct OccupancyLimits {
  int major = 0, minor = 0;
  int max_threads_per_block = 1024;
  int max_threads_per_sm = 2048;
  int max_blocks_per_sm = 32;
  int max_registers_per_thread = 255;  ///< what a compiler may use; the allocator accepts 256
  std::int64_t registers_per_block = 65536;
  std::int64_t registers_per_sm = 65536;
  int register_unit = 256;  ///< registers, allocated per warp
  int sub_cores = 4;
  int barriers_per_sm = 0;  ///< named barriers; 0: not a limit (before compute capability 9.0)
  std::int64_t shared_per_sm = 0;           ///< largest carve-out
  std::int64_t shared_per_block = 49152;    ///< without opting in
  std::int64_t shared_per_block_optin = 0;  ///< with opting in
  std::int64_t shared_reserved = 0;         ///< taken by the driver from each block
  int shared_unit = 128;
};

/// Limits of compute capability major.minor, 7.0 to 12.1. Throws InputError for any other.
OccupancyLimits occupancy_limits(int major, int minor);

/// Limits of the profiled device: by its compute capability, device.* metrics taking precedence.
OccupancyLimits occupancy_limits(const DeviceProfile& profile);

struct BlockResources {
  int threads = 0;
  int registers_per_thread = 0;
  std::int64_t shared_bytes = 0;  ///< static + dynamic, without the driver's share
  int barriers = 1;               ///< named barriers of a block
  int carveout_percent = -1;      ///< preferred shared-memory carve-out; -1: largest
};

enum class OccupancyLimiter { threads, blocks, registers, shared_memory, barriers };
std::string_view to_string(OccupancyLimiter limiter);

struct Occupancy {
  int blocks_per_sm = 0;  ///< 0: the block cannot be launched
  int warps_per_sm = 0;
  double fraction = 0;  ///< resident warps over the limit
  OccupancyLimiter limiter = OccupancyLimiter::threads;
  std::int64_t shared_bytes_allocated = 0;  ///< per block
  std::int64_t registers_allocated = 0;     ///< per block
};

Occupancy occupancy(const OccupancyLimits& limits, const BlockResources& block);
Occupancy occupancy(const OccupancyLimits& limits, const KernelDescription& kernel);

}  // namespace rooftile
