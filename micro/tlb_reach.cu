// How far address translation reaches: latency of one load a page over the number of pages.
//
// One thread follows a random cycle that visits each 2 MiB of the footprint once, at a line that
// differs from page to page (pointer_chase.cuh), L1 bypassed. The lines themselves are few (1 MiB
// for 16 GiB of footprint), so that they stay in L2 and what the latency adds to that of L2 is the
// translation: each level of the translation caches ends in a step. A full traversal comes before
// the loads that count.
//
// Reach of a level = footprint at which the latency leaves it (micro/knees.hpp); its interval is
// the spread of the fits to single repetitions. Where the curve ends before a second step, the
// entry is skipped and says how far it looked.
//
// Expect: no public value for an H200. A chain over all lines of 1 GB takes 666 cycles against 657
// for 270 MB (memory_latency.cu), and 697 by a public tool, so at least one level ends below 1 GiB
// or shortly after.
//
// Pitfalls: 2 MiB is the page that the driver uses for large allocations; hardware may join
// neighbouring pages, which this cannot tell from more entries; lines at the same place of each
// page would fall on few slices and sets of L2, hence the random line in the page; one SM alone:
// levels that several SMs share are seen as if this SM had them to itself. Four pages hold four
// lines, which lie 270 to 295 cycles away: below 256 lines a point is the mean of placements.
//
// ENTRY: tlb.latency.over_footprint | curve | cycle over byte | one load a 2 MiB page that hits L2, over the footprint
// ENTRY: tlb.reach.first | metric | byte | footprint at which the first level of address translation is left
// ENTRY: tlb.reach.second | metric | byte | footprint at which the second level of address translation is left
#include "micro/text.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/knees.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/pointer_chase.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr std::size_t page_bytes = std::size_t{2} << 20;
constexpr std::size_t wanted_bytes = std::size_t{64} << 30;
constexpr std::size_t least_bytes = std::size_t{1} << 30;
constexpr unsigned timed_pages = 4096;
constexpr unsigned least_lines = 256;  ///< over which each point averages

/// Pages of each point: from 4 on, `per_octave` an octave, no number twice.
std::vector<unsigned> page_counts(std::size_t most_bytes, int per_octave) {
  std::vector<unsigned> result;
  for (int i = 0;; ++i) {
    const auto pages = static_cast<unsigned>(4 * std::exp2(static_cast<double>(i) / per_octave));
    if (pages * page_bytes > most_bytes) return result;
    if (result.empty() || result.back() != pages) result.push_back(pages);
  }
}

class PageWalk {
 public:
  PageWalk(Context& context, std::size_t bytes)
      : context_(context), chaser_(context), pages_(bytes) {}

  /// Few pages hold few lines, each of which is nearer to or farther from the SM than the mean of
  /// L2: then the mean of several placements.
  double once(unsigned pages) {
    throw_if_interrupted();
    const unsigned placements = std::max(1u, least_lines / pages);
    double sum = 0;
    for (unsigned i = 0; i < placements; ++i) sum += placed(pages, timed_pages / placements);
    return sum / placements;
  }

 private:
  double placed(unsigned pages, unsigned timed) {
    Chase chase;
    chase.places = {pages_.data(), Permutation::of(pages, ++seed_), page_bytes,
                    static_cast<unsigned>(page_bytes / line_bytes)};
    const unsigned trips = (pages + chase_unroll - 1) / chase_unroll;
    chase.timed_trips = static_cast<int>(timed / chase_unroll);
    chase.warm_trips = std::max(static_cast<int>(trips), chase.timed_trips);
    link_chain(context_, chase.places);
    return chaser_.run(chase, true);
  }

  Context& context_;
  Chaser chaser_;
  DeviceBuffer<unsigned char> pages_;
  unsigned seed_ = 1;
};

/// Steps of the middle curve, fitted again to each repetition.
void reaches(Context& context, const std::vector<double>& x,
             const std::vector<std::vector<double>>& repetitions,
             const std::vector<double>& middle) {
  const std::vector<Knee> steps = fit_steps(x, middle, 3, {.noise = 0.004, .min_rise = 0.02});
  const std::vector<std::vector<double>> positions =
      knee_positions(x, repetitions, steps, {.noise = 0.004, .min_rise = 0.02});
  const char* const ids[] = {"tlb.reach.first", "tlb.reach.second"};
  for (std::size_t k = 0; k < 2; ++k) {
    if (k >= steps.size()) {
      context.skip(ids[k], text("{} steps from {:.0f} to {:.0f} B: this level reaches further, or "
                                "costs less than 2 %",
                                steps.size(), x.front(), x.back()));
      continue;
    }
    if (const std::string why = why_no_step(positions[k].size(), repetitions.size());
        !why.empty()) {
      context.skip(ids[k], why);
      continue;
    }
    context.metric(ids[k], {positions[k], State::ok, {}}, "median of fits",
                   text("start of a ramp from {:.0f} to {:.0f} cycles that ends at {:.0f} B; the "
                        "grid and all repetitions put it between {:.0f} and {:.0f} B",
                        steps[k].before, steps[k].after, steps[k].end, steps[k].lo, steps[k].hi),
                   Interval{steps[k].lo, steps[k].hi});
  }
}

void run(Context& context) {
  const std::size_t bytes =
      std::min(wanted_bytes, context.free_bytes() / 10 * 9 / page_bytes * page_bytes);
  if (bytes < least_bytes) {
    const std::string reason =
        text("needs {} B of device memory, {} B are free", least_bytes, context.free_bytes());
    for (const char* id : {"tlb.latency.over_footprint", "tlb.reach.first", "tlb.reach.second"})
      context.skip(id, reason);
    return;
  }
  PageWalk walk(context, bytes);
  std::vector<CurvePoint> points;
  std::vector<double> x, middle;
  std::vector<std::vector<double>> repetitions(static_cast<std::size_t>(Context::repetitions()));
  for (const unsigned pages : page_counts(bytes, context.quick() ? 1 : 3)) {
    points.push_back({static_cast<double>(pages * page_bytes),
                      context.repeat([&] { return walk.once(pages); })});
    x.push_back(points.back().x);
    middle.push_back(median(points.back().y.values));
    for (std::size_t r = 0; r < repetitions.size(); ++r)
      repetitions[r].push_back(points.back().y.values[r]);
  }
  context.curve("tlb.latency.over_footprint", points,
                text("one thread, ld.cg, random cycle over one line in each {} B, a full traversal "
                     "and then {} loads that count; {} B allocated",
                     page_bytes, timed_pages, bytes));
  reaches(context, x, repetitions, middle);
}

const Register registered{{"tlb_reach", "address translation over the footprint", 3, run}};

}  // namespace
}  // namespace rooftile::micro
