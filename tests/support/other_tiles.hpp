// Tiles of a variant that are compiled at run time only.
#pragma once

#include <vector>

#include "gemm/variant.hpp"

namespace rooftile::test {

/// Up to `count` legal ones, spread evenly over the variant's tiles; none for a variant that has
/// one tile. Only those of a short main loop, which is unrolled over BK: long ones compile for
/// minutes.
inline std::vector<Tile> other_tiles(const Variant& variant, std::size_t count) {
  constexpr int most_fma = 1024;  // a thread and slice
  std::vector<Tile> legal, chosen;
  for (const Tile& tile : variant.tile_space())
    if (tile.BK * tile.TM * tile.TN <= most_fma && !same_code(tile, variant.default_tile) &&
        !variant.illegal(tile))
      legal.push_back(tile);
  if (legal.size() <= count) return legal;
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(legal[i * (legal.size() - 1) / (count - 1)]);
  return chosen;
}

}  // namespace rooftile::test
