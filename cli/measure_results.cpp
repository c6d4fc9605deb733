// What measure prints.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/measure_stage.hpp"
#include "cli/quantity.hpp"
#include "gpu/file_cache.hpp"

namespace rooftile::cli {
namespace {

std::vector<Cell> run_row(const RunRecord& run) {
  std::vector<Cell> row{run.variant, tile_name(run.tile), problem_name(run.problem),
                        std::string(to_string(run.cache))};
  if (run.time) {
    const TimeSummary& t = *run.time;
    row.insert(row.end(),
               {t.median, run.problem.flop() / t.median, 0.5 * (t.ci95.hi - t.ci95.lo) / t.median,
                static_cast<double>(t.n), run.sm_clock_hz});
  } else {
    row.resize(row.size() + 5);
  }
  row.insert(row.end(), {std::string(to_string(run.state)), run.reason});
  return row;
}

}  // namespace

Results sweep_plan_results(const SweepPlan& plan, const std::string& path,
                           const std::string& notice) {
  ResultTable table{"would measure",
                    {{"variant", "variant", ""},
                     {"tile", "tile", ""},
                     {"shape", "shape", ""},
                     {"compiled", "compiled", ""},
                     {"estimated", "estimated", "s"}},
                    {},
                    {}};
  Json cells = Json::array();
  for (const SweepCell& cell : plan.cells) {
    const std::string compiled = cell.compiled_at_run_time() ? "at run time" : "ahead of time";
    table.rows.push_back({cell.variant, tile_name(cell.tile), problem_name(cell.problem), compiled,
                          cell.estimated_s});
    cells.push_back({{"variant", cell.variant},
                     {"tile", to_json(cell.tile)},
                     {"problem", to_json(cell.problem)},
                     {"compiled", compiled},
                     {"estimated_s", cell.estimated_s}});
  }
  table.notes.push_back(fmt::format("{} cells, about {} in all, into {}", plan.cells.size(),
                                    format_duration(plan.estimated_s()), path));
  return {Json{{"plan", cells}, {"estimated_s", plan.estimated_s()}}, {table}, notice};
}

Results compiled_results(std::size_t kernels, const std::string& compute_capability) {
  const double count = static_cast<double>(kernels);
  ResultTable table{fmt::format("compiled for compute capability {}", compute_capability),
                    {{"kernels", "kernels", "count"}, {"folder", "folder", ""}},
                    {{count, cache_folder()}},
                    {}};
  return {Json{{"kernels", kernels}, {"folder", cache_folder()}}, {table}, ""};
}

Results measure_results(const MeasureOutcome& outcome, const Environment& environment,
                        const std::string& path, const std::string& notice) {
  ResultTable table{fmt::format("{}, written to {}", environment.gpu_name, path),
                    {{"variant", "variant", ""},
                     {"tile", "tile", ""},
                     {"shape", "shape", ""},
                     {"cache", "cache", ""},
                     {"time", "time", "s"},
                     {"speed", "speed", "flop/s"},
                     {"+-", "relative_half_width", "percent"},
                     {"n", "n", "count"},
                     {"SM clock", "sm_clock", "Hz"},
                     {"state", "state", ""},
                     {"reason", "reason", ""}},
                    {},
                    {}};
  Json json = file_head("rooftile.sweep", 1, this_build(), environment);
  const SweepResult& r = outcome.result;
  json["counts"] = {{"measured", r.measured}, {"resumed", r.resumed}, {"ok", r.ok},
                    {"skipped", r.skipped},   {"failed", r.failed},   {"suspect", r.suspect}};
  json["runs"] = Json::array();
  for (const RunRecord& run : outcome.runs) {
    table.rows.push_back(run_row(run));
    json["runs"].push_back(run.to_json());
  }
  table.notes.push_back(
      fmt::format("{} measured now ({} ok, {} suspect, {} skipped, {} failed), {} kept from before",
                  r.measured, r.ok, r.suspect, r.skipped, r.failed, r.resumed));
  return {json, {table}, notice};
}

}  // namespace rooftile::cli
