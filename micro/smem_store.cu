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
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/smem_pattern.cuh"

namespace rooftile::micro {
namespace {

void run(Context& context) { publish_bandwidth(context, Direction::store, "sts"); }

const Register registered{{"smem_store", "shared-memory store bandwidth by width", 0.1, run}};

}  // namespace
}  // namespace rooftile::micro
