// The sweep loop; see sweep.hpp.
#include "gemm/sweep.hpp"

#include <algorithm>

#include "gpu/interrupt.hpp"
#include "gpu/progress.hpp"
#include "model/error.hpp"

namespace rooftile {

namespace {

RunRecord identity(const SweepCell& cell) {
  RunRecord record;
  record.variant = cell.variant;
  record.tile = cell.tile;
  record.problem = cell.problem;
  record.cache = cell.cache;
  return record;
}

void count(SweepResult& result, const RunRecord& record) {
  ++result.measured;
  switch (record.state) {
    case State::ok:
      ++result.ok;
      return;
    case State::skipped:
      ++result.skipped;
      return;
    case State::failed:
      ++result.failed;
      break;
    case State::suspect:
      ++result.suspect;
      break;
  }
  result.problems.push_back(record.variant + " " + shape_name(record.problem) + ": " +
                            record.reason);
}

}  // namespace

SweepResult run_sweep(GemmRunner& runner, const SweepPlan& plan, RunLog& log,
                      const SampleOptions& options, bool quiet) {
  SweepResult result;
  Progress progress("measure", plan.estimated_s(), quiet);
  for (const SweepCell& cell : plan.cells) {
    throw_if_interrupted();
    if (log.done(run_key(identity(cell)))) {
      ++result.resumed;
    } else {
      if (cell.compiled_at_run_time())
        progress.advance(0, "compiling " + cell.variant + " " + tile_name(cell.tile));
      const RunRecord record =
          runner.run(cell.variant, cell.tile, cell.problem, cell.cache, options);
      log.append(record);
      count(result, record);
    }
    progress.advance(cell.estimated_s, cell.variant + " " + shape_name(cell.problem));
  }
  return result;
}

}  // namespace rooftile
