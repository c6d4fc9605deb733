// Lane addresses in a constant stride.
#include "model/kernel/kernel_description.hpp"

namespace rooftile {

LaneAddresses strided_lanes(std::int32_t stride_bytes) {
  LaneAddresses lanes;
  for (std::size_t i = 0; i < lanes.byte_offset.size(); ++i) {
    lanes.byte_offset[i] = stride_bytes * static_cast<std::int32_t>(i);
    lanes.active[i] = true;
  }
  return lanes;
}

}  // namespace rooftile
