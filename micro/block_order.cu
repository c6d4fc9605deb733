// In which order the hardware gives blocks to SMs: in the first wave, and when places come free.
//
// Each block of one warp notes its %smid, globaltimer and its SM's clock when it starts and ends,
// and in between holds its place for a while of its own, all different. One grid of two waves fills
// the GPU with one block an SM (each asks for all the shared memory), one with two an SM.
//
// block_order.same_order: share of launches whose first wave has the same SMs in the same order as
//   the first launch's. same_pair: share of block pairs (2i, 2i + 1) of the first wave on SMs 2j
//   and 2j + 1. before_second: blocks of the grid with two an SM that come before the first SM
//   gets its second. start_skew: last start less first start of the first wave.
// block_order.refill_in_order: share of the second wave's blocks that go, in block order, to the
//   SMs in the order in which their first blocks ended. refill_delay: cycles of an SM from the note
//   of the end of one block to the note of the start of the next.
//
// Expect on an H200: blocks fill SMs pairwise by GPC; where two fit an SM, some SMs get their
// second before others have their first (8 of 132 after 84 to 90 blocks on each of four cards, not
// explained); the same order in each launch on an idle GPU; refill in the order of ends. No public
// value for the delay: near launch.block_cost, a thousand cycles or less.
//
// Pitfalls: globaltimer ticks coarsely (32 ns on an H200, 1 us on others): the holds lie 2 us
// apart, so that the order of ends is certain. The order is the hardware's, and may change with the
// driver, with what else runs, and with MIG. A hold ends after 2^24 cycles even if the timer
// stands.
//
// ENTRY: block_order.same_order | metric | 1 | share of launches with the same block-to-SM order in the first wave
// ENTRY: block_order.same_pair | metric | 1 | share of block pairs (2i, 2i + 1) of the first wave that share an SM pair (2j, 2j + 1)
// ENTRY: block_order.before_second | metric | count | blocks that start before an SM gets its second, where two fit
// ENTRY: block_order.start_skew | metric | s | first to last start of the first wave, one block an SM
// ENTRY: block_order.refill_in_order | metric | 1 | share of second-wave blocks that go to SMs in the order in which these came free
// ENTRY: block_order.refill_delay | metric | cycle | end of a block to the start of the next on the same SM, as the blocks see it
// ENTRY: block_order.first_wave | table | SM and start time of each block of the first wave, one block an SM
// ENTRY: block_order.two_resident | table | SM and start time of each block of the first wave, two blocks an SM
#include "micro/text.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/timing.cuh"

namespace rooftile::micro {
namespace {

struct Stay {
  unsigned long long start_ns, end_ns;
  long long start_cycle, end_cycle;
  unsigned sm;
};

constexpr unsigned hold_ns = 20'000;  ///< the first wave has started long before
constexpr unsigned step_ns = 2'000;
constexpr long long most_cycles = 1 << 24;

/// Block b holds its place for hold_ns + step_ns x (b x factor mod wave): all of a wave differ.
__global__ void stay_kernel(Stay* stays, unsigned wave, unsigned factor) {
  if (threadIdx.x != 0) return;
  Stay stay;
  stay.start_cycle = cycle_counter();
  stay.start_ns = nanosecond_counter();
  stay.sm = sm_id();
  const unsigned long long until =
      stay.start_ns + hold_ns +
      static_cast<unsigned long long>(step_ns) * (blockIdx.x * factor % wave);
  do {
    stay.end_ns = nanosecond_counter();
    stay.end_cycle = cycle_counter();
  } while (stay.end_ns < until && stay.end_cycle - stay.start_cycle < most_cycles);
  stays[blockIdx.x] = stay;
}

class OrderBench {
 public:
  /// `resident` blocks an SM; throws where the GPU does not hold just as many.
  OrderBench(Context& context, int resident)
      : context_(context),
        wave_(resident * context.sm_count()),
        stays_(2 * static_cast<std::size_t>(wave_)) {
    const auto& gpu = context.device().properties();
    const std::size_t an_sm = gpu.sharedMemPerMultiprocessor / static_cast<std::size_t>(resident);
    shared_bytes_ = std::min(context.shared_bytes_per_block(),
                             (an_sm - gpu.reservedSharedMemPerBlock) / 1024 * 1024);
    check(cudaFuncSetAttribute(stay_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes_)),
          "cudaFuncSetAttribute");
    check(cudaFuncSetAttribute(stay_kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                               cudaSharedmemCarveoutMaxShared),
          "cudaFuncSetAttribute");
    int fit = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, stay_kernel, 32, shared_bytes_),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    if (fit != resident)
      throw std::runtime_error(
          text("{} blocks of {} B fit an SM, not {}", fit, shared_bytes_, resident));
    while (std::gcd(factor_, static_cast<unsigned>(wave_)) != 1) ++factor_;
  }

  std::vector<Stay> once() {
    throw_if_interrupted();
    stay_kernel<<<2 * wave_, 32, shared_bytes_, context_.stream()>>>(
        stays_.data(), static_cast<unsigned>(wave_), factor_);
    check_launch("stay_kernel");
    check(cudaStreamSynchronize(context_.stream()), "stay_kernel");
    std::vector<Stay> stays(stays_.size());
    stays_.download(stays.data(), stays.size());
    return stays;
  }

  std::size_t wave() const { return static_cast<std::size_t>(wave_); }
  std::size_t shared_bytes() const { return shared_bytes_; }

 private:
  Context& context_;
  int wave_;
  unsigned factor_ = 37;
  std::size_t shared_bytes_ = 0;
  DeviceBuffer<Stay> stays_;
};

bool same_order(const std::vector<Stay>& a, const std::vector<Stay>& b, std::size_t wave) {
  return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(wave), b.begin(),
                    [](const Stay& x, const Stay& y) { return x.sm == y.sm; });
}

double pair_share(const std::vector<Stay>& stays, std::size_t wave) {
  std::size_t together = 0;
  for (std::size_t i = 0; i + 1 < wave; i += 2) together += stays[i].sm / 2 == stays[i + 1].sm / 2;
  return static_cast<double>(together) / static_cast<double>(std::max<std::size_t>(1, wave / 2));
}

double start_skew_s(const std::vector<Stay>& stays, std::size_t wave) {
  const auto [first, last] =
      std::minmax_element(stays.begin(), stays.begin() + static_cast<std::ptrdiff_t>(wave),
                          [](const Stay& a, const Stay& b) { return a.start_ns < b.start_ns; });
  return static_cast<double>(last->start_ns - first->start_ns) * 1e-9;
}

/// One block an SM: share of the second wave that goes to SMs in the order of the first's ends.
double refill_share(const std::vector<Stay>& stays, std::size_t wave) {
  std::vector<std::size_t> ended(wave);
  std::iota(ended.begin(), ended.end(), std::size_t{0});
  std::sort(ended.begin(), ended.end(),
            [&](std::size_t a, std::size_t b) { return stays[a].end_ns < stays[b].end_ns; });
  std::size_t equal = 0;
  for (std::size_t i = 0; i < wave; ++i) equal += stays[wave + i].sm == stays[ended[i]].sm;
  return static_cast<double>(equal) / static_cast<double>(wave);
}

/// Median over SMs of the cycles between two blocks of one SM.
double refill_delay(const std::vector<Stay>& stays, std::size_t wave) {
  std::map<unsigned, long long> end_of_sm;
  for (std::size_t i = 0; i < wave; ++i) end_of_sm[stays[i].sm] = stays[i].end_cycle;
  std::vector<double> delays;
  for (std::size_t i = wave; i < 2 * wave; ++i) {
    const auto end = end_of_sm.find(stays[i].sm);
    if (end == end_of_sm.end()) continue;
    delays.push_back(static_cast<double>(stays[i].start_cycle - end->second));
    end_of_sm.erase(end);  // a third block of one SM has another's end before it
  }
  if (delays.empty()) throw std::runtime_error("no SM ran two blocks");
  const auto middle = delays.begin() + static_cast<std::ptrdiff_t>(delays.size() / 2);
  std::nth_element(delays.begin(), middle, delays.end());
  return *middle;
}

/// Blocks before the first whose SM has one already.
double distinct_prefix(const std::vector<Stay>& stays) {
  std::map<unsigned, int> seen;
  std::size_t i = 0;
  while (i < stays.size() && ++seen[stays[i].sm] == 1) ++i;
  return static_cast<double>(i);
}

Table order_table(const std::vector<Stay>& stays, const OrderBench& bench, double repeated) {
  Table table;
  table.columns = {"name", "sm", "start"};
  table.units = {"", "count", "s"};
  table.method = text(
      "one warp and {} B of shared memory a block; start after the first by "
      "globaltimer; the order of the first launch, which {:.3f} of all had",
      bench.shared_bytes(), repeated);
  unsigned long long first = stays.front().start_ns;
  for (std::size_t i = 0; i < bench.wave(); ++i) first = std::min(first, stays[i].start_ns);
  for (std::size_t i = 0; i < bench.wave(); ++i)
    table.rows.push_back({text("block {}", i),
                          {static_cast<double>(stays[i].sm),
                           static_cast<double>(stays[i].start_ns - first) * 1e-9}});
  return table;
}

void one_resident(Context& context) {
  OrderBench bench(context, 1);
  const std::vector<Stay> reference = bench.once();
  const std::size_t wave = bench.wave();
  int same = 0, launches = 0;
  Repetitions share, delay;
  const Repetitions skew = context.repeat([&] {
    const std::vector<Stay> stays = bench.once();
    ++launches;
    same += same_order(reference, stays, wave);
    share.values.push_back(refill_share(stays, wave));
    delay.values.push_back(refill_delay(stays, wave));
    return start_skew_s(stays, wave);
  });
  const double repeated = static_cast<double>(same) / launches;
  context.exact(
      "block_order.same_order", repeated, "share",
      text("{} launches of {} blocks, one an SM, compared with one before", launches, 2 * wave));
  context.exact("block_order.same_pair", pair_share(reference, wave), "share",
                text("first wave of {} blocks, one an SM", wave));
  const std::string method = text("two waves of {} blocks, one an SM, holds 2 us apart", wave);
  context.metric("block_order.start_skew", skew, "median", method);
  context.metric("block_order.refill_in_order", share, "median", method);
  context.metric("block_order.refill_delay", delay, "median of medians over SMs", method);
  context.table("block_order.first_wave", order_table(reference, bench, repeated));
}

void two_resident(Context& context) {
  OrderBench bench(context, 2);
  const std::vector<Stay> reference = bench.once();
  int same = 0, launches = 0;
  const Repetitions before = context.repeat([&] {
    const std::vector<Stay> stays = bench.once();
    ++launches;
    same += same_order(reference, stays, bench.wave());
    return distinct_prefix(stays);
  });
  context.metric("block_order.before_second", before, "median",
                 text("{} blocks of {} B of shared memory, two an SM", 2 * bench.wave(),
                      bench.shared_bytes()));
  context.table("block_order.two_resident",
                order_table(reference, bench, static_cast<double>(same) / launches));
}

void run(Context& context) {
  one_resident(context);
  two_resident(context);
}

const Register registered{{"block_order", "order of blocks over SMs", 0.1, run}};

}  // namespace
}  // namespace rooftile::micro
