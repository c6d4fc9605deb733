// A raster is a walk along bands of rows: one row (row, zigzag) or `group` rows (swizzle); column
// order is the row order of the transposed grid. The rows and columns that a range of the walk
// touches follow from its first and last band in O(1).
#include "model/schedule/raster.hpp"

#include <algorithm>

namespace rooftile {
namespace {

/// Columns [begin, end).
struct Span {
  std::int64_t begin = 0, end = 0;
};

std::int64_t union_size(Span a, Span b) {
  const std::int64_t overlap = std::min(a.end, b.end) - std::max(a.begin, b.begin);
  return (a.end - a.begin) + (b.end - b.begin) - std::max<std::int64_t>(0, overlap);
}

struct Bands {
  std::int64_t height = 1;  // rows of a band
  bool alternate = false;   // every second band runs backwards
};

/// Part of the range inside band `band`.
struct Piece {
  std::int64_t rows = 0;
  Span columns;
  bool last_row = false;  // of the grid
};

Piece piece(const Bands& bands, const BlockGrid& grid, std::int64_t band, std::int64_t begin,
            std::int64_t end) {
  const std::int64_t top = band * bands.height;
  const std::int64_t height = std::min(bands.height, grid.rows - top);
  Piece result;
  result.rows = std::min(height, end - begin);
  result.columns = {begin / height, (end - 1) / height + 1};
  if (bands.alternate && band % 2 == 1)
    result.columns = {grid.columns - result.columns.end, grid.columns - result.columns.begin};
  const bool reaches_bottom = end - begin >= height || (end - 1) / height != begin / height ||
                              (end - 1) % height == height - 1;
  // Fewer blocks than the height that cross a column end contain the bottom row as well.
  result.last_row = top + height == grid.rows && reaches_bottom;
  return result;
}

PanelCount touched_in_bands(const Bands& bands, const BlockGrid& grid, std::int64_t first,
                            std::int64_t last) {
  const std::int64_t band_blocks = bands.height * grid.columns;
  const std::int64_t first_band = first / band_blocks, last_band = (last - 1) / band_blocks;
  const auto blocks_of = [&](std::int64_t band) {
    return std::min(bands.height, grid.rows - band * bands.height) * grid.columns;
  };
  const std::int64_t begin = first - first_band * band_blocks;
  const std::int64_t end = last - last_band * band_blocks;
  if (first_band == last_band) {
    const Piece only = piece(bands, grid, first_band, begin, end);
    return {only.rows, only.columns.end - only.columns.begin, only.last_row,
            only.columns.end == grid.columns};
  }
  const Piece head = piece(bands, grid, first_band, begin, blocks_of(first_band));
  const Piece tail = piece(bands, grid, last_band, 0, end);
  const std::int64_t full_bands = last_band - first_band - 1;
  PanelCount count;
  count.rows = head.rows + full_bands * bands.height + tail.rows;
  count.columns = full_bands > 0 ? grid.columns : union_size(head.columns, tail.columns);
  count.has_last_row = tail.last_row;
  count.has_last_column =
      full_bands > 0 || head.columns.end == grid.columns || tail.columns.end == grid.columns;
  return count;
}

}  // namespace

BlockPosition raster_position(Raster raster, int group, const BlockGrid& grid, std::int64_t index) {
  switch (raster) {
    case Raster::row:
      return {index / grid.columns, index % grid.columns};
    case Raster::column:
      return {index % grid.rows, index / grid.rows};
    case Raster::zigzag: {
      const std::int64_t row = index / grid.columns, step = index % grid.columns;
      return {row, row % 2 == 0 ? step : grid.columns - 1 - step};
    }
    case Raster::swizzle:
      break;
  }
  const std::int64_t height = std::clamp<std::int64_t>(group, 1, grid.rows);
  const std::int64_t band = index / (height * grid.columns);
  const std::int64_t inside = index % (height * grid.columns);
  const std::int64_t own_height = std::min(height, grid.rows - band * height);
  return {band * height + inside % own_height, inside / own_height};
}

PanelCount touched_panels(Raster raster, int group, const BlockGrid& grid, std::int64_t first,
                          std::int64_t count) {
  const std::int64_t last = std::min(grid.blocks(), first + count);
  if (last <= first) return {};
  if (raster == Raster::column) {
    const PanelCount t = touched_in_bands({}, {grid.columns, grid.rows}, first, last);
    return {t.columns, t.rows, t.has_last_column, t.has_last_row};
  }
  const std::int64_t height =
      raster == Raster::swizzle ? std::clamp<std::int64_t>(group, 1, grid.rows) : 1;
  return touched_in_bands({height, raster == Raster::zigzag}, grid, first, last);
}

}  // namespace rooftile
