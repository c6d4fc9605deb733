// Whole waves and the rest, by division.
#include "model/schedule/waves.hpp"

#include <algorithm>

namespace rooftile {

Waves make_waves(std::int64_t blocks, int sms, int blocks_per_sm) {
  Waves waves;
  waves.blocks = blocks;
  waves.slots = std::int64_t{sms} * blocks_per_sm;
  waves.full = blocks / waves.slots;
  waves.remainder = blocks % waves.slots;
  waves.tail_blocks = static_cast<int>((waves.remainder + sms - 1) / sms);
  waves.tail_sms = static_cast<int>(std::min<std::int64_t>(waves.remainder, sms));
  return waves;
}

}  // namespace rooftile
