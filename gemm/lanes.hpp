// Where the lanes of a warp look: host twin of device/place.cuh and device/staging.cuh.
#pragma once

#include <cstdint>

#include "gemm/describe.hpp"

namespace rooftile::gemm {

struct Position {
  std::int64_t row = 0, column = 0;
};

/// Row and column in the block tile of the first element of thread `thread`.
Position place_of(PlaceKind place, const Tile& tile, int thread);

/// How a block of `threads` stages rows x columns, `width` floats at a time.
struct StagingShape {
  int rows, columns, threads, width;
  int lanes() const { return columns / width; }
  int row_step() const { return threads / lanes(); }
  int count() const { return rows / row_step(); }  ///< loads a thread
  bool possible() const {
    return columns % width == 0 && threads % lanes() == 0 && rows % row_step() == 0;
  }
  Position of(int thread) const {
    return {thread / lanes(), std::int64_t{thread % lanes()} * width};
  }
};

/// Byte addresses of the 32 lanes of warp 0: `address(lane)` gives elements.
template <class Address>
LaneAddresses lanes_of(Address address) {
  LaneAddresses lanes;
  for (int lane = 0; lane < 32; ++lane) {
    lanes.byte_offset[static_cast<std::size_t>(lane)] =
        static_cast<std::int32_t>(4 * static_cast<std::int64_t>(address(lane)));
    lanes.active[static_cast<std::size_t>(lane)] = true;
  }
  return lanes;
}

/// A leading dimension whose multiples by a warp's rows stay within 32-bit byte offsets; same
/// sectors.
std::int64_t near_pitch(std::int64_t pitch);

}  // namespace rooftile::gemm
