// Bandwidth and latency over the bytes in flight, for L2 and for DRAM: the curve along which a
// kernel climbs as it keeps more loads outstanding, and what each load then waits.
//
// Method: one block on every SM. All but one of its warps read: each issues `loads` 16-byte loads a
// lane, waits for all of them, adds its bytes and issues the next (as in window_read.cuh, whose
// mapping it shares). x = warps x loads x 512 B, what an SM asks for at once. One thread of one
// more warp follows a random chain over the same memory meanwhile (each line holds the address of
// another): its cycles a load are the latency under that load, measured and not inferred. Both are
// counted in the same window of SM cycles, after a warm-up.
//   L2: footprint a quarter of L2, as one for all SMs.  DRAM: 64 x L2 (or half of what is free).
//
// Expect on an H200: L2 512 B an SM: 281 cycles, 1.8 byte/cycle/SM; near 36 byte/cycle/SM from 16
// KiB in flight, then the latency grows in proportion (Little: 32 KiB / 36 = 900 cycles). DRAM
// 650-700 cycles at the start, 4.6 TB/s from about 24 KiB an SM (4.6 TB/s x 700 cycles / 1.98 GHz /
// 132 = 12 KiB is the least), then 1300 at 32 KiB and 1900 at 48 KiB. No public value.
//
// Pitfalls: a warp waits for its slowest load before it asks again, so that on average less than x
// is in flight: rate x latency / SMs says how much; the probe's chain is random while the readers
// stream, so that DRAM pages are seldom open for it; at DRAM some of the probe's lines were read
// by the readers shortly before, at most L2 over footprint = 1.6 % of them; both clock reads of the
// probe surround 16 loads, of which the last is not waited for in either.
//
// ENTRY: l2.bandwidth.over_bytes_in_flight | curve | byte/cycle over byte | L2 reads by all SMs over the bytes that each SM asks for at once
// ENTRY: l2.latency.over_bytes_in_flight | curve | cycle over byte | latency of an L2 hit while all SMs read, over the bytes that each asks for at once
// ENTRY: dram.bandwidth.over_bytes_in_flight | curve | byte/s over byte | DRAM reads by all SMs over the bytes that each SM asks for at once
// ENTRY: dram.latency.over_bytes_in_flight | curve | cycle over byte | latency of a DRAM load while all SMs read, over the bytes that each asks for at once
#include "micro/text.hpp"

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/global_access.cuh"
#include "micro/microbenchmark.hpp"
#include "micro/pointer_chase.cuh"
#include "micro/window_read.cuh"

namespace rooftile::micro {
namespace {

constexpr int probe_unroll = 16;

struct LoadPlan {
  ChainPlaces chain;  ///< over the whole footprint
  unsigned pieces;    ///< of loads x 512 B
  unsigned first;     ///< piece that warp 0 begins with
  unsigned step;      ///< pieces that a warp advances: reading warps mod pieces
  unsigned probe_seed;
  long long warm_cycles, window_cycles;
};

/// Sums over warps and SMs; zeroed before the launch.
struct LoadSums {
  double bytes_per_cycle;
  double probe_cycles;   ///< sum over SMs of cycles a load
  double cycles_per_ns;  ///< of block 0
};

/// The probe: follows the chain until the window closes.
__device__ __forceinline__ void probe_latency(LoadSums* sums, const LoadPlan& plan,
                                              unsigned* sink) {
  const unsigned size = plan.chain.order.size;
  unsigned long long line =
      plan.chain.address(hash32(plan.probe_seed + blockIdx.x * 0x9e3779b9u) % size);
  long long now = cycle_counter(), start = now, deadline = now + plan.warm_cycles;
  unsigned long long start_ns = 0;
  unsigned steps = 0;
#pragma unroll 1
  for (int phase = 0; phase < 2; ++phase) {
    start = now;
    start_ns = nanosecond_counter();
    steps = 0;
#pragma unroll 1
    do {
#pragma unroll
      for (int i = 0; i < probe_unroll; ++i) line = follow<true>(line);
      steps += probe_unroll;
      now = cycle_counter();
    } while (now < deadline);
    deadline = now + plan.window_cycles;
  }
  const unsigned long long stop_ns = nanosecond_counter();
  if (line == 0) *sink = 1;
  atomicAdd(&sums->probe_cycles, static_cast<double>(now - start) / steps);
  if (blockIdx.x == 0)
    sums->cycles_per_ns =
        static_cast<double>(now - start) / static_cast<double>(stop_ns - start_ns);
}

// SASS: kernel=loaded_kernel LDG.64=16 other<=14 spill=0
// SASS: kernel=loaded_kernel.*ILi1E LDG.128=1 CS2R|CS2UR|S2UR=1 other<=40 spill=0
// SASS: kernel=loaded_kernel.*ILi8E LDG.128=8 CS2R|CS2UR|S2UR=1 other<=60 spill=0
template <int Loads>
__global__ void __launch_bounds__(1024, 1)
    loaded_kernel(LoadSums* sums, unsigned* sink, LoadPlan plan) {
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) probe_latency(sums, plan, sink);
    return;
  }
  const unsigned readers = blockDim.x / 32 - 1;
  const unsigned warp = blockIdx.x * readers + threadIdx.x / 32 - 1;
  const unsigned long long base =
      reinterpret_cast<unsigned long long>(plan.chain.base) + 16 * (threadIdx.x % 32);
  const WindowCount count =
      walk_window<Loads, LoadPath::l2>({base, (plan.first + warp) % plan.pieces, plan.pieces,
                                        plan.step, plan.warm_cycles, plan.window_cycles});
  if (count.mixed == 0x9e3779b9u) *sink = count.mixed;
  if (threadIdx.x % 32 == 0)
    atomicAdd(&sums->bytes_per_cycle,
              static_cast<double>(count.steps) * Loads * 512 / count.cycles);
}

struct InFlight {
  int warps, loads;
  double bytes() const { return 512.0 * warps * loads; }
};

std::vector<InFlight> steps_of(bool quick) {
  if (quick) return {{1, 1}, {8, 1}, {16, 2}, {16, 8}};
  return {{1, 1},  {2, 1},  {4, 1},  {6, 1},  {8, 1},  {12, 1}, {16, 1}, {24, 1},
          {16, 2}, {24, 2}, {16, 4}, {24, 4}, {16, 8}, {20, 8}, {24, 8}, {30, 8}};
}

struct Loaded {
  double bytes_per_cycle = 0, bytes_per_second = 0, latency = 0;
};

class LoadedReader {
 public:
  LoadedReader(Context& context, const DeviceBuffer<unsigned char>& buffer)
      : context_(context), buffer_(buffer), sums_(1), sink_(1) {}

  /// Links the first `bytes` as one chain; later calls of once() read them.
  void use(std::size_t bytes) {
    bytes_ = bytes;
    places_ = {buffer_.data(),
               Permutation::of(static_cast<std::uint32_t>(bytes / line_bytes), ++seed_)};
    link_chain(context_, places_);
  }
  Loaded once(const InFlight& in_flight, long long warm_cycles);

 private:
  Context& context_;
  const DeviceBuffer<unsigned char>& buffer_;
  ChainPlaces places_;
  std::size_t bytes_ = 0;
  unsigned seed_ = 1;
  DeviceBuffer<LoadSums> sums_;
  DeviceBuffer<unsigned> sink_;
};

Loaded LoadedReader::once(const InFlight& in_flight, long long warm_cycles) {
  throw_if_interrupted();
  const int sms = context_.sm_count();
  const auto warps = static_cast<unsigned>(sms * in_flight.warps);
  const unsigned pieces =
      coprime_pieces(bytes_, 512 * static_cast<std::size_t>(in_flight.loads), warps);
  const unsigned first = hash32(++seed_) % pieces;
  const LoadPlan plan{places_, pieces, first, warps % pieces, seed_, warm_cycles, 400'000};
  check(cudaMemsetAsync(sums_.data(), 0, sums_.size_bytes(), context_.stream()), "cudaMemsetAsync");
  const auto kernel = in_flight.loads == 1   ? loaded_kernel<1>
                      : in_flight.loads == 2 ? loaded_kernel<2>
                      : in_flight.loads == 4 ? loaded_kernel<4>
                                             : loaded_kernel<8>;
  kernel<<<sms, 32 * (in_flight.warps + 1), 0, context_.stream()>>>(sums_.data(), sink_.data(),
                                                                    plan);
  check_launch("loaded_kernel");
  check(cudaStreamSynchronize(context_.stream()), "loaded_kernel");
  LoadSums sums{};
  sums_.download(&sums, 1);
  return {sums.bytes_per_cycle, sums.bytes_per_cycle * sums.cycles_per_ns * 1e9,
          sums.probe_cycles / sms};
}

struct LoadedCurves {
  std::vector<CurvePoint> cycles, seconds, latency;
};

LoadedCurves sweep(Context& context, LoadedReader& reader, std::size_t warm_bytes) {
  LoadedCurves curves;
  for (const InFlight& in_flight : steps_of(context.quick())) {
    // What is read before the window opens: rate of an SM at most 36 byte/cycle, at least x / 350.
    const double rate = std::min(36.0, in_flight.bytes() / 350) * context.sm_count();
    const auto warm = 60'000 + static_cast<long long>(static_cast<double>(warm_bytes) / rate);
    Repetitions cycles, seconds, latency;
    reader.once(in_flight, warm);
    for (int i = 0; i < Context::repetitions(); ++i) {
      const Loaded found = reader.once(in_flight, warm);
      cycles.values.push_back(found.bytes_per_cycle);
      seconds.values.push_back(found.bytes_per_second);
      latency.values.push_back(found.latency);
    }
    curves.cycles.push_back({in_flight.bytes(), cycles});
    curves.seconds.push_back({in_flight.bytes(), seconds});
    curves.latency.push_back({in_flight.bytes(), latency});
  }
  return curves;
}

std::string describe(int sms, std::size_t bytes) {
  return text(
      "x = bytes that each of {} SMs asks for before it waits: 1 to 30 warps of 1 to 8 "
      "loads of 16 B a lane, ld.cg; footprint {} B, walked by all; latency by one thread an "
      "SM on a random chain over the same memory",
      sms, bytes);
}

void run(Context& context) {
  const auto l2_bytes = static_cast<std::size_t>(context.device().properties().l2CacheSize);
  const std::size_t dram_bytes =
      std::min({64 * l2_bytes, std::size_t{8} << 30, context.free_bytes() / 2}) / 4096 * 4096;
  DeviceBuffer<unsigned char> buffer(dram_bytes);
  fill_random(context, buffer);
  LoadedReader reader(context, buffer);

  const std::size_t l2_footprint = l2_bytes / 4 / 4096 * 4096;
  reader.use(l2_footprint);
  const LoadedCurves l2 = sweep(context, reader, 2 * l2_footprint);
  context.curve("l2.bandwidth.over_bytes_in_flight", l2.cycles,
                describe(context.sm_count(), l2_footprint));
  context.curve("l2.latency.over_bytes_in_flight", l2.latency,
                describe(context.sm_count(), l2_footprint));

  if (dram_bytes < 16 * l2_bytes) {
    const std::string reason =
        text("needs {} B, 16 times L2; {} B are usable", 16 * l2_bytes, dram_bytes);
    context.skip("dram.bandwidth.over_bytes_in_flight", reason);
    context.skip("dram.latency.over_bytes_in_flight", reason);
    return;
  }
  reader.use(dram_bytes);
  const LoadedCurves dram = sweep(context, reader, 0);
  context.curve("dram.bandwidth.over_bytes_in_flight", dram.seconds,
                describe(context.sm_count(), dram_bytes));
  context.curve("dram.latency.over_bytes_in_flight", dram.latency,
                describe(context.sm_count(), dram_bytes));
}

const Register registered{{"loaded_latency", "bandwidth and latency over bytes in flight", 1, run}};

}  // namespace
}  // namespace rooftile::micro
