// Variant: the host-side half of a GEMM variant (its descriptor). Compiles without CUDA.
//
// A variant is two files that share a name: variants/<name>.hpp defines, in namespace
// rooftile::gemm::<name>, `words`, `default_tile`, `vector_width`, `tile_space`, `illegal` and
// `describe`; variants/<name>.cuh the kernel template. Registration code is generated from the file
// names (docs/adding-a-variant.md).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/kernel/kernel_description.hpp"
#include "model/kernel/problem.hpp"
#include "model/kernel/tile.hpp"

namespace rooftile {

/// How the sums of several blocks that share a tile become one (split_k).
enum class PartialSums { none, atomics, workspace };

/// The words of a variant.
struct VariantWords {
  std::string_view family, title, idea;
  int rung = 0;
  std::string_view not_predicted{};  ///< why it is measured only; empty: predicted
  int least_compute_capability = 0;  ///< 80 for 8.0
  PartialSums sums = PartialSums::none;
  bool transposed_paths = false;  ///< whole tiles of TN, NT, TT do not take the guarded path
  bool persistent = false;        ///< blocks walk over tiles (device/persistent.cuh)
};

struct Variant {
  std::string_view name;    ///< file stem, snake_case
  std::string_view family;  ///< key of data/splits.json, "variant_families"
  std::string_view title;   ///< for people: "shared tile 32x32"
  std::string_view idea;    ///< one sentence: what this rung adds to the one before
  int rung = 0;             ///< place on the ladder
  Tile default_tile;
  int vector_width = 1;  ///< floats a global access of the fast path; sets its alignment needs
  /// Why the model says nothing of this variant, which is measured as cuBLAS is; empty: it is
  /// predicted. Whatever `describe` counts is then not used.
  std::string_view not_predicted{};
  /// Tiles that `tune` may consider, legal or not; legality is judged by `illegal`.
  std::vector<Tile> (*tile_space)();
  /// Why this tile cannot be built, or nullopt when it can.
  std::optional<std::string> (*illegal)(const Tile&);
  /// Block grid of this problem: (blocks along M, blocks along N) in elements of BM and BN is
  /// implied by the tile. A column-major problem is described as the row-major one that runs.
  KernelDescription (*describe)(const Tile&, const GemmProblem&);
};

/// All variants, ordered by rung and then name.
std::span<const Variant> variants();
const Variant* find_variant(std::string_view name);
/// As find_variant; throws InputError that names the known variants.
const Variant& require_variant(std::string_view name);

/// Do these tiles of one variant have the same machine code: do they differ in no more than what a
/// launch decides, split_k and raster_group?
bool same_code(const Tile& a, const Tile& b);

/// Does the row-major problem need the path with bounds checks: sizes that are no multiple of the
/// tile, leading dimensions or strides that are no multiple of the vector width, transposed
/// operands (but for variants that have paths of their own for them), or no K at all (alpha == 0)?
/// Pointers that are not aligned to the vector need it too, which only the launcher can see.
bool needs_guards(const Tile& tile, int vector_width, const GemmProblem& problem);

/// Registers a descriptor at static initialization; generated code does it for each variant.
struct RegisterVariant {
  explicit RegisterVariant(const Variant& variant);
};

/// Why no variant takes this problem, or nullopt: a batch whose matrices of C overlap.
std::optional<std::string> not_applicable(const GemmProblem& problem);

}  // namespace rooftile
