// Read bandwidth of L2 and DRAM over the number of SMs that read: what a wave's tail, or a grid
// smaller than the GPU, can get.
//
// Method: window_read.cuh with one block on each of n SMs (1024 threads, 128 KiB of loads in
// flight). L2: footprint a quarter of L2. DRAM: a footprint many times L2, walked from another
// place each time. The n SMs are those that the hardware gives to the first n blocks of a grid: the
// ones that a GEMM's tail or a small grid gets. That choice is the hardware's, so the curve's
// method lists the %smid of the first 16 blocks, and beside it what 8 SMs get that lie 1, 2, 16 or
// 18 apart by %smid.
//
// Expect on an H200: L2 127 byte/cycle for one SM, twice and four times that for 2 and 4, 647 for
// 8, 90 an SM from 16 to 48, 5000 for all; DRAM 231 GB/s for one SM, the same 647 byte/cycle
// for 8, 4.6 TB/s from 48 SMs on.
//
// Pitfalls: 8 SMs get 647 byte/cycle from L2 and from DRAM alike, an eighth of what all get: that
// points to a port that they share rather than to L2; the curve is therefore not concave. One SM is
// bound by its own port, not by latency, only with enough bytes in flight.
//
// ENTRY: l2.bandwidth.over_active_sms | curve | byte/cycle over count | L2 reads over the number of SMs that read
// ENTRY: dram.bandwidth.over_active_sms | curve | byte/s over count | DRAM reads over the number of SMs that read
#include "micro/text.hpp"

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/window_read.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr long long window_cycles = 1'000'000;

/// Small steps where few SMs share a port: 1, even numbers to 16, then wider, and all.
std::vector<int> counts(int sms) {
  std::vector<int> result{1};
  for (int n = 2; n < sms; n += n < 16 ? 2 : n < 32 ? 4 : 16) result.push_back(n);
  if (sms > 1) result.push_back(sms);
  return result;
}

/// One pass at 40 byte/cycle/SM before the window opens.
long long warm_cycles(std::size_t bytes, int sms) {
  return 100'000 + static_cast<long long>(bytes) / (40LL * sms);
}

/// %smid of the first 16 blocks, and byte/cycle of 8 SMs at fixed distances by %smid.
std::string placement(Context& context, WindowReader& reader, std::size_t bytes) {
  const int sms = context.sm_count(), few = std::min(16, sms);
  reader.once(bytes, few, warm_cycles(bytes, few), window_cycles);
  std::string ids, rates;
  for (const unsigned id : reader.sm_ids(few)) ids += text(" {}", id);
  for (const int distance : {1, 2, 16, 18}) {
    if (7 * distance >= sms) continue;
    const Repetitions found = context.repeat(
        [&] { return reader.spaced(bytes, 8, distance, warm_cycles(bytes, 8), window_cycles); });
    rates += text(" {} apart {:.0f},", distance, median(found.values));
  }
  return text(
      "first {} blocks on %smid{}; for comparison byte/cycle of 8 SMs chosen by %smid:{} others "
      "idle",
      few, ids, rates);
}

void run(Context& context) {
  const auto l2_bytes = static_cast<std::size_t>(context.device().properties().l2CacheSize);
  const std::size_t dram_bytes = std::min(64 * l2_bytes, context.free_bytes() / 2) / 4 * 4;
  DeviceBuffer<unsigned char> buffer(dram_bytes);
  fill_random(context, buffer);
  WindowReader reader(context, buffer);
  std::vector<CurvePoint> l2, dram;
  for (const int sms : counts(context.sm_count())) {
    throw_if_interrupted();
    const long long warm = warm_cycles(l2_bytes / 4, sms);
    l2.push_back({static_cast<double>(sms), context.repeat([&] {
                    return reader.once(l2_bytes / 4, sms, warm, window_cycles).bytes_per_cycle;
                  })});
    dram.push_back({static_cast<double>(sms), context.repeat([&] {
                      return reader.once(dram_bytes, sms, 100'000, window_cycles).bytes_per_second;
                    })});
  }
  context.curve("l2.bandwidth.over_active_sms", l2,
                text("one block of {} threads an SM, ld.cg 16 B, footprint {} B; {}",
                     window_threads, l2_bytes / 4, placement(context, reader, l2_bytes / 4)));
  context.curve("dram.bandwidth.over_active_sms", dram,
                text("one block of {} threads an SM, ld.cg 16 B, footprint {} B", window_threads,
                     dram_bytes));
}

const Register registered{{"active_sms", "L2 and DRAM bandwidth over active SMs", 1, run}};

}  // namespace
}  // namespace rooftile::micro
