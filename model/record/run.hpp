// RunRecord: one measured (variant, tile, problem); a line of runs.jsonl.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/kernel/kernel_description.hpp"
#include "model/kernel/problem.hpp"
#include "model/kernel/tile.hpp"
#include "model/profile/device_profile.hpp"
#include "model/record/provenance.hpp"

namespace rooftile {

/// Distribution of the repeated kernel times, in seconds.
struct TimeSummary {
  double median = 0, mad = 0, p5 = 0, p95 = 0;
  int n = 0;
  Interval ci95;           ///< of the median
  bool converged = false;  ///< the interval's half-width reached the target before the wall cap
};

/// Comparison with the FP64 reference. `max_error` and `bound` are absolute, `normwise` is ||C -
/// R||_F / ||R||_F.
struct Correctness {
  double max_error = 0, normwise_error = 0, bound = 0;
  bool passed = false;
};

/// Hardware counters of one launch; absent where not permitted, and then `reason` says why.
struct CounterSet {
  std::vector<std::pair<std::string, double>>
      values;  ///< our names: l2.hit_rate, dram.read_bytes, ...
  std::string reason;
};

enum class CacheState { hot, cold };
std::string_view to_string(CacheState cache);

Json to_json(const KernelResources& resources);
KernelResources resources_from(const JsonReader& json);

struct RunRecord {
  static constexpr std::string_view schema = "rooftile.run";
  static constexpr int schema_version = 1;

  std::string variant;  ///< registry name, or a library's (model/record/libraries.hpp)
  Tile tile;
  GemmProblem problem;
  CacheState cache = CacheState::hot;
  State state = State::ok;
  std::string reason;
  std::optional<TimeSummary> time;  ///< absent unless ok or suspect
  KernelResources resources;
  int occupancy_blocks_per_sm = 0;
  double sm_clock_hz = 0;  ///< during the samples, by the probe kernel
  DeviceCondition condition;
  std::optional<Correctness> correctness;
  CounterSet counters;
  std::string kernel_id;  ///< hash of the disassembly; empty when there is none

  CreatedBy created_by;
  Environment environment;

  Json to_json() const;
  static RunRecord from_json(const JsonReader& json);
};

/// Identity for --resume and for matching predictions: variant, tile, problem and cache state as
/// text.
std::string run_key(const RunRecord& run);

/// The files of runs in `folder`: runs*.jsonl and runs*.jsonl.gz, sorted; of a file and its
/// compressed copy only the file. Throws InputError when it cannot be listed.
std::vector<std::string> run_files(const std::string& folder);

/// Reads a .jsonl or .jsonl.gz file. A last line cut short by a kill is ignored (and reported
/// through `truncated`); any other bad line throws InputError with its number.
std::vector<RunRecord> load_runs(const std::string& path, bool* truncated = nullptr);

}  // namespace rooftile
