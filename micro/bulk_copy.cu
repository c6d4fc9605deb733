// cp.async.bulk from global to shared memory: latency, issue interval, bandwidth over the size of a
// copy and over bytes in flight (ring_copy.cuh).
//
// Latency: one thread, one copy at a time, from the start of a copy to the poll that sees it
// arrived, two lengths differenced. Bandwidth: byte/cycle/SM in a window of SM cycles, all SMs with
// one block each over a quarter of L2 through which every warp walks as a whole, or one SM alone.
// Little's law: bandwidth of one SM x unloaded latency / bytes in flight is 1 as long as latency
// binds. After the timing the ring of each size is filled once more and compared word by word.
//
// Expect on an H200: no public value for bulk copies. The L2 latency of a load (280 cycles) plus
// the engine: 356 cycles for a small copy; all SMs at most l2.bandwidth.read / SMs, 37
// byte/cycle/SM; one SM at most 127 (l2.bandwidth.over_active_sms at 1).
//
// Pitfalls: one lane waits, announces and starts a copy in some tens of cycles, so copies below
// about 2 KiB are bound by that (bulk_copy.issue_interval): hence four warps in the curve over the
// size. Sizes and addresses are multiples of 16 B. The latency includes the poll that finds it.
//
// ENTRY: bulk_copy.latency | metric | cycle | one copy of 128 B at a time out of L2, from its start to the poll that sees it arrived
// ENTRY: bulk_copy.latency.over_size | curve | cycle over byte | the same over the size of the copy
// ENTRY: bulk_copy.issue_interval | metric | cycle | cycles between 16 B copies started by one lane, wait and announcement included
// ENTRY: bulk_copy.bandwidth | metric | byte/cycle/SM | all SMs out of L2, copies of 8 KiB, up to 128 KiB in flight an SM
// ENTRY: bulk_copy.one_sm.bandwidth | metric | byte/cycle/SM | one SM alone out of L2, copies of 8 KiB, up to 128 KiB in flight
// ENTRY: bulk_copy.bandwidth.over_size | curve | byte/cycle/SM over byte | all SMs, four warps with together up to 64 KiB in flight, over the size of a copy
// ENTRY: bulk_copy.bandwidth.over_bytes_in_flight | curve | byte/cycle/SM over byte | all SMs, one warp, copies of 2 KiB, over bytes in flight an SM
// ENTRY: bulk_copy.one_sm.bandwidth.over_bytes_in_flight | curve | byte/cycle/SM over byte | one SM alone, copies of 2 KiB, over bytes in flight
// ENTRY: bulk_copy.one_sm.littles_law | curve | 1 over byte | bandwidth of one SM x latency of a 2 KiB copy / bytes in flight, over bytes in flight
#include "micro/ring_copy.cuh"

#include "micro/text.hpp"

#include "gpu/interrupt.hpp"
#include "micro/microbenchmark.hpp"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

struct BulkSource {
  const unsigned char* buffer;
  unsigned footprint;  ///< a multiple of `bytes`
  unsigned bytes;
  unsigned offset;

  __device__ void start(unsigned warp, unsigned warps) {
    const unsigned copies = footprint / bytes;
    offset = static_cast<unsigned>(static_cast<unsigned long long>(warp) * copies / warps) * bytes;
  }
  __device__ void copy([[maybe_unused]] unsigned slot, [[maybe_unused]] unsigned barrier) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            slot),
        "l"(__cvta_generic_to_global(buffer + offset)), "r"(bytes), "r"(barrier)
        : "memory");
#endif
    offset += bytes;
    if (offset == footprint) offset = 0;
  }
};

// SASS: kernel=bulk_window_kernel UBLKCP=1 SYNCS.ARRIVE=1 SYNCS.PHASECHK=2 other<=60 nested=1 spill=0 sm>=90
__global__ void bulk_window_kernel(BulkSource source, RingPlan plan, RingSums* sums) {
  ring_window(source, plan, sums);
}

// SASS: kernel=bulk_chain_kernel UBLKCP=1 SYNCS.ARRIVE=1 SYNCS.PHASECHK=1 other<=32 nested=1 spill=0 sm>=90
__global__ void bulk_chain_kernel(BulkSource source, long long* cycles, unsigned* gave_up,
                                  int trips) {
  ring_chain(source, source.bytes, cycles, gave_up, trips);
}

/// Copies `slots` pieces once and counts the words that differ from the source.
__global__ void bulk_verify_kernel(BulkSource source, unsigned slots, unsigned* wrong) {
  __shared__ unsigned long long barrier;
  const unsigned first = first_slot();
  if (threadIdx.x == 0) {
    mbarrier_init(shared_address(&barrier), 1);
    fence_async_proxy();
    mbarrier_arrive_expect(shared_address(&barrier), slots * source.bytes);
    source.start(1, 3);
    BulkSource walk = source;
    for (unsigned slot = 0; slot < slots; ++slot)
      walk.copy(first + slot * source.bytes, shared_address(&barrier));
    if (!wait_suspending(shared_address(&barrier), 0)) atomicAdd(wrong, 1u << 30);
  }
  __syncthreads();
  source.start(1, 3);
  for (unsigned i = 4 * threadIdx.x; i < slots * source.bytes; i += 4 * blockDim.x) {
    unsigned word[1];
    load_shared<4>(word, first + i);
    const unsigned at = (source.offset + i) % source.footprint;
    if (word[0] != *reinterpret_cast<const unsigned*>(source.buffer + at)) atomicAdd(wrong, 1u);
  }
}

class BulkBench {
 public:
  explicit BulkBench(Context& context)
      : context_(context),
        timer_(context),
        buffer_(std::max(std::size_t{1} << 20,
                         static_cast<std::size_t>(context.device().properties().l2CacheSize) / 4)) {
    fill_random(context, buffer_);
    const auto most = static_cast<int>(context.shared_bytes_per_block());
    allow(reinterpret_cast<const void*>(bulk_window_kernel), most);
    allow(reinterpret_cast<const void*>(bulk_chain_kernel), most);
    allow(reinterpret_cast<const void*>(bulk_verify_kernel), most - 1024);
  }

  Repetitions bandwidth(unsigned bytes, unsigned slots, unsigned warps, int blocks) {
    const RingPlan plan = RingPlan::of(bytes, slots, warps, 16);
    return timer_.bandwidth(
        plan, blocks, "bulk_window_kernel", [&](const RingPlan& p, int n, RingSums* sums) {
          bulk_window_kernel<<<n, 32 * warps, one_an_sm(p), context_.stream()>>>(source(bytes), p,
                                                                                 sums);
        });
  }

  Repetitions latency(unsigned bytes) {
    return timer_.latency(bytes, "bulk_chain_kernel",
                          [&](unsigned n, int trips, long long* cycles, unsigned* gave_up) {
                            bulk_chain_kernel<<<1, 1, n + 2 * slot_alignment, context_.stream()>>>(
                                source(n), cycles, gave_up, trips);
                          });
  }

  void verify(unsigned bytes) {
    DeviceBuffer<unsigned> wrong(1);
    wrong.fill_bytes(0);
    const unsigned slots = timer_.slots(32 * 1024, bytes, 1, 16);
    bulk_verify_kernel<<<1, 256, slots * bytes + slot_alignment, context_.stream()>>>(
        source(bytes), slots, wrong.data());
    check_launch("bulk_verify_kernel");
    check(cudaStreamSynchronize(context_.stream()), "bulk_verify_kernel");
    unsigned count = 0;
    wrong.download(&count, 1);
    if (count != 0)
      throw std::runtime_error(text("bulk copies of {} B: {} words are wrong", bytes, count));
  }

  RingTimer& timer() { return timer_; }
  std::size_t footprint() const { return buffer_.size(); }

 private:
  static void allow(const void* kernel, int bytes) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
          "cudaFuncSetAttribute");
  }
  BulkSource source(unsigned bytes) const {
    return {buffer_.data(), static_cast<unsigned>(buffer_.size() / bytes * bytes), bytes, 0};
  }
  /// More than half of what a block may have, so that two blocks do not share an SM.
  std::size_t one_an_sm(const RingPlan& plan) const {
    return std::max(plan.shared_bytes(), context_.shared_bytes_per_block() / 2 + 4096);
  }

  Context& context_;
  RingTimer timer_;
  DeviceBuffer<unsigned char> buffer_;
};

void over_size(Context& context, BulkBench& bench) {
  std::vector<CurvePoint> latency, bandwidth;
  for (unsigned bytes = 16; bytes <= 65536 && bytes <= bench.timer().most_bytes(); bytes *= 2) {
    throw_if_interrupted();
    bench.verify(bytes);
    latency.push_back({static_cast<double>(bytes), bench.latency(bytes)});
    if (bytes == 128)
      context.metric("bulk_copy.latency", latency.back().y, "median of differences",
                     "one thread, one copy of 128 B at a time, arrival polled by test_wait");
    if (bytes > 16384) continue;
    const unsigned slots = bench.timer().slots(65536, bytes, 4, 16);
    bandwidth.push_back(
        {static_cast<double>(bytes), bench.bandwidth(bytes, slots, 4, context.sm_count())});
  }
  context.curve("bulk_copy.latency.over_size", latency,
                "one thread, one copy at a time, arrival polled by test_wait");
  context.curve("bulk_copy.bandwidth.over_size", bandwidth,
                text("one block an SM, four warps with a ring each of at most 128 slots, footprint "
                     "{} B",
                     bench.footprint()));
}

void over_bytes_in_flight(Context& context, BulkBench& bench) {
  constexpr unsigned bytes = 2048;
  std::vector<CurvePoint> all, one;
  for (const unsigned slots : {1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 24u, 32u, 48u, 64u, 96u}) {
    throw_if_interrupted();
    if (bench.timer().slots(slots * bytes, bytes, 1, 16) != slots) break;
    const double in_flight = static_cast<double>(slots) * bytes;
    all.push_back({in_flight, bench.bandwidth(bytes, slots, 1, context.sm_count())});
    one.push_back({in_flight, bench.bandwidth(bytes, slots, 1, 1)});
  }
  const double latency = median(bench.latency(bytes).values);
  const std::string method =
      text("one warp a block, copies of {} B, footprint {} B", bytes, bench.footprint());
  context.curve("bulk_copy.bandwidth.over_bytes_in_flight", all, method + ", all SMs");
  context.curve("bulk_copy.one_sm.bandwidth.over_bytes_in_flight", one, method + ", one SM");
  context.curve("bulk_copy.one_sm.littles_law", littles_law(one, latency),
                text("one SM, unloaded latency {:.0f} cycles: 1 where the latency binds, less "
                     "where bandwidth does",
                     latency));
}

void run(Context& context) {
  const cudaDeviceProp& gpu = context.device().properties();
  if (gpu.major < 9)
    return context.close(State::skipped,
                         text("cp.async.bulk needs compute capability 9.0, this GPU has {}.{}",
                              gpu.major, gpu.minor));
  BulkBench bench(context);
  over_size(context, bench);
  over_bytes_in_flight(context, bench);
  context.metric("bulk_copy.issue_interval", reciprocal(16, bench.bandwidth(16, 64, 1, 1)),
                 "median", "one lane of one SM, 64 copies of 16 B in flight");
  const unsigned slots = bench.timer().slots(131072, 8192, 1, 16);
  const std::string method = text("window of SM cycles, {} copies of 8 KiB in flight", slots);
  context.metric("bulk_copy.bandwidth", bench.bandwidth(8192, slots, 1, context.sm_count()),
                 "median", method + text(", all SMs, footprint {} B", bench.footprint()));
  context.metric("bulk_copy.one_sm.bandwidth", bench.bandwidth(8192, slots, 1, 1), "median",
                 method + ", one SM");
}

const Register registered{{"bulk_copy", "bulk copies from L2 to shared memory", 0.6, run}};

}  // namespace
}  // namespace rooftile::micro
