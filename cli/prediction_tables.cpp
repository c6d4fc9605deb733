// How predictions look on the terminal and in Markdown.
#include <fmt/format.h>

#include "cli/prediction.hpp"
#include "cli/quantity.hpp"
#include "model/predict/summarize.hpp"

namespace rooftile::cli {
namespace {

std::string interval_text(const std::optional<Interval>& interval) {
  if (!interval) return "none";
  return fmt::format("{} to {}", format_quantity(interval->lo, "s"),
                     format_quantity(interval->hi, "s"));
}

std::string resources_text(const Prediction& p) {
  return fmt::format(
      "{} registers/thread ({}), {} shared memory, {} resident blocks/SM",
      p.resources.registers_per_thread, p.resources.compiled ? "compiled" : "estimated",
      format_quantity(p.resources.static_shared_bytes + p.resources.dynamic_shared_bytes, "byte"),
      p.occupancy_blocks_per_sm);
}

std::string traffic_text(const Prediction& p) {
  return fmt::format("L2 {} at {} hits, DRAM {} read and {} written, {:.4g} shared wavefronts",
                     format_quantity(p.l2_bytes, "byte"), format_quantity(p.l2_hit_rate, "percent"),
                     format_quantity(p.dram_read_bytes, "byte"),
                     format_quantity(p.dram_write_bytes, "byte"), p.shared_wavefronts);
}

std::string schedule_text(const Prediction& p) {
  return fmt::format("occupancy {}, {} waves, {} of whose places for blocks are used",
                     format_quantity(p.occupancy, "percent"), format_quantity(p.waves, "1"),
                     format_quantity(p.tail_efficiency, "percent"));
}

}  // namespace

ResultTable prediction_table(const std::vector<Prediction>& predictions) {
  ResultTable table{"",
                    {{"variant", "variant", ""},
                     {"tile", "tile", ""},
                     {"shape", "shape", ""},
                     {"predictor", "predictor", ""},
                     {"time", "time", "s"},
                     {"speed", "speed", "flop/s"},
                     {"bound", "bound", ""},
                     {"occupancy", "occupancy", "percent"},
                     {"waves", "waves", "1"},
                     {"L2 hits", "l2_hit_rate", "percent"},
                     {"DRAM read", "dram_read", "byte"}},
                    {},
                    {}};
  for (const Prediction& p : predictions)
    table.rows.push_back({p.variant, tile_name(p.tile), problem_name(p.problem), p.predictor,
                          p.time_s, p.flops(), std::string(to_string(p.bound)), p.occupancy,
                          p.waves, p.l2_hit_rate, p.dram_read_bytes});
  return table;
}

std::vector<ResultTable> loop_tables(const Prediction& p) {
  if (!p.loop) return {};
  const LoopAccount& loop = *p.loop;
  ResultTable causes{
      fmt::format("main loop of {} (kernel {}): {:.1f} cycles for {:g} steps of K on one SM",
                  p.variant, loop.kernel_id, loop.cycles, loop.k_a_trip),
      {{"issue slots", "cause", ""},
       {"cycles", "cycles", "cycle"},
       {"share", "share", "percent"},
       {"time without", "time_without", "s"},
       {"faster by", "gain", "percent"}},
      {},
      {}};
  for (const LoopAccount::Cause& cause : loop.causes) {
    std::vector<Cell> row = {cause.name, cause.cycles, cause.cycles / loop.cycles, Cell(), Cell()};
    if (cause.time_without_s) {
      row[3] = *cause.time_without_s;
      row[4] = p.time_s / *cause.time_without_s - 1;
    }
    causes.rows.push_back(row);
  }
  causes.notes.push_back(fmt::format(
      "FFMA {} of the instructions, port ratio {:.3f}, issue slots {} used, shared-memory path {}",
      format_quantity(loop.ffma_share, "percent"), loop.port_ratio,
      format_quantity(loop.issue_utilization, "percent"),
      format_quantity(loop.path_utilization, "percent")));
  ResultTable lines{"instructions that warps wait longest for",
                    {{"address", "address", ""},
                     {"instruction", "instruction", ""},
                     {"waits", "wait_cycles", "cycle"},
                     {"mostly for", "cause", ""}},
                    {},
                    {}};
  for (const LoopAccount::Line& line : loop.lines)
    lines.rows.push_back(
        {fmt::format("{:#06x}", line.address), line.text, line.wait_cycles, line.cause});
  return {causes, lines};
}

ResultTable changes_table(const Prediction& p) {
  ResultTable table{fmt::format("{} {} with another choice", p.variant, tile_name(p.tile)),
                    {{"change", "change", ""},
                     {"tile", "tile", ""},
                     {"by", "predictor", ""},
                     {"as it is", "before", "s"},
                     {"changed", "time", "s"},
                     {"gain", "gain", "percent"}},
                    {},
                    {}};
  for (const TileChange& change : p.changes)
    table.rows.push_back({change.name, tile_name(change.tile), change.predictor,
                          change.time_s * (1 + change.gain), change.time_s, change.gain});
  return table;
}

ResultTable explanation(const Prediction& p) {
  ResultTable table{
      fmt::format("{} {} on {} by {}: {}, {}, bound by {}", p.variant, tile_name(p.tile),
                  problem_name(p.problem), p.predictor, format_quantity(p.time_s, "s"),
                  format_quantity(p.flops(), "flop/s"), to_string(p.bound)),
      {{"term", "term", ""}, {"time", "time", "s"}, {"share", "share", "percent"}},
      {},
      {}};
  double sum_s = 0;
  for (const Term& term : p.terms) {
    sum_s += term.seconds;
    table.rows.push_back({term.name, term.seconds, term.seconds / p.time_s});
  }
  table.rows.push_back({std::string("sum"), sum_s, sum_s / p.time_s});
  table.notes = {schedule_text(p), traffic_text(p), resources_text(p),
                 fmt::format("{:.6g} cycles at {}; by the profile's uncertainty {}", p.cycles,
                             format_quantity(p.clock_hz, "Hz"), interval_text(p.input_interval)),
                 fmt::format("reads {}", fmt::join(p.inputs, ", "))};
  if (p.prediction_interval)
    table.notes.insert(
        table.notes.end() - 1,
        fmt::format("{:.0f} in 100 of such predictions hold within {}",
                    100 * interval_coverage_goal, interval_text(p.prediction_interval)));
  return table;
}

}  // namespace rooftile::cli
