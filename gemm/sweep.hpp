// Sweeps: which (variant, tile, problem) cells are measured, in which order and how long that
// takes, and the loop that measures them through a GemmRunner into a RunLog. Plain C++: the replay
// runner drives the same code without a GPU.
//
// Order is shape-major, largest problems last, so that the runner keeps inputs and the FP64
// reference of a shape while all variants run on it, and an interrupted sweep has whole shapes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gemm/variant.hpp"
#include "gpu/run_log.hpp"
#include "gpu/runner.hpp"
#include "model/record/splits.hpp"

namespace rooftile {

struct SweepCell {
  std::string variant;  ///< registry name, or a library's (whose tile is Tile{})
  Tile tile;
  GemmProblem problem;
  CacheState cache = CacheState::hot;
  double estimated_s = 0;  ///< wall time; a rough guess before anything is known of the machine

  /// Is the tile's kernel compiled when it is first launched, and not ahead of time?
  bool compiled_at_run_time() const;
};

struct SweepKernel {
  std::string variant;  ///< as of SweepCell
  Tile tile;
};

struct SweepRequest {
  std::vector<GemmProblem> problems{};
  std::vector<std::string> variants{};  ///< empty: all and the baseline, cublas
  std::vector<Tile> tiles{};            ///< empty: each variant's default tile
  std::vector<SweepKernel> kernels{};   ///< in place of variants and tiles, unless empty
  CacheState cache = CacheState::hot;
  bool include_sealed = false;
};

struct SweepPlan {
  std::vector<SweepCell> cells;
  std::size_t sealed_left_out = 0;    ///< pairs of the sealed split that were asked for
  std::vector<std::string> left_out;  ///< "variant, tile, shape: reason" for what cannot run
  double estimated_s() const;
};

/// What a file says to measure (schemas/suite.schema.json), as data/suite.json the default shapes.
struct Suite {
  std::string path;  ///< the file
  std::vector<GemmProblem> problems;
  std::vector<SweepKernel> kernels;  ///< empty where the file leaves them to the command line
};
/// Throws InputError, with the place in the file, for one that is damaged or names an unknown
/// variant, no tile, or a tile of a library.
Suite load_suite(const std::string& path);

/// Throws InputError for unknown variants (names the known ones), when there are no problems, and
/// when nothing is left to measure.
SweepPlan plan_sweep(const SweepRequest& request, const Splits& splits);

struct SweepResult {
  std::size_t measured = 0, resumed = 0;  ///< cells run now; cells found done in the log
  std::size_t ok = 0, skipped = 0, failed = 0, suspect = 0;  ///< of those run now
  std::vector<std::string> problems;  ///< "variant shape: reason" of each failed or suspect cell
};

/// Runs what `log` does not hold yet. Each record is in the log before the next cell starts; an
/// interruption throws Interrupted with the log complete up to the cell before.
SweepResult run_sweep(GemmRunner& runner, const SweepPlan& plan, RunLog& log,
                      const SampleOptions& options, bool quiet);

}  // namespace rooftile
