// Waves: identical blocks on S SMs that hold b blocks each.
//
// T blocks take floor(T / (S b)) t(b, S) + t(ceil(r / S), min(r, S)) with r = T mod (S b), where
// t(n, a) is the time from a common start until n blocks on one SM have finished while a SMs are
// active; t(0, .) = 0. Blocks of the last, partial wave spread over the SMs before any SM gets a
// second one (observed on an H200 by reading %smid and %globaltimer).
#pragma once

#include <cstdint>

namespace rooftile {

struct Waves {
  std::int64_t blocks = 0;     ///< T
  std::int64_t slots = 1;      ///< S b
  std::int64_t full = 0;       ///< floor(T / (S b))
  std::int64_t remainder = 0;  ///< r
  int tail_blocks = 0;         ///< ceil(r / S): blocks on the fullest SM of the last wave
  int tail_sms = 0;            ///< min(r, S)
  double count() const { return static_cast<double>(blocks) / static_cast<double>(slots); }
  /// Blocks over slots of all waves, the last one counted whole.
  double efficiency() const {
    const std::int64_t whole = full + (remainder > 0 ? 1 : 0);
    return static_cast<double>(blocks) / static_cast<double>(whole * slots);
  }
};

Waves make_waves(std::int64_t blocks, int sms, int blocks_per_sm);

/// Total time, in the unit of `t`, a callable double(int n, int a).
template <typename BlockTime>
double schedule_time(const Waves& waves, int sms, int blocks_per_sm, const BlockTime& t) {
  double total = 0;
  if (waves.full > 0) total += static_cast<double>(waves.full) * t(blocks_per_sm, sms);
  if (waves.remainder > 0) total += t(waves.tail_blocks, waves.tail_sms);
  return total;
}

}  // namespace rooftile
