// Shared-memory lane patterns: measured cycles an instruction at saturation beside the modelled
// wavefronts, and the switches of the merge rules that explain them.
//
// Measured by shared_access.cuh, one block of 16 warps. The switches are found by comparing all 32
// combinations (lane_patterns.hpp): the one that leaves the fewest patterns unexplained (by more
// than a quarter of a cycle) wins; the table's modelled column is computed with it.
//
// Expect on an H200, LDS.128 by float offset of lane i: 4i: 4; 0: 2; 4(i/2) (A): 2; i^2 pairs (B):
// 2; i^4 pairs: 4; 8(i%8): 8; 8i: 8; 32i: 32; 4(i%2+2(i/16)): 2; LDS.64 2i: 2; 0: 1; LDS.32 2i: 2;
// 32i: 32.
//
// Pitfalls: latency-bound loops show no difference below the latency, hence 16 warps; a store to
// one address by many lanes still moves each group's wavefront.
//
// ENTRY: smem.patterns | table | lane patterns: measured cycles an instruction beside the modelled wavefronts
// ENTRY: smem.merge_a | metric | 1 | 1 where groups of lanes merge when lane i equals lane i^1
// ENTRY: smem.merge_b | metric | 1 | 1 where groups of lanes merge when lane i equals lane i^2
// ENTRY: smem.merge_per_half | metric | 1 | 1 where the merge condition is judged for each half-warp alone
// ENTRY: smem.merge_inactive | metric | 1 | 1 where an inactive lane counts as equal
// ENTRY: smem.merge_store | metric | 1 | 1 where stores merge like loads
#include "micro/context.hpp"
#include "micro/lane_patterns.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/shared_access.cuh"
#include "micro/text.hpp"
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

Table table_of(const std::vector<MeasuredPattern>& measured, const MergeRules& rules) {
  Table table;
  table.columns = {"name", "width", "store", "active_lanes", "measured", "modelled"};
  table.units = {"", "byte", "1", "count", "cycle/inst", "wavefront/inst"};
  table.method =
      "16 warps of one block repeat the pattern, two lengths differenced; the name gives "
      "the float offset of lane i";
  for (const MeasuredPattern& m : measured) {
    const auto active =
        std::count(m.pattern.lanes.active.begin(), m.pattern.lanes.active.end(), true);
    const int modelled =
        shared_wavefronts(m.pattern.lanes, m.pattern.width_bytes, m.pattern.direction, rules);
    table.rows.push_back({m.pattern.name,
                          {static_cast<double>(m.pattern.width_bytes),
                           m.pattern.direction == Direction::store ? 1.0 : 0.0,
                           static_cast<double>(active), m.cycles, static_cast<double>(modelled)}});
  }
  return table;
}

void run(Context& context) {
  PatternTimer timer(context);
  std::vector<MeasuredPattern> measured;
  for (const LanePattern& pattern : lane_patterns()) {
    const Repetitions found =
        timer.cycles_per_instruction(pattern.lanes, pattern.width_bytes, pattern.direction);
    measured.push_back({pattern, median(found.values)});
  }
  const RuleVerdict verdict = infer_rules(measured);
  context.table("smem.patterns", table_of(measured, verdict.rules));
  const auto publish = [&](const char* id, bool value, bool decided) {
    set_switch(context, id, value, decided, verdict.unexplained, measured.size());
  };
  publish("smem.merge_a", verdict.rules.merge_a, verdict.agreed.merge_a);
  publish("smem.merge_b", verdict.rules.merge_b, verdict.agreed.merge_b);
  publish("smem.merge_per_half", verdict.rules.per_half, verdict.agreed.per_half);
  publish("smem.merge_inactive", verdict.rules.inactive_matches, verdict.agreed.inactive_matches);
  publish("smem.merge_store", verdict.rules.store_merge, verdict.agreed.store_merge);
}

const Register registered{{"smem_patterns", "lane patterns and merge rules", 0.8, run}};

}  // namespace
}  // namespace rooftile::micro
