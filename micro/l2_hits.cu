// Share of loads that L2 answers, over the footprint: what of it L2 keeps when all SMs share it,
// when each partition has its half, and when a wave of blocks reads panels as in a GEMM.
//
// Hits are told from misses by the time of each load (sampled_loads.cuh), not by counters, which
// need a privilege that most users lack.
//   l2.hit.over_footprint: all SMs go round one footprint together, chunk after chunk by a ticket,
//     two rounds unobserved, then one that counts. Between two uses of a line all others are used
//     once, by whichever SM comes next: the reuse distance is the footprint.
//   l2.capacity.shared: footprint at which nine tenths of these loads still hit, interpolated.
//   l2.capacity.split: the same where the SMs of each L2 partition (l2_partition.cuh) go round a
//     half of their own: no line is wanted by both partitions. Equal to .shared, if a line that
//     both read costs nothing more; up to twice as large, if each partition keeps its own copy.
//   l2.hit.panels: blocks (i, j) of a wave, one an SM, walk through A panel i and B panel j in step
//     (a grid barrier each step), then once more over the same panels; x = bytes of all panels, y =
//     hits of the second pass. While the panels fit: 1. Far beyond: each piece is fetched once for
//     all blocks of a row or column: the closed form 1 - (r + c) / (2 r c).
//
// Expect on an H200: 1 up to some 28-30 MB, half of L2, because each partition keeps a copy of what
// its SMs read; then falling to 0 near 53 MB, where the bandwidth over the footprint reaches
// DRAM's. That curve alone cannot show hits above 51 %: with DRAM at 4.6 of L2's 9.4 TB/s it stays
// flat while half of the loads miss, and its knee at 41 MB is where the misses pass DRAM's rate.
// Capacity shared near 30 MB and split from 40 to 60. Panels: 1, then 0.913 for 11 x 12 blocks. No
// public value.
//
// Pitfalls: those of sampled_loads.cuh; the order is cyclic, the worst for a cache that evicts the
// least recently used line, so that the curve is that of streaming reuse, not of random access;
// where the rule cannot tell hits from misses (L2 and DRAM times overlap) all entries are skipped.
//
// ENTRY: l2.hit.over_footprint | curve | 1 over byte | share of L2 hits of all SMs that go round one footprint
// ENTRY: l2.hit.panels | curve | 1 over byte | share of L2 hits when a wave of blocks reads its panels again, over the bytes of all panels
// ENTRY: l2.capacity.shared | metric | byte | footprint that all SMs read of which nine tenths hit L2
// ENTRY: l2.capacity.split | metric | byte | the same when the SMs of each L2 partition read a half of their own
#include "micro/text.hpp"

#include <cmath>
#include <functional>

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/l2_partition.cuh"
#include "micro/microbenchmark.hpp"
#include "micro/sampled_loads.cuh"
#include "micro/window_read.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr std::size_t chunk_size = chunk_lines * line_bytes;
constexpr unsigned warm_rounds = 2;

/// Curve of hits over the footprint and, by repetition, where it falls through nine tenths.
struct HitCurve {
  std::vector<CurvePoint> points;
  Repetitions capacity;
};

/// x at which y, over ascending x, first falls below `level`; linear in between; NaN if it does
/// not.
double falls_through(const std::vector<double>& x, const std::vector<double>& y, double level) {
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (y[i] >= level || y[i - 1] < level) continue;
    return x[i - 1] + (x[i] - x[i - 1]) * (y[i - 1] - level) / (y[i - 1] - y[i]);
  }
  return std::nan("");
}

HitCurve hit_curve(const std::vector<std::size_t>& footprints,
                   const std::function<double(std::size_t)>& hits) {
  HitCurve curve;
  std::vector<double> x;
  std::vector<std::vector<double>> by_repetition(static_cast<std::size_t>(Context::repetitions()));
  for (const std::size_t bytes : footprints) {
    throw_if_interrupted();
    Repetitions found;
    for (std::vector<double>& values : by_repetition) {
      values.push_back(hits(bytes));
      found.values.push_back(values.back());
    }
    x.push_back(static_cast<double>(bytes));
    curve.points.push_back({x.back(), found});
  }
  for (const std::vector<double>& values : by_repetition)
    curve.capacity.values.push_back(falls_through(x, values, 0.9));
  return curve;
}

/// An eighth of L2 to twice its size, closer around what it may hold.
std::vector<std::size_t> footprints(std::size_t l2_bytes, bool quick) {
  std::vector<std::size_t> result;
  const int step = quick ? 8 : 2;
  for (int sixty_fourths = 8; sixty_fourths <= 128;
       sixty_fourths += sixty_fourths < 72 ? step : 4 * step)
    result.push_back(l2_bytes / 64 * static_cast<unsigned>(sixty_fourths) / (2 * chunk_size) * 2 *
                     chunk_size);
  return result;
}

std::string method_of(const HitRule& rule) {
  return text(
      "each load of a 128 B line timed, ld.cg; a hit takes less than {} cycles, as {:.1f} % "
      "of the hits in an eighth of L2 and {:.1f} % of the misses far beyond L2 do, corrected "
      "for both",
      rule.threshold_cycles(), 100 * rule.below_if_hit(), 100 * rule.below_if_miss());
}

void capacity(Context& context, const char* id, const HitCurve& curve, const std::string& how) {
  const bool crosses = std::all_of(curve.capacity.values.begin(), curve.capacity.values.end(),
                                   [](double value) { return std::isfinite(value); });
  if (crosses)
    context.metric(id, curve.capacity, "median of crossings", how);
  else
    context.skip(id,
                 "the share of hits does not fall through nine tenths between an eighth of L2 "
                 "and twice its size");
}

void shared_by_all(Context& context, LoadSampler& sampler, const HitRule& rule,
                   const std::vector<std::size_t>& sizes) {
  const HitCurve curve = hit_curve(
      sizes, [&](std::size_t bytes) { return rule.hits(sampler.all_sms(bytes, warm_rounds)); });
  context.curve("l2.hit.over_footprint", curve.points,
                "all SMs go round the footprint together; " + method_of(rule));
  capacity(context, "l2.capacity.shared", curve,
           "crossing of 0.9 of l2.hit.over_footprint, all SMs read all");
}

void split_by_partition(Context& context, LoadSampler& sampler, const HitRule& rule,
                        const std::vector<std::size_t>& sizes) {
  PartitionProbe probe(context);
  const auto partition = partition_of_sms(probe.views(0));
  if (!partition) {
    context.skip("l2.capacity.split", "this L2 is not seen to be partitioned");
    return;
  }
  DeviceBuffer<unsigned char> group_of_sm(partition->size());
  const std::vector<unsigned char> groups(partition->begin(), partition->end());
  group_of_sm.upload(groups.data(), groups.size());
  const auto sms = static_cast<unsigned>(partition->size());
  const HitCurve curve = hit_curve(sizes, [&](std::size_t bytes) {
    const auto half = static_cast<unsigned>(bytes / 2 / chunk_size);
    const SampleGroups halves{{0, half}, {half, half}, group_of_sm.data(), sms};
    return rule.hits(sampler.rounds(halves, warm_rounds, 1));
  });
  capacity(context, "l2.capacity.split", curve,
           "crossing of 0.9 of the hits, the SMs of each L2 partition read their own half of the "
           "footprint");
}

void panels(Context& context, LoadSampler& sampler, const DeviceBuffer<unsigned char>& buffer,
            const HitRule& rule, std::size_t l2_bytes) {
  if (context.device().properties().cooperativeLaunch == 0) {
    context.skip("l2.hit.panels", "needs cooperative launches");
    return;
  }
  const auto rows = static_cast<unsigned>(std::sqrt(static_cast<double>(context.sm_count())));
  const unsigned columns = static_cast<unsigned>(context.sm_count()) / rows;
  std::vector<CurvePoint> points;
  for (const int eighths : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24}) {
    throw_if_interrupted();
    if (context.quick() && eighths % 4 != 0) continue;
    const auto pieces = static_cast<unsigned>(l2_bytes / 8 * static_cast<unsigned>(eighths) /
                                              chunk_size / (rows + columns));
    const PanelWave wave{buffer.data(), rows, columns, pieces};
    const std::size_t bytes = std::size_t{rows + columns} * pieces * chunk_size;
    if (pieces < std::max(rows, columns) || bytes > buffer.size()) continue;
    Repetitions found;
    for (int i = 0; i < Context::repetitions(); ++i)
      found.values.push_back(rule.hits(sampler.panels(wave)));
    points.push_back({static_cast<double>(bytes), found});
  }
  context.curve(
      "l2.hit.panels", points,
      text("{} x {} blocks, one an SM, second pass over {} + {} panels in step; beyond L2 "
           "the closed form is {:.4f}; {}",
           rows, columns, rows, columns, 1 - (1.0 * rows + columns) / (2.0 * rows * columns),
           method_of(rule)));
}

void run(Context& context) {
  const auto l2_bytes = static_cast<std::size_t>(context.device().properties().l2CacheSize);
  const char* const ids[] = {"l2.hit.over_footprint", "l2.hit.panels", "l2.capacity.shared",
                             "l2.capacity.split"};
  const std::size_t bytes =
      std::min(16 * l2_bytes, context.free_bytes() / 2) / chunk_size * chunk_size;
  if (bytes < 4 * l2_bytes) {
    for (const char* id : ids)
      context.skip(id, text("needs {} B, four times L2; {} B are usable", 4 * l2_bytes, bytes));
    return;
  }
  DeviceBuffer<unsigned char> buffer(bytes);
  fill_random(context, buffer);
  LoadSampler sampler(context, buffer);
  const HitRule rule(sampler.all_sms(l2_bytes / 8, 4), sampler.all_sms(bytes, 0));
  if (!rule.decides()) {
    for (const char* id : ids)
      context.skip(
          id, text("times of hits and misses overlap: {:.0f} % of the hits and {:.0f} % of "
                   "the misses take less than {} cycles",
                   100 * rule.below_if_hit(), 100 * rule.below_if_miss(), rule.threshold_cycles()));
    return;
  }
  const std::vector<std::size_t> sizes = footprints(l2_bytes, context.quick());
  shared_by_all(context, sampler, rule, sizes);
  split_by_partition(context, sampler, rule, sizes);
  panels(context, sampler, buffer, rule, l2_bytes);
}

const Register registered{{"l2_hits", "what L2 keeps of a footprint", 1, run}};

}  // namespace
}  // namespace rooftile::micro
