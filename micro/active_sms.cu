// Read bandwidth of L2 and DRAM over the number of SMs that read: what a wave's tail, or a grid
// smaller than the GPU, can get.
//
// Method: window_read.cuh with one block on each of n SMs (1024 threads, 128 KiB of loads in
// flight). L2: footprint a quarter of L2. DRAM: a footprint many times L2, walked from another
// place each time.
//
// Expect on an H200: L2 about 60-64 byte/cycle for one SM, linear up to some tens of SMs, then 4790
// for all; DRAM 4.6 TB/s well before all SMs read.
//
// Pitfalls: blocks fill SMs pairwise by GPC, so few SMs share a GPC's port: this order is what a
// GEMM's tail sees too. One SM is bound by its own port, not by latency, only with enough bytes in
// flight.
#include "micro/text.hpp"

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/window_read.cuh"

namespace rooftile::micro {
namespace {

constexpr long long window_cycles = 1'000'000;

/// Powers of two, multiples of 32, three quarters and all of the SMs, ascending.
std::vector<int> counts(int sms) {
  std::vector<int> result;
  for (int n = 1; n < sms && n < 32; n *= 2) result.push_back(n);
  for (int n = 32; n < sms; n += 16) result.push_back(n);
  result.push_back(sms);
  return result;
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
    const auto in_l2 = static_cast<long long>(l2_bytes / 4);
    // One pass at 40 byte/cycle/SM before the window opens.
    const long long warm = 100'000 + in_l2 / (40LL * sms);
    l2.push_back({static_cast<double>(sms), context.repeat([&] {
                    return reader.once(l2_bytes / 4, sms, warm, window_cycles).bytes_per_cycle;
                  })});
    dram.push_back({static_cast<double>(sms), context.repeat([&] {
                      return reader.once(dram_bytes, sms, 100'000, window_cycles).bytes_per_second;
                    })});
  }
  context.curve("l2.bandwidth.over_active_sms", l2,
                text("one block of {} threads an SM, ld.cg 16 B, footprint {} B", window_threads,
                     l2_bytes / 4));
  context.curve("dram.bandwidth.over_active_sms", dram,
                text("one block of {} threads an SM, ld.cg 16 B, footprint {} B", window_threads,
                     dram_bytes));
}

const Register registered{{"active_sms", "L2 and DRAM bandwidth over active SMs", 1.5, run}};

}  // namespace
}  // namespace rooftile::micro
