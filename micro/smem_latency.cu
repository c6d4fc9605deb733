// Shared-memory load latency for 4-, 8- and 16-byte loads: of one lane, of a whole warp, and with
// the address arithmetic that a C++ pointer chase adds.
//
// One thread follows a chain whose words hold the byte address of the next word, so that the loaded
// register is the next address with no arithmetic in between: the pure load-to-load latency.
// full_warp: each of 32 lanes follows a chain of its own, lane i in element i of each row: free of
// conflicts, all wavefronts of the width. arithmetic: the words hold indices, which are scaled and
// added to the base in front of each load. Timed at two lengths and differenced.
//
// Expect on an H200: 23 cycles for LDS.32 and LDS.64, 24 for LDS.128, over a chain that changes
// slot at each step; a chain that stays in one word is timed too and named in the method (23 as
// well; a public figure of 22 for it was not reproduced). arithmetic: 29 (public pointer chases in
// C++), which is 23 and one LEA with its latency. full_warp: no public value; the further
// wavefronts of 8 and 16 bytes come on top, 1 and 3 cycles if one follows another.
//
// Pitfalls: an index instead of an address adds an IMAD or LEA to each step: the SASS must show LDS
// alone, and exactly one LEA for arithmetic. Up to compute capability 8.9 LDS scales an index
// itself
// ([R.X4]), so that there arithmetic is the pure chain again.
//
// ENTRY: smem.lds32.latency | metric | cycle | dependent LDS.32 chain
// ENTRY: smem.lds64.latency | metric | cycle | dependent LDS.64 chain
// ENTRY: smem.lds128.latency | metric | cycle | dependent LDS.128 chain
// ENTRY: smem.lds32.latency.full_warp | metric | cycle | dependent LDS.32 of 32 lanes, conflict-free
// ENTRY: smem.lds64.latency.full_warp | metric | cycle | dependent LDS.64 of 32 lanes, conflict-free
// ENTRY: smem.lds128.latency.full_warp | metric | cycle | dependent LDS.128 of 32 lanes, conflict-free
// ENTRY: smem.lds32.latency.arithmetic | metric | cycle | LDS.32 chain of indices, each scaled and added to a base
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/shared_access.cuh"
#include "micro/timing.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr int chain_unroll = 64;
constexpr int chain_slots = 256;

// SASS: kernel=lds_chain_kernel.*Li4ELb0E LDS.32=64 other<=6 spill=0
// SASS: kernel=lds_chain_kernel.*Li8ELb0E LDS.64=64 other<=6 spill=0
// SASS: kernel=lds_chain_kernel.*Li16ELb0E LDS.128=64 other<=6 spill=0
// SASS: kernel=lds_chain_kernel.*Li4ELb1E LDS.32=64 LEA|IMAD=64 other<=6 spill=0 sm>=90
// SASS: kernel=lds_chain_kernel.*Li4ELb1E LDS.32=64 other<=6 spill=0 sm<90
/// Each thread starts in the slot of its number and moves on by `step` slots of Width bytes: an odd
/// step visits all slots, 0 stays in one, a multiple of 32 keeps the lanes of a warp in one row.
template <int Width, bool Arithmetic>
__global__ void lds_chain_kernel(long long* cycles, unsigned* sink, unsigned step, int trips) {
  __shared__ __align__(16) unsigned slots[chain_slots * Width / 4];
  const unsigned base = shared_address(slots);
  for (unsigned i = threadIdx.x; i < chain_slots; i += blockDim.x) {
    const unsigned next = (i + step) % chain_slots;
    // All words of a slot name the same next slot.
    for (int j = 0; j < Width / 4; ++j)
      slots[i * (Width / 4) + j] = Arithmetic ? next : base + next * Width;
  }
  __syncthreads();
  unsigned words[Width / 4];
  words[0] = Arithmetic ? threadIdx.x : base + threadIdx.x * Width;
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < chain_unroll; ++i)
      load_shared<Width>(words, Arithmetic ? base + words[0] * Width : words[0]);
  }
  const long long stop = cycle_counter();
  if (words[0] == 0xffffffffu) *sink = words[0];
  if (threadIdx.x == 0) cycles[0] = stop - start;
}

template <int Width, bool Arithmetic = false>
Repetitions chain(Context& context, int threads, unsigned step) {
  BlockCycles cycles(1);
  DeviceBuffer<unsigned> sink(1);
  const auto launch = [&](int trips) {
    lds_chain_kernel<Width, Arithmetic>
        <<<1, threads, 0, context.stream()>>>(cycles.data(), sink.data(), step, trips);
    check_launch("lds_chain_kernel");
  };
  return context.repeat(
      [&] { return differenced(cycles, context.stream(), launch, 16, 80) / chain_unroll; });
}

template <int Width>
void latency(Context& context) {
  const std::string id = text("smem.lds{}.latency", 8 * Width);
  const double one_word = median(chain<Width>(context, 1, 0).values);
  context.metric(id, chain<Width>(context, 1, 77), "median of differences",
                 text("one thread, chain of {} B loads through {} slots, the first word is the "
                      "next address, no address arithmetic, 16 and 80 trips of {} loads "
                      "differenced; a chain in one word: {:.2f}",
                      Width, chain_slots, chain_unroll, one_word));
  context.metric(id + ".full_warp", chain<Width>(context, 32, 96), "median of differences",
                 text("32 lanes, each a chain of {} B loads of its own, lane i in element i of a "
                      "row, {} rows, 16 and 80 trips of {} loads differenced",
                      Width, chain_slots / 32, chain_unroll));
}

void run(Context& context) {
  latency<4>(context);
  latency<8>(context);
  latency<16>(context);
  context.metric("smem.lds32.latency.arithmetic", chain<4, true>(context, 1, 77),
                 "median of differences",
                 text("one thread, chain of indices through {} slots of 4 B, each scaled and added "
                      "to the base before the load, 16 and 80 trips of {} loads differenced",
                      chain_slots, chain_unroll));
}

const Register registered{{"smem_latency", "shared-memory latency by width", 0.1, run}};

}  // namespace
}  // namespace rooftile::micro
