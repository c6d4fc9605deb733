// Broadcast: all lanes of a warp read one and the same word. Warp instructions a cycle and SM by
// width: what the data path delivers when the banks do as little as they can.
//
// 16 warps of one block on each SM, two lengths differenced (smem_pattern.cuh); the rate is 1 /
// cycles an instruction, the median SM.
//
// Expect on an H200: LDS.32 and LDS.64 1 instruction a cycle, LDS.128 0.5: the merge conditions
// hold, so that LDS.64 needs one wavefront and LDS.128 two, however few words they read (own
// measurement: 1.003, 1.008, 2.012 cycles; no public value). A lane then receives 16 bytes in two
// cycles: 256 byte/cycle/SM reach the registers, twice what the banks read.
//
// Pitfall: 16 bytes a lane never go below two wavefronts; a GEMM that broadcasts A saves no more.
//
// ENTRY: smem.broadcast.lds32 | metric | inst/cycle/SM | LDS.32 whose lanes all read one word
// ENTRY: smem.broadcast.lds64 | metric | inst/cycle/SM | LDS.64 whose lanes all read the same 8 bytes
// ENTRY: smem.broadcast.lds128 | metric | inst/cycle/SM | LDS.128 whose lanes all read the same 16 bytes
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/smem_pattern.cuh"

namespace rooftile::micro {
namespace {

void run(Context& context) {
  PatternTimer timer(context, context.sm_count());
  for (const int width_bytes : {4, 8, 16}) {
    Repetitions found = timer.rate(strided_lanes(0), width_bytes, Direction::load);
    for (double& value : found.values) value = 1 / value;
    context.metric(text("smem.broadcast.lds{}", 8 * width_bytes), found, "median of differences",
                   text("{} B loads, all lanes at one address, one block of {} threads on each of "
                        "{} SMs, median SM",
                        width_bytes, pattern_threads, context.sm_count()));
  }
}

const Register registered{{"smem_broadcast", "rate of broadcast loads by width", 0.1, run}};

}  // namespace
}  // namespace rooftile::micro
