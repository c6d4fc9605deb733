// Waves: identical blocks on S SMs that hold b blocks each.
//
// T blocks take floor(T / (S b)) t(b, S) + t(ceil(r / S), min(r, S)) with r = T mod (S b), where
// t(n, a) is the time from a common start until n blocks on one SM have finished while a SMs are
// active; t(0, .) = 0. Blocks of the last, partial wave spread over the SMs before any SM gets a
// second one (observed on an H200 by reading %smid and %globaltimer).
#pragma once

#include <algorithm>
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

/// The same of a persistent grid: one wave of blocks, each of which walks over every (S b)-th tile.
/// A round of tiles is to it what a wave is to others, and its blocks start in the first round
/// only: `first` is t there, `next` in the others. SMs whose blocks have one tile less are done a
/// round earlier, as after a last, partial wave.
template <typename FirstTime, typename NextTime>
double walk_time(const Waves& rounds, int sms, int blocks_per_sm, const FirstTime& first,
                 const NextTime& next) {
  if (rounds.full == 0)
    return rounds.remainder > 0 ? first(rounds.tail_blocks, rounds.tail_sms) : 0;
  double total = first(blocks_per_sm, sms);
  if (rounds.full > 1) total += static_cast<double>(rounds.full - 1) * next(blocks_per_sm, sms);
  if (rounds.remainder > 0) total += next(rounds.tail_blocks, rounds.tail_sms);
  return total;
}

/// As walk_time where a partial round counts by its share.
template <typename FirstTime, typename NextTime>
double even_walk_time(const Waves& rounds, int sms, int blocks_per_sm, const FirstTime& first,
                      const NextTime& next) {
  const double count = rounds.count();
  const double later = count > 1 ? (count - 1) * next(blocks_per_sm, sms) : 0;
  return std::min(1.0, count) * first(blocks_per_sm, sms) + later;
}

}  // namespace rooftile
