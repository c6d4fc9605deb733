// Options of a sweep, its plan, the run into a log, and the exit code that follows.
#include "cli/measure_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cli/axes.hpp"
#include "cli/command.hpp"
#include "cli/filter.hpp"
#include "cli/inputs.hpp"
#include "cli/prediction.hpp"
#include "model/error.hpp"
#include "model/record/data_path.hpp"
#include "model/record/libraries.hpp"

namespace rooftile::cli {
namespace {

std::string cell_name(const SweepCell& cell) {
  return fmt::format("{} {} {}", cell.variant, tile_name(cell.tile), problem_name(cell.problem));
}

void keep_matching(SweepPlan& plan, const std::string& filter) {
  std::vector<std::string> names;
  for (const SweepCell& cell : plan.cells) names.push_back(cell_name(cell));
  const std::vector<std::string> kept = filter_names(names, filter, "--filter");
  std::vector<SweepCell> cells;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (cells.size() < kept.size() && names[i] == kept[cells.size()])
      cells.push_back(plan.cells[i]);
  plan.cells = std::move(cells);
}

std::string key_of(const SweepCell& cell) {
  RunRecord run;
  run.variant = cell.variant;
  run.tile = cell.tile;
  run.problem = cell.problem;
  run.cache = cell.cache;
  return run_key(run);
}

void check_same_gpu(const RunLog& log, const Environment& here) {
  if (log.repaired()) print_warning(fmt::format("{}: cut off an incomplete last line", log.path()));
  for (const RunRecord& run : log.runs())
    if (run.environment.gpu_uuid != here.gpu_uuid)
      throw InputError(fmt::format(
          "{}: environment.gpu_uuid is '{}' but this GPU is '{}' ({}); use another --output, or "
          "--force to start anew",
          log.path(), run.environment.gpu_uuid, here.gpu_uuid, here.gpu_name));
}

/// The records of the planned cells; of several of one cell the last stands.
std::vector<RunRecord> planned_runs(const SweepPlan& plan, const RunLog& log) {
  std::map<std::string, const RunRecord*> by_key;
  for (const RunRecord& run : log.runs()) by_key[run_key(run)] = &run;
  std::vector<RunRecord> runs;
  for (const SweepCell& cell : plan.cells) runs.push_back(*by_key.at(key_of(cell)));
  return runs;
}

/// Throws InputError where --tile has no variant to apply to.
void refuse_libraries_alone(const std::vector<std::string>& variants) {
  if (!variants.empty() && std::all_of(variants.begin(), variants.end(), is_library))
    throw InputError(
        fmt::format("--tile: {} chooses its own; name a variant of `rooftile list "
                    "variants`, or leave out --tile",
                    variants.front()));
}

}  // namespace

void SweepOptions::define(CLI::App& app) {
  app.add_option("--shape", shapes, shape_help)->type_name("SHAPE...")->group("What to measure");
  app.add_option("--suite", suite,
                 "File of shapes, and perhaps kernels (default: the suite of the recorded data); "
                 "with --shape its kernels on those")
      ->type_name("FILE")
      ->group("What to measure");
  app.add_option("--variant,--variants", variants,
                 "Only these; cublaslt may be one (default: all and cublas)")
      ->delimiter(',')
      ->type_name("NAME...")
      ->group("What to measure");
  app.add_option("--tile", tiles, "Other tiles than the variant's default: BM=64,BN=64,...")
      ->type_name("TILE...")
      ->group("What to measure");
  app.add_option("--filter", filter, "Only where 'variant tile shape' matches")
      ->type_name("REGEX")
      ->group("What to measure");
  form.define(app, "Form of the problems");
  app.add_flag("--cold", cold, "Empty the caches before each sample")->group("What to measure");
  app.add_flag("--include-sealed", include_sealed,
               "Also the sealed split (spoils it: see the docs)")
      ->group("What to measure");
  app.add_option("--time-cap", time_cap_s, "Longest sampling of one cell in seconds")
      ->check(CLI::Range(0.001, 3600.0))
      ->capture_default_str()
      ->type_name("S")
      ->group("What to measure");
}

void SweepOptions::take_suite(SweepRequest& request) const {
  if (shapes.empty() || !suite.empty()) {
    Suite found = find_suite(suite);
    check_suite_serves(found, !shapes.empty(), !(variants.empty() && tiles.empty()));
    request.problems = std::move(found.problems);
    request.kernels = std::move(found.kernels);
  }
  if (!shapes.empty()) request.problems = asked_problems(shapes);
}

SweepPlan SweepOptions::plan() const {
  if (std::isnan(time_cap_s)) throw InputError("--time-cap: not a number; give seconds");
  SweepRequest request;
  take_suite(request);
  request.problems = form.applied(std::move(request.problems));
  std::vector<std::string> known = variant_names();
  known.insert(known.end(), library_names.begin(), library_names.end());
  request.variants = require_names(known, variants, "--variant");
  if (!tiles.empty()) refuse_libraries_alone(request.variants);
  // What a tile does not name comes from the variant's default where there is only one variant.
  const Variant* only = variants.size() == 1 ? find_variant(variants.front()) : nullptr;
  for (const std::string& text : tiles)
    request.tiles.push_back(parse_tile(text, only == nullptr ? Tile{} : only->default_tile));
  request.cache = cold ? CacheState::cold : CacheState::hot;
  request.include_sealed = include_sealed;
  SweepPlan plan = plan_sweep(request, Splits::load(data_path("splits.json")));
  if (!filter.empty()) keep_matching(plan, filter);
  return plan;
}

SampleOptions SweepOptions::sampling() const {
  SampleOptions options;
  options.wall_cap_s = time_cap_s;
  return options;
}

ExistingLog existing_log(bool resume, bool force) {
  return resume ? ExistingLog::resume : force ? ExistingLog::overwrite : ExistingLog::refuse;
}

MeasureOutcome measure(GemmRunner& runner, const SweepPlan& plan, const std::string& path,
                       ExistingLog existing, const SampleOptions& sampling, bool quiet) {
  RunLog log(path, existing);
  check_same_gpu(log, runner.environment());
  MeasureOutcome outcome;
  outcome.result = run_sweep(runner, plan, log, sampling, quiet);
  outcome.runs = planned_runs(plan, log);
  return outcome;
}

void say_plan(const SweepPlan& plan, bool include_sealed) {
  if (include_sealed)
    print_warning(
        "--include-sealed: measuring sealed pairs; once seen they cannot judge the model any more");
  if (plan.sealed_left_out > 0)
    print_note(fmt::format("{} pairs of the sealed split are left out", plan.sealed_left_out));
  for (const std::string& cell : plan.left_out) print_note("left out: " + cell);
}

int measure_exit_code(const MeasureOutcome& outcome, bool strict) {
  bool failed = false, suspect = false, any_time = false;
  for (const RunRecord& run : outcome.runs) {
    any_time |= run.time.has_value();
    const std::string text = fmt::format("{} {} {}: {}", run.variant, tile_name(run.tile),
                                         problem_name(run.problem), run.reason);
    if (run.state == State::failed) print_error("failed: " + text);
    if (run.state == State::suspect) print_warning("suspect: " + text);
    failed |= run.state == State::failed;
    suspect |= run.state == State::suspect;
  }
  if (!any_time)
    print_error(fmt::format("not one cell could be measured: {}", outcome.runs.front().reason));
  if (failed || !any_time) return exit_failed;
  return strict && suspect ? exit_suspect : exit_ok;
}

}  // namespace rooftile::cli
