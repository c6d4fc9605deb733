// How the hand-scheduled kernel's work is dealt out: Stream-K over the tiles that do not make whole
// waves. Plain C++; shell.cu walks what is computed here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "gemm/hand/shell_arguments.hpp"

namespace rooftile::gemm::hand {

struct Schedule {
  int blocks = 0, tiles_m = 0, tiles_n = 0, k_tiles = 0;
  /// Tiles whose k-tiles are shared out evenly over the blocks; the others are whole.
  int split_tiles = 0, split_share = 0, split_rest = 0;
};

/// Why the kernel's 32-bit indices cannot take this problem, or nullopt.
inline std::optional<std::string> too_large(std::int64_t M, std::int64_t N, std::int64_t K) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  const std::int64_t tiles = ((M - 1) / block_m + 1) * ((N - 1) / block_n + 1);
  if (M > most || N > most || K > most || tiles > most)
    return "hand_scheduled indexes with 32 bits: M, N, K and the number of 256x128 tiles must not "
           "pass 2^30";
  return std::nullopt;
}

/// M, N, K at least 1 and not too large. Whole waves of whole tiles come last; before them, the one
/// to two waves that remain are split. Fewer than two waves are split altogether, over no more
/// blocks than leave four k-tiles to each.
inline Schedule schedule_of(std::int64_t M, std::int64_t N, std::int64_t K, int sm_count) {
  Schedule s;
  s.tiles_m = static_cast<int>((M - 1) / block_m + 1);
  s.tiles_n = static_cast<int>((N - 1) / block_n + 1);
  s.k_tiles = static_cast<int>((K - 1) / block_k + 1);
  const std::int64_t tiles = std::int64_t{s.tiles_m} * s.tiles_n;
  const std::int64_t k_tiles = std::max<std::int64_t>(1, tiles * s.k_tiles / 4);
  s.blocks = static_cast<int>(std::min<std::int64_t>(sm_count, k_tiles));
  if (tiles < s.blocks)
    s.split_tiles = static_cast<int>(tiles);
  else if (tiles % s.blocks != 0)
    s.split_tiles = static_cast<int>(tiles - s.blocks * (tiles / s.blocks - 1));
  const std::int64_t work = std::int64_t{s.split_tiles} * s.k_tiles;
  if (work > std::numeric_limits<int>::max()) {  // the kernel counts k-tiles in an int
    s.split_tiles = 0;
    s.blocks = static_cast<int>(std::min<std::int64_t>(sm_count, tiles));
    return s;
  }
  s.split_share = static_cast<int>(work / s.blocks);
  s.split_rest = static_cast<int>(work % s.blocks);
  return s;
}

}  // namespace rooftile::gemm::hand
