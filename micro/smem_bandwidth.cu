// Shared-memory load bandwidth of one SM, conflict-free, for loads of 4, 8 and 16 bytes.
//
// Every SM runs one block of 16 warps; lane i reads element i. Byte/cycle/SM = 32 x width / cycles
// an instruction, the median over SMs of two lengths differenced (smem_pattern.cuh).
//
// Expect on an H200: 127.3, 127.9 and 127.8 of 128 byte/cycle/SM.
//
// Pitfalls: fewer than 8 warps do not saturate; consuming the loaded words in the loop takes issue
// slots, so here they are used after it.
//
// ENTRY: smem.lds32.bandwidth | metric | byte/cycle/SM | conflict-free LDS.32
// ENTRY: smem.lds64.bandwidth | metric | byte/cycle/SM | conflict-free LDS.64
// ENTRY: smem.lds128.bandwidth | metric | byte/cycle/SM | conflict-free LDS.128
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/smem_pattern.cuh"

namespace rooftile::micro {
namespace {

void run(Context& context) {
  PatternTimer timer(context, context.sm_count());
  for (const int width_bytes : {4, 8, 16}) {
    Repetitions found = timer.rate(strided_lanes(width_bytes), width_bytes, Direction::load);
    for (double& value : found.values) value = 32 * width_bytes / value;
    context.metric(text("smem.lds{}.bandwidth", 8 * width_bytes), found, "median of differences",
                   text("{} B loads, lane i reads element i, one block of {} threads on each of {} "
                        "SMs, median SM",
                        width_bytes, pattern_threads, context.sm_count()));
  }
}

const Register registered{{"smem_bandwidth", "shared-memory load bandwidth by width", 0.1, run}};

}  // namespace
}  // namespace rooftile::micro
