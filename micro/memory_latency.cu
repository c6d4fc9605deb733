// Latency of dependent global loads over the footprint: the staircase L1, L2 near, L2 far, DRAM,
// and the footprints at which it leaves each level.
//
// One thread follows a random cycle over the footprint's 128-byte lines (pointer_chase.cuh): 2048
// loads that do not count (they fill address translation for a gigabyte of 2 MiB pages), then 6144
// that do.
//   inside 2 x L2: the block first touches all lines in chain order, in parallel, twice, and the
//     chain starts at its beginning: the state that a full traversal would have left;
//   beyond: each repetition starts at another random place of the cycle, after a flush of L2, so
//     that no line is visited twice: every load misses.
//
// Knees: steps are fitted to the curve (micro/knees.hpp), then each repetition measures 8 more
// footprints around each step, moved against those of the other repetitions by a seventh of their
// distance, and the steps are fitted again to that repetition alone. So the interval of a knee
// holds both the noise and what the grid leaves open. A knee is where the latency leaves the lower
// level.
//
// Expect on an H200: L1 32 cycles up to about 220 KiB; L2 281 through the L1 path up to about 28 MB
// (near partition), 512 from 40 to 56 MB, which is a mean of far hits, 450, and of lines that only
// DRAM has left, 570 (l2_partition.cu); DRAM 655-687 by card, 7 more at 1 GB (address
// translation: tlb_reach.cu). Knees 0.23 MB, 28 MB, 61 MB. Public: 32.6 rising to 47 at 190 KB; 282
// up to 22 MB; 513 from 37 to 48 MB; 659 from 150 MB; 697 at 1 GB.
//
// Pitfalls: near and far L2 partitions differ per SM, and this is one SM's view; a chain in address
// order lets the prefetcher in; a C++ index chase adds its address arithmetic (6 cycles or so a
// step); with the default carve-out L1 is smaller than it could be, so shared memory is set to its
// least.
//
// ENTRY: l1.latency | metric | cycle | dependent loads that hit L1
// ENTRY: l2.latency | metric | cycle | dependent loads that hit L2, from one SM, L1 bypassed
// ENTRY: dram.latency | metric | cycle | dependent loads that miss L2, each a new line
// ENTRY: memory.latency.over_footprint | curve | cycle over byte | random chain through L1 over its footprint
// ENTRY: memory.knee.l1 | metric | byte | footprint at which the latency leaves that of L1
// ENTRY: memory.knee.l2_near | metric | byte | footprint at which the latency of one SM leaves that of its near part of L2
// ENTRY: memory.knee.l2 | metric | byte | footprint at which the latency of one SM leaves L2 for DRAM
#include "micro/text.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/latency_knees.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/pointer_chase.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr int warm_loads = 2048, timed_loads = 6144;
constexpr int points_around_knee = 8;
constexpr int most_knees = 4;

class LatencyMeter {
 public:
  LatencyMeter(Context& context, std::size_t most_bytes)
      : context_(context), chaser_(context), flush_(context), lines_(most_bytes) {}

  std::size_t l2_bytes() const {
    return static_cast<std::size_t>(context_.device().properties().l2CacheSize);
  }
  std::size_t most_bytes() const { return lines_.size(); }
  /// Cycles a load on a fresh random cycle over `footprint_bytes`.
  double once(std::size_t footprint_bytes, bool bypass_l1);
  Repetitions latency(std::size_t footprint_bytes, bool bypass_l1);

 private:
  Context& context_;
  Chaser chaser_;
  L2Flush flush_;
  DeviceBuffer<unsigned char> lines_;
  unsigned seed_ = 1;
};

double LatencyMeter::once(std::size_t footprint_bytes, bool bypass_l1) {
  throw_if_interrupted();
  const auto count = static_cast<std::uint32_t>(footprint_bytes / line_bytes);
  Chase chase;
  chase.places = {lines_.data(), Permutation::of(count, ++seed_)};
  chase.warm_trips = warm_loads / chase_unroll;
  chase.timed_trips = timed_loads / chase_unroll;
  link_chain(context_, chase.places);
  if (footprint_bytes <= 2 * l2_bytes()) {
    chase.touched = count;
  } else {
    chase.start = hash32(++seed_) % count;
    flush_();
  }
  return chaser_.run(chase, bypass_l1);
}

Repetitions LatencyMeter::latency(std::size_t footprint_bytes, bool bypass_l1) {
  return context_.repeat([&] { return once(footprint_bytes, bypass_l1); });
}

/// 16 KiB to `most`, `per_octave` points an octave, whole lines.
std::vector<std::size_t> footprints(std::size_t most, int per_octave) {
  std::vector<std::size_t> result;
  for (int i = 0;; ++i) {
    const double bytes = 16384 * std::exp2(static_cast<double>(i) / per_octave);
    const auto whole = static_cast<std::size_t>(bytes / line_bytes + 0.5) * line_bytes;
    if (whole > most) return result;
    result.push_back(whole);
  }
}

void levels(Context& context, LatencyMeter& meter, const std::string& how) {
  context.metric("l1.latency", meter.latency(16384, false), "median of chains",
                 how + ", through L1, footprint 16 KiB");
  const std::size_t near_bytes = meter.l2_bytes() / 8 / line_bytes * line_bytes;
  context.metric("l2.latency", meter.latency(near_bytes, true), "median of chains",
                 text("{}, ld.cg (L1 bypassed), footprint {} B, an eighth of L2", how, near_bytes));
  const std::size_t far_bytes = 4 * meter.l2_bytes() / line_bytes * line_bytes;
  if (far_bytes <= meter.most_bytes())
    context.metric(
        "dram.latency", meter.latency(far_bytes, true), "median of chains",
        text("{}, footprint {} B, four times L2, never the same line twice", how, far_bytes));
  else
    context.skip("dram.latency", text("needs {} B of device memory, {} B are free", 2 * far_bytes,
                                      2 * meter.most_bytes()));
}

/// Adds points around each knee to each repetition's curve.
void look_closer(LatencyMeter& meter, std::vector<Staircase>& stairs,
                 const std::vector<Knee>& steps) {
  for (std::size_t r = 0; r < stairs.size(); ++r) {
    const double phase = (static_cast<double>(r) + 0.5) / static_cast<double>(stairs.size());
    for (const Knee& step : steps) {
      for (const double x : around(step, points_around_knee, phase)) {
        const auto bytes = static_cast<std::size_t>(x / line_bytes) * line_bytes;
        if (bytes < 8192 || bytes > meter.most_bytes()) continue;
        stairs[r].add(static_cast<double>(bytes), meter.once(bytes, false));
      }
    }
  }
}

void knees(Context& context, LatencyMeter& meter, std::vector<Staircase> stairs,
           const std::vector<Knee>& steps, const std::vector<LevelKnee>& named) {
  look_closer(meter, stairs, steps);
  for (const LevelKnee& knee : named) {
    Repetitions positions;
    for (const Staircase& stair : stairs) {
      const std::optional<double> position = position_in(stair, steps, knee.step);
      if (position) positions.values.push_back(*position);
    }
    const Knee& coarse = steps[knee.step];
    context.metric(
        knee.id, positions, "median of fits",
        text("start of a ramp from {:.0f} to {:.0f} cycles that ends at {:.0f} B, fitted "
             "to each repetition with {} points around it; all repetitions' medians on "
             "the curve's own grid put it between {:.0f} and {:.0f} B",
             coarse.before, coarse.after, coarse.end, points_around_knee, coarse.lo, coarse.hi));
  }
}

void staircase(Context& context, LatencyMeter& meter, const std::string& how) {
  std::vector<CurvePoint> points;
  std::vector<Staircase> stairs(static_cast<std::size_t>(Context::repetitions()));
  Staircase middle;
  for (const std::size_t bytes : footprints(meter.most_bytes(), context.quick() ? 2 : 4)) {
    const auto x = static_cast<double>(bytes);
    points.push_back({x, meter.latency(bytes, false)});
    const std::vector<double>& values = points.back().y.values;
    for (std::size_t r = 0; r < stairs.size(); ++r) stairs[r].add(x, values[r]);
    middle.add(x, median(values));
  }
  context.curve("memory.latency.over_footprint", points, how + ", through L1");
  const std::vector<Knee> steps = fit_steps(middle.x, middle.y, most_knees);
  // Without a value for DRAM the highest level stands in for it.
  const double highest = *std::max_element(middle.y.begin(), middle.y.end());
  const LevelLatencies known{context.value("l1.latency"), context.value("l2.latency"), highest};
  const std::vector<LevelKnee> named = name_knees(steps, known);
  for (const char* id : {"memory.knee.l1", "memory.knee.l2_near", "memory.knee.l2"}) {
    const bool seen = std::any_of(named.begin(), named.end(),
                                  [&](const LevelKnee& knee) { return knee.id == id; });
    if (!seen)
      context.skip(id, text("the curve from {:.0f} to {:.0f} B has no step that leaves this level",
                            middle.x.front(), middle.x.back()));
  }
  knees(context, meter, std::move(stairs), steps, named);
}

void run(Context& context) {
  constexpr std::size_t gibibyte = std::size_t{1} << 30;
  LatencyMeter meter(context,
                     std::min(gibibyte, context.free_bytes() / 2 / line_bytes * line_bytes));
  const std::string how =
      text("one thread, random cycle over 128 B lines, {} loads after {}", timed_loads, warm_loads);
  levels(context, meter, how);
  staircase(context, meter, how);
}

const Register registered{{"memory_latency", "load latency over the footprint", 6, run}};

}  // namespace
}  // namespace rooftile::micro
