// Lane patterns of tiled matrix products C = A B, with A [m][k] and B [k][n] row-major in global
// memory, a block tile of BM x BN by BK, thread tiles of TM x TN, 32 lanes of one warp.
//
// Loads of fragments, lane i:
//   rows       a lane's row of A: `pitch` x (i / lanes) where `lanes` neighbours share a row.
//              With A untransposed the pitch is TM x BK floats, with A transposed TM or 4.
//   columns    a lane's column of B: `apart` x (i % lanes), apart = TN, or 4 for split tiles.
//   z-order    bit 0 of the lane selects the column, bit 1 the row, the others column first.
// Stores of slices from registers: as they lie (lane i writes element i), or transposed, when
// lane i writes word i / lanes of row `floats` x (i % lanes), rows `pitch` floats apart with or
// without four of padding, or with the word within the row XORed by four times the row's number
// modulo 8.
//
// The lists of sizes cover powers of two from tiles of 32 to 256, BK of 8 to 32 and thread tiles of
// 1 to 16; a test holds them against every legal tile of every variant.
#include <fmt/format.h>

#include "micro/lane_pattern_list.hpp"

namespace rooftile::micro {
namespace {

constexpr int lane_counts[] = {2, 4, 8, 16, 32};

void fragment_rows(PatternList& list) {
  for (const int lanes : lane_counts)
    for (const int pitch : {4, 8, 16, 32, 64, 128, 256, 512}) {
      const auto row = [=](int i) { return pitch * (i / lanes); };
      const std::string name = fmt::format("tile rows {}(i/{})", pitch, lanes);
      if (pitch >= 8) list.load(4, name, row);
      if (pitch <= 16) list.load(16, name, row);
    }
}

void fragment_columns(PatternList& list) {
  for (const int lanes : lane_counts)
    for (const int apart : {1, 4, 8, 16}) {
      const auto column = [=](int i) { return apart * (i % lanes); };
      const std::string name = fmt::format("tile columns {}(i%{})", apart, lanes);
      list.load(4, name, column);
      if (apart >= 4) list.load(16, name, column);
    }
}

void z_order(PatternList& list) {
  for (const int columns : {2, 4, 8, 16}) {
    list.load(16, fmt::format("tile z-order, rows of {} lanes", columns),
              [=](int i) { return 4 * ((i >> 1 & 1) | i / (2 * columns) << 1); });
    list.load(16, fmt::format("tile z-order, columns of {} lanes", columns),
              [=](int i) { return 4 * ((i & 1) | (i >> 2 & (columns / 2 - 1)) << 1); });
  }
}

void slice_stores(PatternList& list) {
  list.store(4, "tile slice i", [](int i) { return i; });
  list.store(16, "tile slice 4i", [](int i) { return 4 * i; });
  for (const int floats : {1, 4})
    for (const int depth : {8, 16, 32})
      for (const int side : {32, 64, 128, 256})
        for (const int padding : {0, 4}) {
          const int lanes = depth / floats, pitch = floats * (side + padding);
          list.store(4, fmt::format("tile slice {}(i%{})+i/{}", pitch, lanes, lanes),
                     [=](int i) { return pitch * (i % lanes) + i / lanes; });
        }
}

void swizzled_slice_stores(PatternList& list) {
  for (const int floats : {1, 4})
    for (const int depth : {8, 16, 32})
      for (const int side : {32, 64, 128, 256}) {
        const int lanes = depth / floats;
        const auto word = [=](int i) {
          const int k = floats * (i % lanes);
          return k * side + (i / lanes ^ 4 * (k % 8));
        };
        list.store(
            4,
            fmt::format("tile slice {}k+(i/{} xor 4(k%8)), k={}(i%{})", side, lanes, floats, lanes),
            word);
      }
}

}  // namespace

void add_tile_patterns(PatternList& list) {
  fragment_rows(list);
  fragment_columns(list);
  z_order(list);
  slice_stores(list);
  swizzled_slice_stores(list);
}

}  // namespace rooftile::micro
