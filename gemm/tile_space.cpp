// The tiles that a search may consider: powers of two around what registers and shared memory
// allow.
#include "gemm/describe.hpp"

namespace rooftile::gemm {

namespace {

/// Warp tiles that hold 32 threads of `t`, from 2x16 to 16x2.
void add_warp_tiles(const Tile& t, std::vector<Tile>& tiles) {
  for (const int lanes_m : {2, 4, 8, 16}) {
    Tile with = t;
    with.WM = lanes_m * t.TM;
    with.WN = 32 / lanes_m * t.TN;
    if (with.WM <= t.BM && with.WN <= t.BN) tiles.push_back(with);
  }
}

/// Tiles without sizes: the stages, rasters and parts of K that there are to choose from.
std::vector<Tile> launch_tiles(const TiledTraits& traits) {
  std::vector<Tile> tiles;
  for (const int stages :
       traits.copied ? std::vector{2, 3, 4, 5} : std::vector{traits.slices_ahead ? 2 : 1})
    for (const int group :
         traits.raster == Raster::swizzle ? std::vector{4, 8, 16} : std::vector{1})
      for (const int parts : traits.sums != PartialSums::none
                                 ? std::vector{2, 3, 4, 6, 8, 12, 16, 24, 32}
                                 : std::vector{1})
        tiles.push_back(
            {.stages = stages, .split_k = parts, .raster = traits.raster, .raster_group = group});
  return tiles;
}

std::vector<Tile> one_element_tiles() {
  std::vector<Tile> tiles;
  for (const int BM : {8, 16, 32, 64})
    for (const int BN : {8, 16, 32, 64})
      for (const int BK : {8, 16, 32}) tiles.push_back({.BM = BM, .BN = BN, .BK = BK});
  return tiles;
}

}  // namespace

std::vector<Tile> tile_space_tiled(const TiledTraits& traits) {
  if (traits.max_thread_tile == 1) return one_element_tiles();
  std::vector<Tile> tiles;
  for (const int BM : {32, 64, 128, 256})
    for (const int BN : {32, 64, 128, 256})
      for (const int BK : {8, 16, 32})
        for (const int TM : {4, 8, 16})
          for (const int TN : {4, 8, 16})
            for (Tile t : launch_tiles(traits)) {
              t.BM = BM, t.BN = BN, t.BK = BK, t.TM = TM, t.TN = TN;
              if (traits.place == PlaceKind::z_order)
                add_warp_tiles(t, tiles);
              else
                tiles.push_back(t);
            }
  return tiles;
}

std::vector<Tile> tile_space_direct() {
  std::vector<Tile> tiles;
  for (const int BM : {1, 2, 4, 8, 16, 32, 64, 128, 256})
    for (const int BN : {1, 2, 4, 8, 16, 32, 64, 128, 256}) tiles.push_back({.BM = BM, .BN = BN});
  return tiles;
}

}  // namespace rooftile::gemm
