// From a tile to a KernelDescription, for the two kinds of kernels on the ladder: direct ones (no
// shared memory) and tiled ones. Mirrors gemm/device/*.cuh; a test holds the counts against the
// compiled main loops.
//
// Counts are warp instructions a warp for one step of BK. Lane maps are those of warp 0 in the
// first block; addresses further than 4 Mi elements apart are brought nearer in whole sectors,
// which changes neither banks nor sectors. Problems are row-major here: the registry passes
// column-major ones on as the row-major ones that they are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemm/variant.hpp"

namespace rooftile::gemm {

/// Lane maps, see device/place.cuh.
enum class PlaceKind { contiguous, split, z_order };

struct TiledTraits {
  std::string_view name;
  int vector_width = 1;        ///< floats of a shared load, of a store of C, and of a global load
  int global_width = 0;        ///< floats of a global load where it differs
  bool word_by_word = false;   ///< those floats by as many loads of one word
  bool inner_product = false;  ///< loads both operands anew for each multiply-add
  bool a_transposed = false;
  int a_padding = 0;        ///< floats behind each row of the shared A
  bool a_swizzled = false;  ///< device/swizzle.cuh
  PlaceKind place = PlaceKind::contiguous;
  bool slices_ahead = false;             ///< the next slice is on its way meanwhile: two buffers
  bool fragments_ahead = false;          ///< the next k-step's fragments are on their way meanwhile
  bool scalar_result = false;            ///< stores C word by word on the fast path too
  bool copied = false;                   ///< by cp.async, with 2 to 5 buffers
  bool transposed_paths = false;         ///< whole tiles of NT, TN, TT have a path of their own
  PartialSums sums = PartialSums::none;  ///< of parts of K
  bool persistent = false;               ///< blocks walk over tiles
  Raster raster = Raster::row;
  int max_thread_tile = 16;  ///< largest TM or TN; 1 for one element a thread
};

KernelDescription describe_tiled(const TiledTraits& traits, const Tile& tile,
                                 const GemmProblem& problem);
std::optional<std::string> illegal_tiled(const TiledTraits& traits, const Tile& tile);
std::vector<Tile> tile_space_tiled(const TiledTraits& traits);

/// One element of C a thread, straight from global memory. `along_m`: neighbouring lanes are
/// neighbouring rows.
KernelDescription describe_direct(std::string_view name, bool along_m, const Tile& tile,
                                  const GemmProblem& problem);
std::optional<std::string> illegal_direct(const Tile& tile);
std::vector<Tile> tile_space_direct();

}  // namespace rooftile::gemm
