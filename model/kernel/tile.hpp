// Tile parameters of a GEMM variant and the arithmetic that follows from them alone (all sizes in
// elements).
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "model/record/json_reader.hpp"

namespace rooftile {

enum class Raster { row, column, zigzag, swizzle };

/// Block tile BMxBNxBK, warp tile WMxWN, thread tile TMxTN. A level that a variant does not have
/// equals the level below (naive: BK = 1, one element a thread). Legality is the variant's
/// business.
struct Tile {
  int BM = 1, BN = 1, BK = 1;
  int TM = 1, TN = 1;
  int WM = 0, WN = 0;  ///< 0: the variant has no warp tile; lanes follow the thread index
  int stages = 1;      ///< shared-memory buffers
  int split_k = 1;
  Raster raster = Raster::row;
  int raster_group = 1;  ///< rows of blocks walked together under swizzle

  constexpr int threads() const { return (BM / TM) * (BN / TN); }
  auto operator<=>(const Tile&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// Largest member of a tile; keeps threads() within an int.
inline constexpr int max_tile_member = 32768;

std::string_view to_string(Raster raster);

/// "128x128x8/8x8/64x32" followed by ",stages=2" and the like where not default; the form that
/// tables show.
std::string tile_name(const Tile& tile);

/// Parses "BM=128,BN=128,BK=8,TM=8,TN=8,...", or the form of tile_name(). Members not named keep
/// `base`. Throws InputError naming the bad part.
Tile parse_tile(const std::string& text, const Tile& base);

Json to_json(const Tile& tile);
Tile tile_from(const JsonReader& json);

}  // namespace rooftile
