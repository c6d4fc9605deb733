// The compiled kernels behind the runs: <folder>/<kernel_id>.sass.gz, one a distinct kernel, and
// <folder>/index.json, which says what each was compiled for.
//
// kernel_id names code, not text: it is the FNV-1a hash (64 bits, 16 hex digits) of the listing's
// instruction lines, each cut of blanks at both ends. Names of files, symbols and tools stand in
// other lines and do not count, so two variants that compile to the same code share a file.
// Pitfall: another release of the disassembler may print the same code otherwise; ids are compared
// only with ids of the same listing.
#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/kernel/kernel_description.hpp"
#include "model/kernel/problem.hpp"
#include "model/kernel/tile.hpp"
#include "model/record/provenance.hpp"

namespace rooftile {

/// Which of a variant's compiled kernels for a tile: the guarded one takes everything, the fast
/// ones whole tiles of one transposition each.
struct KernelPath {
  bool guarded = false, trans_a = false, trans_b = false;
  auto operator<=>(const KernelPath&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// The path that `kernel` takes on `problem`.
KernelPath kernel_path(const KernelDescription& kernel, const GemmProblem& problem);

/// "fast NN", "fast TN", "guarded".
std::string path_name(const KernelPath& path);

/// The tile as far as the compiler sees it: split_k, raster and raster_group belong to a launch or
/// to the variant.
Tile compiled_tile(Tile tile);

/// A kernel as a compiler takes it: what a launch decides of a tile is no part of it.
struct KernelName {
  std::string variant;
  Tile tile;  ///< compiled_tile()
  KernelPath path;
  auto operator<=>(const KernelName&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// The one that `kernel` is on `problem`.
KernelName kernel_name(const KernelDescription& kernel, const GemmProblem& problem);

/// "warp_tile 128x128x8/8x8/64x32 (fast NN)".
std::string to_string(const KernelName& kernel);

/// One line of the index.
struct KernelRecord {
  std::string variant;
  Tile tile;  ///< compiled_tile()
  KernelPath path;
  std::string architecture;  ///< "sm_90a"
  KernelResources resources;
  std::string kernel_id;
};

struct KernelIndex {
  static constexpr std::string_view schema = "rooftile.kernels";
  static constexpr int schema_version = 1;

  std::vector<KernelRecord> kernels;
  std::string disassembler;  ///< name and version
  std::string note;          ///< what a reader must know of how runs were matched
  CreatedBy created_by;      ///< the build that the kernels are of

  Json to_json() const;
  static KernelIndex load(const std::string& path);
};

/// Where predictors find compiled kernels.
class KernelSource {
 public:
  virtual ~KernelSource() = default;
  /// What (variant, tile, path) was compiled to; nullptr when unknown.
  virtual const KernelRecord* find(std::string_view variant, const Tile& tile,
                                   const KernelPath& path) const = 0;
  /// The listing of a kernel, or nullopt. Throws InputError for a damaged one.
  virtual std::optional<std::string> listing(const std::string& kernel_id) const = 0;
};

/// Kernels of a folder. Throws InputError when the index is absent or bad; listings are read when
/// asked for, and refused when their hash is not their name.
std::unique_ptr<KernelSource> open_kernel_folder(const std::string& folder);

/// Throws InputError when there is no instruction line.
std::string kernel_id_of(std::string_view listing);

struct ListedKernel {
  KernelRecord record;
  std::string symbol;   ///< mangled name
  std::string listing;  ///< a "Function :" line and its instructions
};

/// Writes listings and index; files of equal kernels are written once. Throws InputError for
/// kernels of several architectures and for one that is there twice.
void write_kernel_folder(const std::string& folder, const std::vector<ListedKernel>& kernels,
                         KernelIndex index);

/// `kernels`, kept in memory, beside those of `folder`, which may be null. What both have is that
/// of `folder`, where its listing is there.
std::unique_ptr<KernelSource> kernels_beside(std::shared_ptr<const KernelSource> folder,
                                             std::vector<ListedKernel> kernels);

}  // namespace rooftile
