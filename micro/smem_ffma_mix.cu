// Shared-memory loads among FFMA: cycles of a group of one LDS and n independent FFMA over n, for
// loads of 4, 8 and 16 bytes. Where the curve leaves its plateau (shared memory is the bound) and
// becomes n plus a constant, n FFMA hide one LDS; the constant is what the LDS still costs.
//
// Every warp of one block runs groups LDS, FFMA x n; the FFMA use words that arrived groups ago
// (smem_ffma_kernel.cuh). Lane i reads element i: 1, 2, 4 wavefronts; `merged` reads LDS.128 with
// lanes in pairs: 2. With one warp a sub-core (4 warps) and with four (16); two lengths of one
// launch differenced. ffma_alone is the same loop without the LDS: what loop control and register
// ports cost. slots = cycles with the LDS less cycles without, at n = 64.
//
// Expect on an H200: plateaus of 4, 8, 16 cycles (four sub-cores share one wavefront a cycle), then
// n + 1: every instruction that is no FFMA takes an FFMA slot of a 128-lane SM, so that LDS.32 is
// hidden from n = 4 on, LDS.64 from 8, LDS.128 from 16 (merged: 8). No public value. slots above 1
// would be what the returning words take from the register file's write ports. On 64-lane SMs (7.5,
// 8.0) an FFMA takes two cycles of its sub-core and the LDS hides behind half as many.
//
// Pitfalls: register-port conflicts would pass for the cost of a load; the assertions score the
// loops (with the common factor in a register they scored 96 to 100). A warp alone in its sub-core
// waits for its own load where eight groups are shorter than latency and queue; with four the
// others fill in. The loop is at least 512 FFMA long, so that its control is below 1 %.
//
// ENTRY: smem.ffma_mix.lds32.one_warp | curve | cycle over count | one LDS.32 and n FFMA over n, one warp a sub-core
// ENTRY: smem.ffma_mix.lds64.one_warp | curve | cycle over count | one LDS.64 and n FFMA over n, one warp a sub-core
// ENTRY: smem.ffma_mix.lds128.one_warp | curve | cycle over count | one LDS.128 and n FFMA over n, one warp a sub-core
// ENTRY: smem.ffma_mix.lds32.four_warps | curve | cycle over count | one LDS.32 and n FFMA of each warp over n, four warps a sub-core: cycles a group of one
// ENTRY: smem.ffma_mix.lds64.four_warps | curve | cycle over count | one LDS.64 and n FFMA of each warp over n, four warps a sub-core: cycles a group of one
// ENTRY: smem.ffma_mix.lds128.four_warps | curve | cycle over count | one LDS.128 and n FFMA of each warp over n, four warps a sub-core: cycles a group of one
// ENTRY: smem.ffma_mix.lds128.merged | curve | cycle over count | one LDS.128 of two wavefronts (lanes in pairs) and n FFMA over n, four warps a sub-core: cycles a group of one
// ENTRY: smem.ffma_mix.ffma_alone | curve | cycle over count | the loop of the mix without LDS, four warps a sub-core: cycles a group of n FFMA of one
// ENTRY: smem.ffma_mix.lds32.slots | metric | cycle/inst | cycles that a hidden LDS.32 adds to 64 FFMA
// ENTRY: smem.ffma_mix.lds64.slots | metric | cycle/inst | cycles that a hidden LDS.64 adds to 64 FFMA
// ENTRY: smem.ffma_mix.lds128.slots | metric | cycle/inst | cycles that a hidden LDS.128 adds to 64 FFMA
// ENTRY: smem.ffma_mix.lds32.hidden_by | metric | count | fewest FFMA beside which an LDS.32 costs no more than one and a half issue slots
// ENTRY: smem.ffma_mix.lds64.hidden_by | metric | count | fewest FFMA beside which an LDS.64 costs no more than one and a half issue slots
// ENTRY: smem.ffma_mix.lds128.hidden_by | metric | count | fewest FFMA beside which an LDS.128 costs no more than one and a half issue slots
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/smem_ffma_kernel.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr int ffma_counts[] = {4, 8, 12, 16, 24, 32, 48, 64};

using MixKernel = void (*)(long long*, float*, MixPlan);

template <int Width>
MixKernel mix_kernel(int ffma) {
  switch (ffma) {
    case 4:
      return ffma_mix_kernel<Width, 4>;
    case 8:
      return ffma_mix_kernel<Width, 8>;
    case 12:
      return ffma_mix_kernel<Width, 12>;
    case 16:
      return ffma_mix_kernel<Width, 16>;
    case 24:
      return ffma_mix_kernel<Width, 24>;
    case 32:
      return ffma_mix_kernel<Width, 32>;
    case 48:
      return ffma_mix_kernel<Width, 48>;
    default:
      return ffma_mix_kernel<Width, 64>;
  }
}

/// What one curve is about.
struct Mix {
  int width_bytes;  ///< 0 without loads
  int warps;
  bool merged = false;  ///< lanes 2i and 2i + 1 read one element
};

class MixTimer {
 public:
  explicit MixTimer(Context& context) : context_(context), cycles_(1), sink_(1) {}

  /// Cycles a sub-core spends on one group of one of its warps.
  Repetitions group_cycles(const Mix& mix, int ffma) {
    const MixKernel kernel = kernel_of(mix.width_bytes, ffma);
    // 512 FFMA a trip at least: four warps a sub-core pass load_onset_cycles in either length.
    constexpr int shorter = 128, more = 192;
    static_assert(128 * 512 * 4 > load_onset_cycles);
    const MixPlan plan{mix.width_bytes, mix.merged ? 1 : 0, 1, 0.5f, shorter, shorter + more};
    const double groups = 1.0 * groups_of(ffma) * more * mix.warps / 4;
    return context_.repeat([&] {
      kernel<<<1, 32 * mix.warps, arena_bytes, context_.stream()>>>(cycles_.data(), sink_.data(),
                                                                    plan);
      check_launch("ffma_mix_kernel");
      return cycles_.read(context_.stream()).front() / groups;
    });
  }

 private:
  static constexpr std::size_t arena_bytes = (word_sets + 4) * mix_row_bytes;

  static MixKernel kernel_of(int width_bytes, int ffma) {
    if (width_bytes == 0) return mix_kernel<0>(ffma);
    if (width_bytes == 4) return mix_kernel<4>(ffma);
    return width_bytes == 8 ? mix_kernel<8>(ffma) : mix_kernel<16>(ffma);
  }

  Context& context_;
  BlockCycles cycles_;
  DeviceBuffer<float> sink_;
};

std::vector<CurvePoint> mix_curve(Context& context, MixTimer& timer, const std::string& id,
                                  const Mix& mix) {
  std::vector<CurvePoint> points;
  for (const int ffma : ffma_counts)
    points.push_back({static_cast<double>(ffma), timer.group_cycles(mix, ffma)});
  context.curve(
      id, points,
      text("{} and n FFMA in turn, {} warps of one block, two lengths of one launch "
           "differenced; cycles a group of one warp takes of its sub-core",
           mix.width_bytes == 0 ? std::string("no load") : text("a {} B load", mix.width_bytes),
           mix.warps));
  return points;
}

/// Slots and hiding of one width from its curve and that of FFMA alone, both four warps a sub-core.
void cost(Context& context, int width_bytes, const std::vector<CurvePoint>& mixed,
          const std::vector<CurvePoint>& alone) {
  const std::string base = text("smem.ffma_mix.lds{}.", 8 * width_bytes);
  Repetitions slots = mixed.back().y;
  for (std::size_t i = 0; i < slots.values.size(); ++i) slots.values[i] -= alone.back().y.values[i];
  context.metric(base + "slots", slots, "median of differences",
                 text("cycles of {:.0f} FFMA with one load less cycles without, four warps a "
                      "sub-core",
                      mixed.back().x));
  const auto added = [&](std::size_t i) {
    return median(mixed[i].y.values) - median(alone[i].y.values);
  };
  // A hidden load costs the issue slot that it takes, and no more than half a cycle beside it.
  constexpr double hidden_cost = 1.5;
  std::size_t first = 0;
  while (first < mixed.size() && added(first) > hidden_cost) ++first;
  if (first == mixed.size()) {
    context.skip(base + "hidden_by", text("beside {:.0f} FFMA the load still adds {:.2f} cycles",
                                          mixed.back().x, added(first - 1)));
    return;
  }
  context.exact(base + "hidden_by", mixed[first].x, "smallest count of the curve",
                text("four warps a sub-core; there the load adds {:.2f} cycles, at {:.0f} FFMA "
                     "{:.2f}",
                     added(first), mixed.front().x, added(0)));
}

void run(Context& context) {
  MixTimer timer(context);
  const auto alone =
      mix_curve(context, timer, "smem.ffma_mix.ffma_alone", {.width_bytes = 0, .warps = 16});
  for (const int width_bytes : {4, 8, 16}) {
    const std::string base = text("smem.ffma_mix.lds{}.", 8 * width_bytes);
    mix_curve(context, timer, base + "one_warp", {.width_bytes = width_bytes, .warps = 4});
    const auto mixed =
        mix_curve(context, timer, base + "four_warps", {.width_bytes = width_bytes, .warps = 16});
    cost(context, width_bytes, mixed, alone);
  }
  mix_curve(context, timer, "smem.ffma_mix.lds128.merged",
            {.width_bytes = 16, .warps = 16, .merged = true});
}

const Register registered{{"smem_ffma_mix", "shared loads among FFMA", 0.2, run}};

}  // namespace
}  // namespace rooftile::micro
