// Raster: the order in which blocks of C are started.
//
// A raster is a chain of bands. A band is `height` rows of blocks wide; inside, blocks go down the
// rows of one column, then to the next column. row: bands of one row. column: the same, transposed.
// zigzag: as row, every second band backwards. swizzle-g: bands of g rows. Blocks are handed to the
// SMs in this order (NVIDIA does not promise it; the microbenchmarks observe it).
#pragma once

#include <cstdint>

#include "model/kernel/arithmetic.hpp"
#include "model/kernel/tile.hpp"

namespace rooftile {

struct BlockPosition {
  std::int64_t row = 0, column = 0;
  auto operator<=>(const BlockPosition&) const = default;
};

/// Position of the index-th block, 0 <= index < grid.blocks(); a bijection.
BlockPosition raster_position(Raster raster, int group, const BlockGrid& grid, std::int64_t index);

/// Distinct rows and columns of blocks among the blocks [first, first + count) of the raster, in
/// closed form; the range is cut at the end of the grid.
struct PanelCount {
  std::int64_t rows = 0, columns = 0;
  bool has_last_row = false, has_last_column = false;  ///< the ragged panels are among them
  auto operator<=>(const PanelCount&) const = default;
};
PanelCount touched_panels(Raster raster, int group, const BlockGrid& grid, std::int64_t first,
                          std::int64_t count);

}  // namespace rooftile
