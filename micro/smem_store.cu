// Shared-memory store bandwidth of one SM, conflict-free, for stores of 4, 8 and 16 bytes.
//
// Every SM runs one block of 16 warps; lane i writes element i. Byte/cycle/SM = 32 x width / cycles
// an instruction, the median over SMs of two lengths differenced (smem_pattern.cuh).
//
// Expect on an H200: 127 to 128 of 128 byte/cycle/SM (no public value; on this project's own H200
// STS.32, .64 and .128 took 1.002, 2.002 and 4.001 cycles).
//
// Pitfall: all warps write the same words; shared memory serializes the instructions, so that costs
// nothing, but the data left behind are any warp's.
//
// ENTRY: smem.sts32.bandwidth | metric | byte/cycle/SM | conflict-free STS.32
// ENTRY: smem.sts64.bandwidth | metric | byte/cycle/SM | conflict-free STS.64
// ENTRY: smem.sts128.bandwidth | metric | byte/cycle/SM | conflict-free STS.128
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/smem_pattern.cuh"

namespace rooftile::micro {
namespace {

void run(Context& context) {
  PatternTimer timer(context, context.sm_count());
  for (const int width_bytes : {4, 8, 16}) {
    Repetitions found = timer.rate(strided_lanes(width_bytes), width_bytes, Direction::store);
    for (double& value : found.values) value = 32 * width_bytes / value;
    context.metric(text("smem.sts{}.bandwidth", 8 * width_bytes), found, "median of differences",
                   text("{} B stores, lane i writes element i, one block of {} threads on each of "
                        "{} SMs, median SM",
                        width_bytes, pattern_threads, context.sm_count()));
  }
}

const Register registered{{"smem_store", "shared-memory store bandwidth by width", 0.1, run}};

}  // namespace
}  // namespace rooftile::micro
