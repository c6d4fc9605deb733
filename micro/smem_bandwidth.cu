// Shared-memory load bandwidth of one SM, conflict-free, for loads of 4, 8 and 16 bytes.
//
// Every SM runs one block of 16 warps; lane i reads element i. Byte/cycle/SM = 32 x width / cycles
// an instruction, the median over SMs of two lengths differenced (smem_pattern.cuh).
//
// Expect on an H200: 127.9 to 128.04 of 128 byte/cycle/SM (public: 127.3, 127.9 and 127.8). Above
// the limit by up to 0.03 %: the shorter loop holds about ten cycles that the longer one has not.
//
// Pitfalls: fewer than 8 warps do not saturate; consuming the loaded words in the loop takes issue
// slots, so here they are used after it.
//
// ENTRY: smem.lds32.bandwidth | metric | byte/cycle/SM | conflict-free LDS.32
// ENTRY: smem.lds64.bandwidth | metric | byte/cycle/SM | conflict-free LDS.64
// ENTRY: smem.lds128.bandwidth | metric | byte/cycle/SM | conflict-free LDS.128
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/smem_pattern.cuh"

namespace rooftile::micro {
namespace {

void run(Context& context) { publish_bandwidth(context, Direction::load, "lds"); }

const Register registered{{"smem_bandwidth", "shared-memory load bandwidth by width", 0.1, run}};

}  // namespace
}  // namespace rooftile::micro
