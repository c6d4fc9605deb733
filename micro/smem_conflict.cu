// Bank conflicts over the stride: lane i reads or writes element i x stride, for elements of 4, 8
// and 16 bytes and strides 1 to 64. Cycles a warp instruction at saturation (smem_pattern.cuh).
//
// Expect, loads and stores alike: 4 bytes: gcd(stride, 32) cycles (1 for odd strides, 32 for 32 and
// 64); 8 bytes: 2 x gcd(stride, 16); 16 bytes: 4 x gcd(stride, 8), since half- and quarter-warps
// conflict apart.
//
// Pitfall: a stride of 0 and neighbouring lanes with one address are broadcasts; see smem_patterns.
//
// ENTRY: smem.conflict.lds32 | curve | cycle/inst over count | LDS.32 at saturation over the stride in words
// ENTRY: smem.conflict.lds64 | curve | cycle/inst over count | LDS.64 at saturation over the stride in 8-byte elements
// ENTRY: smem.conflict.lds128 | curve | cycle/inst over count | LDS.128 at saturation over the stride in 16-byte elements
// ENTRY: smem.conflict.sts32 | curve | cycle/inst over count | STS.32 at saturation over the stride in words
// ENTRY: smem.conflict.sts64 | curve | cycle/inst over count | STS.64 at saturation over the stride in 8-byte elements
// ENTRY: smem.conflict.sts128 | curve | cycle/inst over count | STS.128 at saturation over the stride in 16-byte elements
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/smem_pattern.cuh"

namespace rooftile::micro {
namespace {

constexpr int longest_stride = 64;

void strides(Context& context, PatternTimer& timer, Direction direction, int width_bytes) {
  const bool store = direction == Direction::store;
  std::vector<CurvePoint> points;
  for (int stride = 1; stride <= longest_stride; ++stride)
    points.push_back({static_cast<double>(stride),
                      timer.rate(strided_lanes(stride * width_bytes), width_bytes, direction)});
  context.curve(text("smem.conflict.{}{}", store ? "sts" : "lds", 8 * width_bytes), points,
                text("lane i {} {} B at i x stride x {} B; {} warps of one block, two lengths of "
                     "one launch differenced",
                     store ? "stores" : "loads", width_bytes, width_bytes, pattern_warps));
}

void run(Context& context) {
  PatternTimer timer(context);
  for (const Direction direction : {Direction::load, Direction::store})
    for (const int width_bytes : {4, 8, 16}) strides(context, timer, direction, width_bytes);
}

const Register registered{{"smem_conflict", "bank conflicts over the stride", 0.7, run}};

}  // namespace
}  // namespace rooftile::micro
