// Whole-GPU read bandwidth with L1 bypassed, over the footprint: L2, its overflow, DRAM.
//
// Method: window_read.cuh, every SM reads the whole footprint in its own order. l2.bandwidth.read
// is the point at a third of L2 (20 MiB of 60 on an H200), where neither L1 nor DRAM takes part.
//
// Expect on an H200: 4790 byte/cycle (9.5-9.7 TB/s) from 11 to 40 MB, 6.7 TB/s at 50 MB, 5.4 at 62
// MB, 4.6 beyond (DRAM).
//
// Pitfalls: with ld.ca small footprints show L1 hits (10-11 TB/s at 2.5-5 MB); a fixed share of the
// footprint for each SM hides the cost of the far partition; below 17 MB several warps read one
// piece at a time.
#include "micro/text.hpp"

#include <cmath>

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/window_read.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr long long window_cycles = 1'000'000;

/// One pass over the footprint at about 16 byte/cycle/SM, so that the window starts warm.
long long warm_cycles(std::size_t footprint_bytes, int sms) {
  return 100'000 + static_cast<long long>(footprint_bytes) / (16LL * sms);
}

void l2_read(Context& context, WindowReader& reader, std::size_t l2_bytes) {
  const std::size_t footprint = l2_bytes / 3;
  const int sms = context.sm_count();
  const Repetitions found = context.repeat([&] {
    return reader.once(footprint, sms, warm_cycles(footprint, sms), 2 * window_cycles)
        .bytes_per_cycle;
  });
  context.metric("l2.bandwidth.read", found, "median of launches",
                 text("ld.cg 16 B, {} SMs each read all of {} B (a third of L2), sum over warps of "
                      "bytes over own SM cycles",
                      sms, footprint));
}

void over_footprint(Context& context, WindowReader& reader, std::size_t most) {
  const int per_octave = context.quick() ? 2 : 4, sms = context.sm_count();
  std::vector<CurvePoint> points;
  for (int i = 0;; ++i) {
    const auto bytes =
        static_cast<std::size_t>(std::exp2(20 + static_cast<double>(i) / per_octave));
    if (bytes > most) break;
    throw_if_interrupted();
    points.push_back(
        {static_cast<double>(bytes), context.repeat([&] {
           return reader.once(bytes, sms, warm_cycles(bytes, sms), window_cycles).bytes_per_second;
         })});
  }
  context.curve("memory.bandwidth.over_footprint", points,
                "ld.cg 16 B, each SM reads the whole footprint in its own order; bytes over own SM "
                "cycles, times the clock seen in the same window");
}

void run(Context& context) {
  const auto l2_bytes = static_cast<std::size_t>(context.device().properties().l2CacheSize);
  const std::size_t most = std::min(std::size_t{1} << 30, context.free_bytes() / 2);
  DeviceBuffer<unsigned char> buffer(most / 4 * 4);
  fill_random(context, buffer);
  WindowReader reader(context, buffer);
  l2_read(context, reader, l2_bytes);
  over_footprint(context, reader, most);
}

const Register registered{{"memory_bandwidth", "read bandwidth over the footprint", 3, run}};

}  // namespace
}  // namespace rooftile::micro
