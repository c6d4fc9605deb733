// Read bandwidth over the footprint: all SMs on one footprint with L1 bypassed (L2, its overflow,
// DRAM), and each SM on its own, through L1 and past it.
//
// l2.bandwidth.read: window_read.cuh on a third of L2 (20 MiB of 60 on an H200), where neither L1
// nor DRAM takes part; byte/cycle of the SM's own clock.
// memory.bandwidth.over_footprint: stream_access.cuh, blocks go round the footprint in the order in
// which the hardware starts them, so that the reuse distance of every line is the footprint and any
// SM may be the next to read it, as with the panels of a GEMM. 128 MiB an
// SM in a launch, event-timed; each launch goes on where the last one ended.
// memory.bandwidth.per_sm.ca and .cg: window_read.cuh, every SM goes round a footprint of its own
// that no other SM reads, so that no request is merged with another SM's; x is that footprint, the
// GPU reads as many times more as it has SMs. ca: plain loads, cached in L1. cg: L1 bypassed: its
// level at footprints that L1 would hold shows that L1 does not answer (a device test counts it).
//
// Expect on an H200: 4790-4930 byte/cycle; 9.4-9.7 TB/s to 41 MB, then a knee (5.7 TB/s at 48 MB,
// 4.9 at 53 MB; public tools, which read in another order: 6.7 at 50 MB, 5.4 at 62 MB), 4.6 beyond
// (DRAM). A public tool's knee is softer because up to 2.6 of its blocks in flight read one slot at
// a time at 50 MB and share its misses; its plateau is higher (or lower) by the bytes that a block
// reads before it ends: 8.7 TB/s with 32 KiB, 9.3 with 512 KiB in its order, 9.1 and 9.5 in ours. A
// rate of 9.4 is kept while DRAM can deliver the misses, half of all loads: the hits end
// earlier (l2_hits.cu). Per SM: ca 120-128 byte/cycle up to 200 KiB, then L2's 37 and DRAM's 17.7
// (2 MiB an SM); cg 37 from the start, no public value.
//
// Pitfalls: persistent warps that walk the ring would drift apart:
// one fetches a line and those behind it hit, and L2 seems to hold 56 MB with a tail to 300 MB. A
// fixed share of the footprint for each SM hides the cost of the far partition: the per_sm curves
// do, and say so. Footprints below an
// eighth of L2 are left out of the shared curve: less than what the SMs have in flight, so that
// several ask for one line at once and the requests are merged on the way to L2 (16 TB/s at 1 MiB
// with L1 bypassed): not a rate of L2. Below 128 KiB of its own several warps of an SM read one
// piece at a time.
//
// ENTRY: l2.bandwidth.read | metric | byte/cycle | whole GPU, L1 bypassed, footprint inside L2
// ENTRY: memory.bandwidth.over_footprint | curve | byte/s over byte | whole-GPU reads with L1 bypassed over the footprint
// ENTRY: memory.bandwidth.per_sm.ca | curve | byte/cycle/SM over byte | reads through L1, over the footprint that each SM has to itself
// ENTRY: memory.bandwidth.per_sm.cg | curve | byte/cycle/SM over byte | reads that bypass L1, over the footprint that each SM has to itself
#include "micro/text.hpp"

#include <cmath>

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

/// Every SM on its own footprint: 16 KiB to 4 MiB, whole pieces.
void per_sm(Context& context, WindowReader& reader, std::size_t buffer_bytes, LoadPath path) {
  const auto sms = static_cast<std::size_t>(context.sm_count());
  const int per_octave = context.quick() ? 1 : 4;
  std::vector<CurvePoint> points;
  for (int i = 0; i <= 8 * per_octave; ++i) {
    const double wanted = 16384 * std::exp2(static_cast<double>(i) / per_octave);
    const auto bytes = static_cast<std::size_t>(wanted / piece_bytes + 0.5) * piece_bytes;
    if (bytes * sms > buffer_bytes) break;
    // Two passes at DRAM's rate before the window opens.
    const long long warm = 20'000 + static_cast<long long>(bytes) / 8;
    const long long window = std::max(200'000LL, 2 * warm);
    Repetitions found =
        context.repeat([&] { return reader.apart(bytes, path, warm, window).bytes_per_cycle; });
    for (double& value : found.values) value /= static_cast<double>(sms);
    points.push_back({static_cast<double>(bytes), found});
  }
  context.curve(path == LoadPath::l1 ? "memory.bandwidth.per_sm.ca" : "memory.bandwidth.per_sm.cg",
                points,
                text("{}, 16 B a lane, one block of {} threads an SM, each on its own footprint, "
                     "mean of {} SMs",
                     path == LoadPath::l1 ? "plain ld through L1" : "ld.cg", window_threads, sms));
}

void run(Context& context) {
  const auto l2_bytes = static_cast<std::size_t>(context.device().properties().l2CacheSize);
  const std::size_t most = std::min(std::size_t{1} << 30, context.free_bytes() / 2);
  DeviceBuffer<unsigned char> buffer(most / 4 * 4);
  fill_random(context, buffer);
  WindowReader reader(context, buffer);
  l2_read(context, reader, l2_bytes);
  over_footprint(context, buffer, l2_bytes);
  per_sm(context, reader, buffer.size(), LoadPath::l1);
  per_sm(context, reader, buffer.size(), LoadPath::l2);
}

const Register registered{{"memory_bandwidth", "read bandwidth over the footprint", 4, run}};

}  // namespace
}  // namespace rooftile::micro
