// How fast shared-memory instructions leave the warps: cycles an instruction of one warp, of four
// warps of one sub-core, and of 16 warps over all sub-cores, conflict-free, by width and direction.
//
// one_warp: a loop of 24 accesses less one of 8, which cancels the latency at each trip's end.
// one_sub_core: warps 0, 4, 8 and 12 of a block alone; what one sub-core may send whatever the
//   compiler puts between two instructions of a warp.
// all: the wavefronts of the instruction; the SM's limit. Kernels: smem_pattern.cuh.
//
// Expect on an H200: all: 1, 2, 4 for 4, 8, 16 bytes (127.7, 128.0 and 128.0 byte/cycle/SM). One
// warp and one sub-core: no public value for this GPU. Four sub-cores share a path of one wavefront
// a cycle, and an Ampere sub-core was seen to send one memory instruction each 4 cycles (Huerta et
// al., Analyzing Modern NVIDIA GPU Cores, 2025, section on the memory pipeline): so about 4 for
// LDS.32; more for LDS.128 would be the sub-core's port into its register file.
//
// Pitfall: one_warp also has what ptxas leaves between neighbouring instructions of one warp (four
// cycles for LDS in CUDA 13); where one_sub_core is lower, the compiler's spacing is the bound.
//
// ENTRY: smem.lds32.issue.one_warp | metric | cycle/inst | LDS.32 of one warp alone
// ENTRY: smem.lds64.issue.one_warp | metric | cycle/inst | LDS.64 of one warp alone
// ENTRY: smem.lds128.issue.one_warp | metric | cycle/inst | LDS.128 of one warp alone
// ENTRY: smem.lds32.issue.one_sub_core | metric | cycle/inst | LDS.32 of four warps of one sub-core
// ENTRY: smem.lds64.issue.one_sub_core | metric | cycle/inst | LDS.64 of four warps of one sub-core
// ENTRY: smem.lds128.issue.one_sub_core | metric | cycle/inst | LDS.128 of four warps of one sub-core
// ENTRY: smem.lds32.issue.all | metric | cycle/inst | LDS.32 of 16 warps of an SM
// ENTRY: smem.lds64.issue.all | metric | cycle/inst | LDS.64 of 16 warps of an SM
// ENTRY: smem.lds128.issue.all | metric | cycle/inst | LDS.128 of 16 warps of an SM
// ENTRY: smem.sts32.issue.one_warp | metric | cycle/inst | STS.32 of one warp alone
// ENTRY: smem.sts64.issue.one_warp | metric | cycle/inst | STS.64 of one warp alone
// ENTRY: smem.sts128.issue.one_warp | metric | cycle/inst | STS.128 of one warp alone
// ENTRY: smem.sts32.issue.one_sub_core | metric | cycle/inst | STS.32 of four warps of one sub-core
// ENTRY: smem.sts64.issue.one_sub_core | metric | cycle/inst | STS.64 of four warps of one sub-core
// ENTRY: smem.sts128.issue.one_sub_core | metric | cycle/inst | STS.128 of four warps of one sub-core
// ENTRY: smem.sts32.issue.all | metric | cycle/inst | STS.32 of 16 warps of an SM
// ENTRY: smem.sts64.issue.all | metric | cycle/inst | STS.64 of 16 warps of an SM
// ENTRY: smem.sts128.issue.all | metric | cycle/inst | STS.128 of 16 warps of an SM
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/smem_pattern.cuh"

namespace rooftile::micro {
namespace {

void issue(Context& context, PatternTimer& timer, Direction direction, int width_bytes) {
  const LaneAddresses lanes = strided_lanes(width_bytes);
  const std::string base =
      text("smem.{}{}.issue.", direction == Direction::load ? "lds" : "sts", 8 * width_bytes);
  context.metric(base + "one_warp", timer.pace(lanes, width_bytes, direction),
                 "median of differences",
                 text("one warp, loops of {} and {} accesses differenced", pace_long, pace_short));
  context.metric(base + "one_sub_core", timer.rate(lanes, width_bytes, direction, one_sub_core),
                 "median of differences",
                 "warps 0, 4, 8 and 12 of one block, two lengths of one launch differenced");
  context.metric(
      base + "all", timer.rate(lanes, width_bytes, direction), "median of differences",
      text("{} warps of one block, two lengths of one launch differenced", pattern_warps));
}

void run(Context& context) {
  PatternTimer timer(context);
  for (const Direction direction : {Direction::load, Direction::store})
    for (const int width_bytes : {4, 8, 16}) issue(context, timer, direction, width_bytes);
}

const Register registered{{"smem_issue", "issue rate of shared-memory instructions", 0.1, run}};

}  // namespace
}  // namespace rooftile::micro
