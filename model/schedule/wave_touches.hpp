// What the waves of a grid touch: distinct rows and columns of blocks, summed over all waves.
//
// A wave is `slots` consecutive blocks of the raster; the last one may be shorter. Summed without
// visiting every wave: a matrix of 2^20 x 2^20 has millions of them.
#pragma once

#include <cstdint>

#include "model/kernel/arithmetic.hpp"
#include "model/kernel/tile.hpp"

namespace rooftile {

/// Sums over waves of what touched_panels() says of each; `last_rows` and `last_columns` count the
/// waves that touch the last, perhaps ragged, row and column of blocks.
struct WaveTouches {
  std::int64_t rows = 0, columns = 0, last_rows = 0, last_columns = 0, waves = 0;
  auto operator<=>(const WaveTouches&) const = default;
};
WaveTouches touched_by_waves(Raster raster, int group, const BlockGrid& grid, std::int64_t slots);

}  // namespace rooftile
