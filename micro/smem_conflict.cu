// Bank conflicts over the stride: lane i reads element i x stride, for elements of 4, 8 and 16
// bytes and strides 1..32 and 33. Cycles a warp instruction at saturation (shared_access.cuh).
//
// Expect: 4 bytes: gcd(stride, 32) cycles (1 for odd strides, 32 for stride 32); 8 bytes: 2 x
// gcd(stride, 16); 16 bytes: 4 x gcd(stride, 8), since half- and quarter-warps conflict apart.
//
// Pitfall: a stride of 0 and neighbouring lanes with one address are broadcasts; see smem_patterns.
//
// ENTRY: smem.conflict.lds32 | curve | cycle/inst over count | LDS.32 at saturation over the stride in words
// ENTRY: smem.conflict.lds64 | curve | cycle/inst over count | LDS.64 at saturation over the stride in 8-byte elements
// ENTRY: smem.conflict.lds128 | curve | cycle/inst over count | LDS.128 at saturation over the stride in 16-byte elements
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/shared_access.cuh"

namespace rooftile::micro {
namespace {

void strides(Context& context, PatternTimer& timer, const char* id, int width_bytes) {
  std::vector<CurvePoint> points;
  for (int stride = 1; stride <= 33; ++stride)
    points.push_back({static_cast<double>(stride),
                      timer.cycles_per_instruction(strided_lanes(stride * width_bytes), width_bytes,
                                                   Direction::load)});
  context.curve(id, points,
                text("lane i loads {} B at i x stride x {} B; 16 warps of one block, two "
                     "lengths differenced",
                     width_bytes, width_bytes));
}

void run(Context& context) {
  PatternTimer timer(context);
  strides(context, timer, "smem.conflict.lds32", 4);
  strides(context, timer, "smem.conflict.lds64", 8);
  strides(context, timer, "smem.conflict.lds128", 16);
}

const Register registered{{"smem_conflict", "bank conflicts over the stride", 0.8, run}};

}  // namespace
}  // namespace rooftile::micro
