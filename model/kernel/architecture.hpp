// Facts that hold for every NVIDIA GPU that rooftile knows (compute capability 7.0 to 12.0).
// Source: CUDA C++ Programming Guide, "Hardware Implementation" (warps) and "Device Memory
// Accesses" (32-byte transactions).
#pragma once

namespace rooftile {

inline constexpr int lanes_per_warp = 32;
/// Of a line of L1 and L2; unit of L2 and DRAM traffic.
inline constexpr int line_bytes = 128, sector_bytes = 32;

}  // namespace rooftile
