// The measure stage: a planned sweep through a GemmRunner into runs.jsonl, and what is said of it.
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"
#include "cli/problem_form.hpp"
#include "gemm/sweep.hpp"

namespace CLI {
class App;
}

namespace rooftile::cli {

/// What to measure, as `measure` and `run` take it from the command line.
struct SweepOptions {
  std::vector<std::string> shapes, variants, tiles;
  std::string suite, filter;
  ProblemForm form;
  bool cold = false, include_sealed = false;
  double time_cap_s = SampleOptions{}.wall_cap_s;

  void define(CLI::App& app);
  /// Throws InputError; a filter is matched against "variant tile shape".
  SweepPlan plan() const;
  SampleOptions sampling() const;

 private:
  void take_suite(SweepRequest& request) const;
};

struct MeasureOutcome {
  SweepResult result;
  std::vector<RunRecord> runs;  ///< one for each planned cell, in the plan's order
};

ExistingLog existing_log(bool resume, bool force);

/// Runs what the log at `path` does not hold. Throws InputError when an existing log is of another
/// GPU, Interrupted with the log complete up to the cell before.
MeasureOutcome measure(GemmRunner& runner, const SweepPlan& plan, const std::string& path,
                       ExistingLog existing, const SampleOptions& sampling, bool quiet);

/// Sealed pairs, damaged tails and cells left out, on stderr.
void say_plan(const SweepPlan& plan, bool include_sealed);

Results sweep_plan_results(const SweepPlan& plan, const std::string& path,
                           const std::string& notice);
/// Of `kernels` compiled into the cache for a compute capability.
Results compiled_results(std::size_t kernels, const std::string& compute_capability);
Results measure_results(const MeasureOutcome& outcome, const Environment& environment,
                        const std::string& path, const std::string& notice);

/// 1 when a cell failed or none has a time, 5 for suspect ones under --strict; says them on stderr.
int measure_exit_code(const MeasureOutcome& outcome, bool strict);

}  // namespace rooftile::cli
