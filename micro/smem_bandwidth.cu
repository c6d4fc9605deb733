// Shared-memory bandwidth of one SM for conflict-free loads of 4, 8 and 16 bytes.
//
// Every SM runs one block of 16 warps; lane i reads element i. Byte/cycle/SM = 32 x width x
// instructions / cycles, the median over SMs of two lengths differenced (shared_access.cuh).
//
// Expect on an H200: 127.3, 127.9 and 127.8 of 128 byte/cycle/SM.
//
// Pitfalls: fewer than 8 warps do not saturate; consuming the loaded words takes issue slots, which
// limits LDS.32 where every word costs an instruction (here half a LOP3 each).
//
// ENTRY: smem.lds32.bandwidth | metric | byte/cycle/SM | conflict-free LDS.32
// ENTRY: smem.lds64.bandwidth | metric | byte/cycle/SM | conflict-free LDS.64
// ENTRY: smem.lds128.bandwidth | metric | byte/cycle/SM | conflict-free LDS.128
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/shared_access.cuh"

namespace rooftile::micro {
namespace {

template <int Width>
void bandwidth(Context& context, const char* id) {
  LaneOffsets lanes{};
  for (int i = 0; i < 32; ++i) lanes.byte[i] = i * Width;
  const std::size_t arena = 32 * Width + pattern_unroll * bank_row_bytes;
  BlockCycles cycles(context.sm_count());
  DeviceBuffer<unsigned> sink(1);
  const auto launch = [&](int trips) {
    shared_load_kernel<Width><<<context.sm_count(), pattern_threads, arena, context.stream()>>>(
        cycles.data(), sink.data(), lanes, 0u, trips);
    check_launch("shared_load_kernel");
  };
  const double bytes_per_trip = 1.0 * pattern_threads * Width * pattern_unroll;
  const Repetitions found = context.repeat(
      [&] { return bytes_per_trip / differenced(cycles, context.stream(), launch, 64, 1088); });
  context.metric(id, found, "median of differences",
                 text("{} B loads, lane i reads element i, one block of {} threads on each of "
                      "{} SMs, median SM",
                      Width, pattern_threads, context.sm_count()));
}

void run(Context& context) {
  bandwidth<4>(context, "smem.lds32.bandwidth");
  bandwidth<8>(context, "smem.lds64.bandwidth");
  bandwidth<16>(context, "smem.lds128.bandwidth");
}

const Register registered{{"smem_bandwidth", "shared-memory bandwidth by width", 0.1, run}};

}  // namespace
}  // namespace rooftile::micro
