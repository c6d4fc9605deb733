// Shared-memory load latency for 4-, 8- and 16-byte loads.
//
// One thread follows a chain whose words hold the byte address of the next word, so that the loaded
// register is the next address with no arithmetic in between: the pure load-to-load latency. Timed
// at two lengths and differenced.
//
// Expect on an H200: 23 cycles for LDS.32 and LDS.64, 24 for LDS.128, over a chain that changes
// slot at each step; a chain that stays in one word is timed too and named in the method (23 as
// well; a public figure of 22 for it was not reproduced). A pointer chase in C++ (index scaled and
// added to a base in front of each load) gives 29: that counts the address arithmetic, this does
// not. One active lane: a full warp of LDS.128 adds its further wavefronts, which the wavefront
// model counts apart.
//
// Pitfalls: an index instead of an address adds an IMAD or LEA to each step; the SASS must show LDS
// alone.
//
// ENTRY: smem.lds32.latency | metric | cycle | dependent LDS.32 chain
// ENTRY: smem.lds64.latency | metric | cycle | dependent LDS.64 chain
// ENTRY: smem.lds128.latency | metric | cycle | dependent LDS.128 chain
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/shared_access.cuh"
#include "micro/timing.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr int chain_unroll = 64;
constexpr int chain_slots = 256;  // of 16 bytes

/// The next address from the first of Width / 4 words. Volatile, or the assembler narrows the load
/// to the one word that is used.
template <int Width>
__device__ __forceinline__ unsigned next_address(unsigned address) {
  unsigned x, y, z, w;
  if constexpr (Width == 4)
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(address));
  else if constexpr (Width == 8)
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(address));
  else
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                 : "r"(address));
  return x;
}

// SASS: kernel=lds_chain_kernel.*Li4E LDS.32=64 other<=6 spill=0
// SASS: kernel=lds_chain_kernel.*Li8E LDS.64=64 other<=6 spill=0
// SASS: kernel=lds_chain_kernel.*Li16E LDS.128=64 other<=6 spill=0
template <int Width>
__global__ void lds_chain_kernel(long long* cycles, unsigned* sink, unsigned step, int trips) {
  __shared__ __align__(16) uint4 slots[chain_slots];
  const unsigned base = shared_address(slots);
  // An odd step visits all slots of a power of two, step 0 stays in the first; each word of a slot
  // names the same next slot.
  for (int i = threadIdx.x; i < chain_slots; i += blockDim.x) {
    const unsigned next = base + 16 * ((i + step) % chain_slots);
    slots[i] = {next, next, next, next};
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned address = base;
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < chain_unroll; ++i) address = next_address<Width>(address);
  }
  const long long stop = cycle_counter();
  if (address == 0xffffffffu) *sink = address;
  cycles[0] = stop - start;
}

template <int Width>
Repetitions chain(Context& context, unsigned step) {
  BlockCycles cycles(1);
  DeviceBuffer<unsigned> sink(1);
  const auto launch = [&](int trips) {
    lds_chain_kernel<Width>
        <<<1, 32, 0, context.stream()>>>(cycles.data(), sink.data(), step, trips);
    check_launch("lds_chain_kernel");
  };
  return context.repeat(
      [&] { return differenced(cycles, context.stream(), launch, 16, 80) / chain_unroll; });
}

template <int Width>
void latency(Context& context, const char* id) {
  const Repetitions found = chain<Width>(context, 77);
  const double one_word = median(chain<Width>(context, 0).values);
  context.metric(id, found, "median of differences",
                 text("one thread, chain of {} B loads through {} slots of 16 B, the first word is "
                      "the next address, no address arithmetic, 16 and 80 trips of {} loads "
                      "differenced; a chain in one word: {:.2f}",
                      Width, chain_slots, chain_unroll, one_word));
}

void run(Context& context) {
  latency<4>(context, "smem.lds32.latency");
  latency<8>(context, "smem.lds64.latency");
  latency<16>(context, "smem.lds128.latency");
}

const Register registered{{"smem_latency", "shared-memory latency by width", 0.1, run}};

}  // namespace
}  // namespace rooftile::micro
