// The queue behind the issue of shared-memory loads: how many LDS a warp issues before it stalls.
//
// A warp reads its clock, issues n independent LDS and reads the clock again, without waiting for
// any data; then it waits for all words and meets the others at a barrier, so that the queue is
// empty again. Cycles(n) less cycles(0) is the time that issuing n loads takes: at first the
// spacing that the compiler gives them, from some n on the time the data path needs for one (its
// wavefronts), because the queue is full. Where the two lines cross, less what has been served
// until then, is the depth. The queue shows where the path is much slower than the issue, and it is
// full only once the pace is that of the path: the depth is read with one warp in each sub-core and
// all lanes in one bank row (32 wavefronts, 128 cycles a load of a warp).
//
// Curves: one warp, conflict-free (lane i reads element i) and in conflict (32 wavefronts). Table:
// 1 to 32 wavefronts, one warp, three warps of one sub-core, and one warp in each of the four
// sub-cores.
//
// Expect on an H200: 15 loads a sub-core; one warp alone does not fill the queue with 32 loads; no
// public value. An Ampere GA102 sub-core was seen to take about five memory instructions before it
// stalls (Huerta et al., Analyzing Modern NVIDIA GPU Cores, 2025). The conflict-free curve of one
// warp should be a line of 4 cycles a load without a knee.
//
// Pitfalls: nothing between the clock reads may wait for a load: in the SASS no instruction there
// reads a loaded register, and the second CS2R (CS2UR) waits for no scoreboard on 9.0 and 12.0; on
// 8.0, from about ten loads on, it waits for the first of them, which has long been served by then.
// ptxas (CUDA 13) leaves four cycles between neighbouring LDS of a warp. A clock read takes its own
// issue slot, hence the difference to n = 0. Depth is in instructions, whatever their width.
//
// ENTRY: smem.queue.lds32 | curve | cycle over count | cycles to issue n LDS.32 of one warp, conflict-free
// ENTRY: smem.queue.lds64 | curve | cycle over count | cycles to issue n LDS.64 of one warp, conflict-free
// ENTRY: smem.queue.lds128 | curve | cycle over count | cycles to issue n LDS.128 of one warp, conflict-free
// ENTRY: smem.queue.lds32.conflict | curve | cycle over count | cycles to issue n LDS.32 of 32 wavefronts each
// ENTRY: smem.queue.lds64.conflict | curve | cycle over count | cycles to issue n LDS.64 of 32 wavefronts each
// ENTRY: smem.queue.lds128.conflict | curve | cycle over count | cycles to issue n LDS.128 of 32 wavefronts each
// ENTRY: smem.queue.depth | metric | count | LDS.32 of a sub-core that wait or are served when its warp first stalls
// ENTRY: smem.queue.lds64.depth | metric | count | LDS.64 of a sub-core that wait or are served when its warp first stalls
// ENTRY: smem.queue.lds128.depth | metric | count | LDS.128 of a sub-core that wait or are served when its warp first stalls
// ENTRY: smem.queue | table | issue of LDS by width, wavefronts and warps: cycles an instruction before and after the stall, and the depth
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/shared_access.cuh"
#include "micro/timing.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr int longest_queue = 32;
constexpr int queue_warps = 9;  ///< of a block: 0, 4 and 8 share a sub-core
constexpr int queue_trips = 16;
constexpr int row_bytes = 128;  ///< 32 banks of 4 bytes

struct QueuePlan {
  int stride_bytes;  ///< between lanes
  unsigned warps;    ///< that issue, by bit
  int trips;
};

/// total += stop - start, in 64 bits, to a total that differs by lane, in this order: else the
/// compiler reads the clock into a uniform register, by an instruction (S2UR) that takes as long as
/// it likes, or moves it there (R2UR) between the loads.
__device__ __forceinline__ void add_span(long long& total, long long start, long long stop) {
  asm volatile("add.s64 %0, %0, %1;\n\tsub.s64 %0, %0, %2;" : "+l"(total) : "l"(stop), "l"(start));
}

// SASS: kernel=queue_kernel CS2R|CS2UR=2 R2UR=0
// SASS: kernel=queue_kernel spill=0 CS2R|CS2UR=2 sm<100
// SASS: kernel=queue_kernel.*Li4ELi32E LDS.32=32 CS2R|CS2UR=2 spill=0
// SASS: kernel=queue_kernel.*Li8ELi32E LDS.64=32 CS2R|CS2UR=2 spill=0
// SASS: kernel=queue_kernel.*Li16ELi32E LDS.128=32 CS2R|CS2UR=2 spill=0
// SASS: kernel=queue_kernel.*Li4ELi1E LDS.32=1 CS2R|CS2UR=2 spill=0
// SASS: kernel=queue_kernel.*Li16ELi8E LDS.128=8 CS2R|CS2UR=2 spill=0
/// cycles[warp] = cycles between the clock reads, summed over the trips after an untimed first one.
template <int Width, int Count>
__global__ void __launch_bounds__(32 * queue_warps)
    queue_kernel(long long* cycles, unsigned* sink, QueuePlan plan) {
  extern __shared__ __align__(128) unsigned char arena[];
  const int warp = threadIdx.x / 32;
  const bool issues = (plan.warps >> warp & 1) != 0;
  // By way of memory, or ptxas for 12.0 computes the address anew between the clock and the loads.
  __shared__ volatile unsigned addresses[32 * queue_warps];
  addresses[threadIdx.x] = shared_address(arena) + threadIdx.x % 32 * plan.stride_bytes;
  const unsigned address = addresses[threadIdx.x];
  if (address % 4 != 0) *sink = address;  // never; waits for it here
  unsigned sum = 0;
  long long total = threadIdx.x % 32;
#pragma unroll 1
  for (int trip = 0; trip <= plan.trips; ++trip) {
    __syncthreads();
    if (!issues) continue;
    unsigned words[Count + 1][Width / 4];
    const long long start = cycle_counter();
#pragma unroll
    for (int i = 0; i < Count; ++i) load_shared<Width>(words[i], address + i * row_bytes);
    const long long stop = cycle_counter();
#pragma unroll
    for (int i = 0; i < Count; ++i) {
#pragma unroll
      for (int j = 0; j < Width / 4; ++j) sum ^= words[i][j];
    }
    if (trip > 0) add_span(total, start, stop);
  }
  if (sum == 0x9e3779b9u) *sink = sum;
  if (threadIdx.x % 32 == 0) cycles[warp] = total;
}

using QueueKernel = void (*)(long long*, unsigned*, QueuePlan);

template <int Width, int... Counts>
constexpr std::array<QueueKernel, sizeof...(Counts)> queue_kernels(
    std::integer_sequence<int, Counts...>) {
  return {queue_kernel<Width, Counts>...};
}

QueueKernel kernel_of(int width_bytes, int count) {
  using Counts = std::make_integer_sequence<int, longest_queue + 1>;
  static constexpr auto narrow = queue_kernels<4>(Counts{});
  static constexpr auto middle = queue_kernels<8>(Counts{});
  static constexpr auto wide = queue_kernels<16>(Counts{});
  const auto& kernels = width_bytes == 4 ? narrow : width_bytes == 8 ? middle : wide;
  return kernels[static_cast<std::size_t>(count)];
}

constexpr unsigned alone = 0x001, same_sub_core = 0x111, each_sub_core = 0x00f;  // warps by bit

/// What one row of the table is about.
struct QueueCase {
  int width_bytes;
  int wavefronts;  ///< of one load: width / 4 is free of conflicts
  unsigned warps;

  std::string name() const {
    const char* who = warps == alone           ? "one warp"
                      : warps == same_sub_core ? "three warps of one sub-core"
                                               : "one warp in each sub-core";
    return text("lds{}, {} wavefronts, {}", 8 * width_bytes, wavefronts, who);
  }
  /// Elements `stride` apart conflict stride times, for powers of two.
  int stride_bytes() const { return wavefronts * 4; }
  int warps_a_sub_core() const { return warps == same_sub_core ? 3 : 1; }
  /// What the data path needs for one load of each warp.
  double path_cycles() const { return wavefronts * std::popcount(warps); }
};

/// Cycles to issue 0, 1, ... longest_queue loads, less those for 0.
std::vector<CurvePoint> issue_cycles(Context& context, const QueueCase& which) {
  BlockCycles cycles(queue_warps);
  DeviceBuffer<unsigned> sink(1);
  const QueuePlan plan{which.stride_bytes(), which.warps, queue_trips};
  const std::size_t arena = 31 * plan.stride_bytes + which.width_bytes + longest_queue * row_bytes;
  std::vector<CurvePoint> points;
  for (int count = 0; count <= longest_queue; ++count) {
    const QueueKernel kernel = kernel_of(which.width_bytes, count);
    points.push_back({static_cast<double>(count), context.repeat([&] {
                        kernel<<<1, 32 * queue_warps, arena, context.stream()>>>(cycles.data(),
                                                                                 sink.data(), plan);
                        check_launch("queue_kernel");
                        const std::vector<double> sums = cycles.read(context.stream());
                        double slowest = 0;
                        for (int warp = 0; warp < queue_warps; ++warp)
                          if ((plan.warps >> warp & 1) != 0)
                            slowest = std::max(slowest, sums[static_cast<std::size_t>(warp)]);
                        return slowest / queue_trips;
                      })});
  }
  const std::vector<double> none = points.front().y.values;
  for (CurvePoint& point : points)
    for (std::size_t i = 0; i < none.size(); ++i) point.y.values[i] -= none[i];
  return points;
}

/// Two lines: the spacing of the first loads, and the pace once the queue is full.
struct Knee {
  double before, after;  ///< cycles a load of one warp
  double loads;          ///< of one warp until they cross; NaN where the queue is never full
  double depth;          ///< loads of a sub-core that then wait or are served
};

Knee knee_of(const std::vector<CurvePoint>& points, const QueueCase& which) {
  const auto y = [&](int n) { return median(points[static_cast<std::size_t>(n)].y.values); };
  constexpr int head = 4, tail = 8;
  Knee knee{(y(1 + head) - y(1)) / head, (y(longest_queue) - y(longest_queue - tail)) / tail,
            std::nan(""), std::nan("")};
  // A path hardly slower than the issue fills no queue within the loads there are, and a pace
  // faster than the path means that it still fills.
  if (knee.after < 1.5 * knee.before || knee.after < 0.9 * which.path_cycles()) return knee;
  knee.loads = (y(longest_queue) - knee.after * longest_queue - y(1) + knee.before) /
               (knee.before - knee.after);
  knee.depth = which.warps_a_sub_core() * knee.loads * (1 - knee.before / knee.after);
  return knee;
}

void publish_curve(Context& context, const QueueCase& which,
                   const std::vector<CurvePoint>& points) {
  const int bits = 8 * which.width_bytes;
  const bool free = 4 * which.wavefronts == which.width_bytes;
  if (!free && which.wavefronts != 32) return;
  context.curve(text("smem.queue.lds{}{}", bits, free ? "" : ".conflict"), points,
                text("one warp, clock reads around n loads of {} wavefronts and before any wait "
                     "for data, less those around none; mean of {} trips",
                     which.wavefronts, queue_trips));
}

void publish_depth(Context& context, const QueueCase& which, const Knee& knee) {
  const int bits = 8 * which.width_bytes;
  const std::string id = bits == 32 ? "smem.queue.depth" : text("smem.queue.lds{}.depth", bits);
  if (std::isnan(knee.depth)) {
    context.fail(id, text("the issue of loads of {} wavefronts does not fall to the pace of the "
                          "data path within {} loads",
                          which.wavefronts, longest_queue));
    return;
  }
  context.exact(id, knee.depth, "crossing of two lines",
                text("one warp in each sub-core, loads of {} wavefronts: {:.2f} cycles apart until "
                     "{:.1f} are issued, then {:.2f}; less those served by then",
                     which.wavefronts, knee.before, knee.loads, knee.after));
}

std::vector<QueueCase> queue_cases() {
  std::vector<QueueCase> cases;
  for (const int width_bytes : {4, 8, 16}) {
    for (const int wavefronts : {1, 2, 4, 8, 16, 32})
      if (4 * wavefronts >= width_bytes) cases.push_back({width_bytes, wavefronts, alone});
    for (const unsigned warps : {same_sub_core, each_sub_core})
      for (const int wavefronts : {width_bytes / 4, 32})
        cases.push_back({width_bytes, wavefronts, warps});
  }
  return cases;
}

void run(Context& context) {
  Table table;
  table.columns = {"name",   "width", "wavefronts", "warps_a_sub_core",
                   "before", "after", "loads",      "depth"};
  table.units = {"",           "byte",       "wavefront/inst", "count",
                 "cycle/inst", "cycle/inst", "count",          "count"};
  table.method = text(
      "cycles to issue 0 to {} loads; before: mean of 4 steps from the first load, after: mean of "
      "the last 8, of one warp; loads: of one warp where the two lines cross, none where the queue "
      "is not full by then; depth: loads of a sub-core less those "
      "served by then; the slowest of the warps that issue",
      longest_queue);
  for (const QueueCase& which : queue_cases()) {
    const std::vector<CurvePoint> points = issue_cycles(context, which);
    const Knee knee = knee_of(points, which);
    if (which.warps == alone) publish_curve(context, which, points);
    if (which.warps == each_sub_core && which.wavefronts == 32) publish_depth(context, which, knee);
    table.rows.push_back(
        {which.name(),
         {static_cast<double>(which.width_bytes), static_cast<double>(which.wavefronts),
          static_cast<double>(which.warps_a_sub_core()), knee.before, knee.after, knee.loads,
          knee.depth}});
  }
  context.table("smem.queue", std::move(table));
}

const Register registered{{"smem_queue", "queue behind the issue of shared loads", 0.8, run}};

}  // namespace
}  // namespace rooftile::micro
