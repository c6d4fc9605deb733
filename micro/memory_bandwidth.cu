// Whole-GPU read bandwidth with L1 bypassed, over the footprint: L2, its overflow, DRAM.
//
// l2.bandwidth.read: window_read.cuh on a third of L2 (20 MiB of 60 on an H200), where neither L1
// nor DRAM takes part; byte/cycle of the SM's own clock.
// memory.bandwidth.over_footprint: stream_access.cuh, blocks go round the footprint in the order in
// which the hardware starts them, so that the reuse distance of every line is the footprint and any
// SM may be the next to read it, as with the panels of a GEMM. 128 MiB an
// SM in a launch, event-timed; each launch goes on where the last one ended.
//
// Expect on an H200: 4790-4930 byte/cycle; 9.4-9.7 TB/s to 41 MB, then a knee (5.7 TB/s at 48 MB,
// 4.9 at 53 MB; public tools, which read in another order: 6.7 at 50 MB, 5.4 at 62 MB), 4.6 beyond
// (DRAM).
//
// Pitfalls: persistent warps that walk the ring would drift apart:
// one fetches a line and those behind it hit, and L2 seems to hold 56 MB with a tail to 300 MB. A
// fixed share of the footprint for each SM hides the cost of the far partition. Footprints below an
// eighth of L2 are left out: less than what the SMs have in flight, so that several ask for one
// line at once and the requests are merged on the way to L2 (16 TB/s at 1 MiB with L1 bypassed):
// not a rate of L2.
//
// ENTRY: l2.bandwidth.read | metric | byte/cycle | whole GPU, L1 bypassed, footprint inside L2
// ENTRY: memory.bandwidth.over_footprint | curve | byte/s over byte | whole-GPU reads with L1 bypassed over the footprint
#include "micro/text.hpp"

#include <cmath>

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/stream_access.cuh"
#include "micro/window_read.cuh"

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

/// Goes round a footprint, launch after launch.
class Ring {
 public:
  Ring(const DeviceBuffer<unsigned char>& buffer, std::size_t footprint_bytes, int sms)
      : buffer_(buffer),
        chunks_(static_cast<unsigned>(footprint_bytes / chunk_bytes)),
        blocks_(4096U * static_cast<unsigned>(sms)),
        sink_(1) {}

  std::size_t footprint_bytes() const { return chunks_ * chunk_bytes; }
  double launch_bytes() const { return 1.0 * blocks_ * chunk_bytes; }

  void read(cudaStream_t stream) {
    stream_read_kernel<<<blocks_, stream_threads, 0, stream>>>(buffer_.data(), first_, chunks_,
                                                               sink_.data());
    check_launch("stream_read_kernel");
    first_ = (first_ + blocks_) % chunks_;
  }

 private:
  const DeviceBuffer<unsigned char>& buffer_;
  unsigned chunks_, blocks_, first_ = 0;
  DeviceBuffer<unsigned> sink_;
};

void over_footprint(Context& context, const DeviceBuffer<unsigned char>& buffer,
                    std::size_t l2_bytes) {
  const int per_octave = context.quick() ? 2 : 8;
  std::vector<CurvePoint> points;
  for (int i = 0;; ++i) {
    const auto bytes = static_cast<std::size_t>(static_cast<double>(l2_bytes) / 8 *
                                                std::exp2(static_cast<double>(i) / per_octave));
    if (bytes > buffer.size()) break;
    Ring ring(buffer, bytes, context.sm_count());
    points.push_back(
        {static_cast<double>(ring.footprint_bytes()),
         context.rates(
             ring.launch_bytes(), [&](cudaStream_t stream) { ring.read(stream); }, 0.3)});
  }
  context.curve(
      "memory.bandwidth.over_footprint", points,
      text("ld.cg 16 B, blocks go round the footprint in dispatch order (reuse distance = "
           "footprint), {} blocks of {} B a launch, event-timed",
           4096 * context.sm_count(), chunk_bytes));
}

void run(Context& context) {
  const auto l2_bytes = static_cast<std::size_t>(context.device().properties().l2CacheSize);
  const std::size_t most = std::min(std::size_t{1} << 30, context.free_bytes() / 2);
  DeviceBuffer<unsigned char> buffer(most / 4 * 4);
  fill_random(context, buffer);
  WindowReader reader(context, buffer);
  l2_read(context, reader, l2_bytes);
  over_footprint(context, buffer, l2_bytes);
}

const Register registered{{"memory_bandwidth", "read bandwidth over the footprint", 4, run}};

}  // namespace
}  // namespace rooftile::micro
