// Shared-memory lane patterns: measured cycles an instruction beside the modelled wavefronts, and
// the switches of the merge rules that explain them.
//
// Some 800 patterns (lane_patterns.hpp), each twice: `measured`, 16 warps of one block, the data
// path saturated, which is what the model's wavefronts are about; and `one_warp`, one warp alone,
// which shows what a lone warp can make of them (smem_pattern.cuh for both). `matches`: the
// saturated cycles round to the modelled wavefronts and lie within 1.5 % of them.
//
// The switches are found by comparing all 32 combinations (lane_patterns.hpp): the one that leaves
// the fewest patterns unexplained (by more than a quarter of a cycle) wins; the table's modelled
// column is computed with it.
//
// Expect on an H200, LDS.128 by float offset of lane i: 4i: 4; 0: 2; 4(i/2) (A): 2; i^2 pairs (B):
// 2; i^4 pairs: 4; 8(i%8): 8; 8i: 8; 32i: 32; 4(i%2+2(i/16)): 2; LDS.64 2i: 2; 0: 1; LDS.32 2i: 2;
// 32i: 32. All patterns match. one_warp: at least 4, the spacing that ptxas gives to LDS.
//
// Pitfalls: latency-bound loops show no difference below the latency, hence 16 warps, and the
// difference of two loop lengths for one; a store to one address by many lanes still moves each
// group's wavefront; a group none of whose lanes is active still takes its turn.
//
// ENTRY: smem.patterns | table | lane patterns: measured cycles an instruction, saturated and of one warp, beside the modelled wavefronts
// ENTRY: smem.patterns.matching | metric | 1 | share of the lane patterns whose saturated cycles are the modelled wavefronts within 1.5 %
// ENTRY: smem.merge_a | metric | 1 | 1 where groups of lanes merge when lane i equals lane i^1
// ENTRY: smem.merge_b | metric | 1 | 1 where groups of lanes merge when lane i equals lane i^2
// ENTRY: smem.merge_per_half | metric | 1 | 1 where the merge condition is judged for each half-warp alone
// ENTRY: smem.merge_inactive | metric | 1 | 1 where an inactive lane counts as equal
// ENTRY: smem.merge_store | metric | 1 | 1 where stores merge like loads
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/lane_patterns.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/smem_pattern.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

void set_switch(Context& context, const char* id, bool value, bool decided, int misses,
                std::size_t patterns) {
  std::string method = text(
      "all 32 combinations of the switches compared on {} patterns; the best "
      "leaves {} unexplained",
      patterns, misses);
  if (!decided) method += "; this switch makes no difference to the fit here";
  // Rules that miss more than a tenth of the patterns are not this GPU's rules.
  const bool poor = 10 * static_cast<std::size_t>(misses) > patterns;
  context.exact(id, value ? 1 : 0, "best explanation", method, poor ? State::suspect : State::ok,
                poor
                    ? text("{} of {} patterns are unexplained by any combination", misses, patterns)
                    : std::string());
}

void set_switches(Context& context, const RuleVerdict& verdict, std::size_t patterns) {
  const auto publish = [&](const char* id, bool value, bool decided) {
    set_switch(context, id, value, decided, verdict.unexplained, patterns);
  };
  const MergeRules &found = verdict.rules, &agreed = verdict.agreed;
  publish("smem.merge_a", found.merge_a, agreed.merge_a);
  publish("smem.merge_b", found.merge_b, agreed.merge_b);
  publish("smem.merge_per_half", found.per_half, agreed.per_half);
  publish("smem.merge_inactive", found.inactive_matches, agreed.inactive_matches);
  publish("smem.merge_store", found.store_merge, agreed.store_merge);
}

/// Cycles of both kinds for one pattern.
struct PatternCycles {
  MeasuredPattern saturated;
  double one_warp;
};

Table::Row row_of(const PatternCycles& cycles, int modelled) {
  const LanePattern& pattern = cycles.saturated.pattern;
  const auto active = std::count(pattern.lanes.active.begin(), pattern.lanes.active.end(), true);
  return {
      pattern.name,
      {static_cast<double>(pattern.width_bytes), pattern.direction == Direction::store ? 1.0 : 0.0,
       static_cast<double>(active), cycles.saturated.cycles, static_cast<double>(modelled),
       cycles.one_warp, matches_wavefronts(cycles.saturated.cycles, modelled) ? 1.0 : 0.0}};
}

void publish_table(Context& context, const std::vector<PatternCycles>& patterns,
                   const MergeRules& rules) {
  Table table;
  table.columns = {"name",     "width",    "store",    "active_lanes",
                   "measured", "modelled", "one_warp", "matches"};
  table.units = {"", "byte", "1", "count", "cycle/inst", "wavefront/inst", "cycle/inst", "1"};
  table.method = text(
      "measured: {} warps of one block repeat the pattern, two lengths differenced; one_warp: one "
      "warp, loops of {} and {} accesses differenced; the name gives the float offset of lane i",
      pattern_warps, pace_long, pace_short);
  std::string others;
  int matching = 0, named = 0;
  for (const PatternCycles& p : patterns) {
    const LanePattern& pattern = p.saturated.pattern;
    const int modelled =
        shared_wavefronts(pattern.lanes, pattern.width_bytes, pattern.direction, rules);
    table.rows.push_back(row_of(p, modelled));
    if (table.rows.back().values.back() != 0)
      ++matching;
    else if (named++ < 5)
      others += text("; {}: {:.3f}, not {}", pattern.name, p.saturated.cycles, modelled);
  }
  const auto count = static_cast<int>(patterns.size());
  context.exact("smem.patterns.matching", 1.0 * matching / count, "share",
                text("{} of {} patterns{}", matching, count, others));
  context.table("smem.patterns", std::move(table));
}

void run(Context& context) {
  PatternTimer timer(context);
  std::vector<PatternCycles> patterns;
  std::vector<MeasuredPattern> saturated;
  for (const LanePattern& p : lane_patterns()) {
    const Repetitions full = timer.rate(p.lanes, p.width_bytes, p.direction);
    const Repetitions lone = timer.pace(p.lanes, p.width_bytes, p.direction);
    saturated.push_back({p, median(full.values)});
    patterns.push_back({saturated.back(), median(lone.values)});
  }
  const RuleVerdict verdict = infer_rules(saturated);
  publish_table(context, patterns, verdict.rules);
  set_switches(context, verdict, saturated.size());
}

const Register registered{{"smem_patterns", "lane patterns and merge rules", 1.5, run}};

}  // namespace
}  // namespace rooftile::micro
