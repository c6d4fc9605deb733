// Bursts of global loads: all warps of an SM ask at once, then wait for all that they asked for, as
// in a GEMM's prologue or before each slice of a single-buffered loop.
//
// Method: every SM runs one block. Its warps wait at a barrier for a tick of the GPU-wide
// nanosecond counter, so that all SMs begin together without speaking to each other; each warp then
// issues `loads` independent loads and waits for them. Cycles from the first issue of the block to
// the last arrival, mean over the bursts of a launch, median over SMs. Each burst reads lines that
// no other one has in flight, L1 bypassed (ld.cg).
//   x = warps x loads x 32 x width, what the SM asks for: 1 to 32 warps of one load, then 32 warps
//   of 2, 4, 8. One SM alone, and all at once.
//   ldg128, ldg32: 16 and 4 bytes a lane, side by side. ldg128_rows: 16 bytes, two lanes in each of
//   16 rows, the sectors of a slice of A with BK 8.
//   l2: a footprint of a quarter of L2 that all SMs have just read. dram: 64 times L2.
//   load_burst.shapes: the same bytes by few warps with many loads and by many with few.
//
// Expect on an H200 (no public value): one warp: the latency, 280 and 660 cycles and a few more for
// the slowest of the 32 lanes' sectors. Then a line over the bytes, whose slope is the SM's link
// (122 byte/cycle alone, 37 with all SMs: 64 KiB are 1750 cycles, DRAM 3600), and which starts
// above the mean latency: the last of n loads comes from the farthest slice of L2 (up to 450
// cycles, l2.latency.far).
//
// Pitfalls: ticks are 32 ns apart and every SM polls for them, so that SMs start up to 60 cycles
// apart, each by its own clock; bursts of SMs that were not there at a tick are fewer, so the first
// and the last two of a launch do not count; a period shorter than a burst would skip ticks, which
// costs time, not truth; address translation is warm in L2, in DRAM as far as 2 MiB pages are
// walked in order.
//
// ENTRY: load_burst.l2.one_sm.ldg32 | curve | cycle over byte | warps of one SM load 4 B a lane at once out of L2: first issue to last arrival, over the bytes asked for
// ENTRY: load_burst.l2.one_sm.ldg128 | curve | cycle over byte | warps of one SM load 16 B a lane at once out of L2: first issue to last arrival, over the bytes asked for
// ENTRY: load_burst.l2.one_sm.ldg128_rows | curve | cycle over byte | warps of one SM load 16 B a lane, two lanes a row, at once out of L2: first issue to last arrival, over the bytes asked for
// ENTRY: load_burst.l2.all_sms.ldg32 | curve | cycle over byte | warps of all SMs load 4 B a lane at once out of L2: first issue to last arrival on an SM, over the bytes that each asks for
// ENTRY: load_burst.l2.all_sms.ldg128 | curve | cycle over byte | warps of all SMs load 16 B a lane at once out of L2: first issue to last arrival on an SM, over the bytes that each asks for
// ENTRY: load_burst.l2.all_sms.ldg128_rows | curve | cycle over byte | warps of all SMs load 16 B a lane, two lanes a row, at once out of L2: first issue to last arrival on an SM, over the bytes that each asks for
// ENTRY: load_burst.dram.one_sm.ldg32 | curve | cycle over byte | warps of one SM load 4 B a lane at once out of DRAM: first issue to last arrival, over the bytes asked for
// ENTRY: load_burst.dram.one_sm.ldg128 | curve | cycle over byte | warps of one SM load 16 B a lane at once out of DRAM: first issue to last arrival, over the bytes asked for
// ENTRY: load_burst.dram.all_sms.ldg32 | curve | cycle over byte | warps of all SMs load 4 B a lane at once out of DRAM: first issue to last arrival on an SM, over the bytes that each asks for
// ENTRY: load_burst.dram.all_sms.ldg128 | curve | cycle over byte | warps of all SMs load 16 B a lane at once out of DRAM: first issue to last arrival on an SM, over the bytes that each asks for
// ENTRY: load_burst.shapes | table | bursts of 8 and 32 KiB an SM by few warps of many loads and many of few
#include "micro/text.hpp"

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/global_access.cuh"
#include "micro/microbenchmark.hpp"
#include "micro/window_read.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr int bursts = 16, uncounted = 2;  ///< of a launch; at its begin and at its end
constexpr unsigned period_ns = 8192;       ///< longer than any burst
constexpr unsigned row_lanes = 2, row_pitch = 4096, sector_bytes = 32;

struct BurstPlan {
  unsigned long long base;
  unsigned pieces;  ///< that one load of a warp reads, before the next sectors of the same rows
  unsigned piece_bytes;  ///< from one piece to the next
  unsigned turn_bytes;   ///< from a piece to the next sectors of its rows; 0: there are none
  unsigned turns;
  unsigned first;  ///< piece that the launch begins with
};

/// Leaves when the nanosecond counter has passed another multiple of the period.
__device__ __forceinline__ void wait_for_tick() {
  const unsigned long long tick = nanosecond_counter() / period_ns;
  while (nanosecond_counter() / period_ns == tick) {
  }
}

/// cycles[block]: sum over the counted bursts.
// SASS: kernel=burst_kernel.*ILi4ELi1ELb0E nested=1 LDG.32=1 spill=0
// SASS: kernel=burst_kernel.*ILi4ELi8ELb0E nested=1 LDG.32=8 spill=0
// SASS: kernel=burst_kernel.*ILi16ELi1ELb0E nested=1 LDG.128=1 spill=0
// SASS: kernel=burst_kernel.*ILi16ELi8ELb0E nested=1 LDG.128=8 spill=0
// SASS: kernel=burst_kernel.*ILi16ELi8ELb1E nested=1 LDG.128=8 spill=0
template <int Width, int Loads, bool InRows>
__global__ void __launch_bounds__(1024, 1)
    burst_kernel(long long* cycles, unsigned* sink, BurstPlan plan) {
  __shared__ unsigned long long first, last;
  const unsigned warps = gridDim.x * blockDim.x / 32, lane = threadIdx.x % 32;
  const unsigned long long base =
      plan.base + (InRows ? lane / row_lanes * row_pitch + lane % row_lanes * Width : lane * Width);
  unsigned piece = plan.first + (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned mixed = 0;
  long long sum = 0;
#pragma unroll 1
  for (int burst = 0; burst < bursts; ++burst) {
    unsigned long long address[Loads];
#pragma unroll
    for (int i = 0; i < Loads; ++i, piece += warps) {
      address[i] = base + static_cast<unsigned long long>(piece % plan.pieces) * plan.piece_bytes +
                   piece / plan.pieces % plan.turns * plan.turn_bytes;
      asm volatile("" : "+l"(address[i])::"memory");  // computed before the clock is read
    }
    if (threadIdx.x == 0) {
      first = ~0ull;
      last = 0;
      wait_for_tick();
    }
    // A warp runs on behind BAR.SYNC until it needs something, and a clock needs nothing: the
    // result of the barrier makes it wait.
    if (__syncthreads_or(0) != 0) return;
    unsigned words[Loads][Width / 4];
    const long long start = cycle_counter();
#pragma unroll
    for (int i = 0; i < Loads; ++i) load_global<Width, LoadPath::l2>(words[i], address[i]);
#pragma unroll
    for (int i = 0; i < Loads; ++i)
#pragma unroll
      for (int j = 0; j < Width / 4; ++j) mixed ^= words[i][j];
    // The compiler must not move the wait for the loads behind the clock read.
    asm volatile("" : "+r"(mixed)::"memory");
    const long long stop = cycle_counter();
    if (lane == 0) {
      atomicMin(&first, static_cast<unsigned long long>(start));
      atomicMax(&last, static_cast<unsigned long long>(stop));
    }
    __syncthreads();
    if (threadIdx.x == 0 && burst >= uncounted && burst < bursts - uncounted)
      sum += static_cast<long long>(last - first);
  }
  if (mixed == 0x9e3779b9u) *sink = mixed;
  if (threadIdx.x == 0) cycles[blockIdx.x] = sum;
}

using BurstKernel = void (*)(long long*, unsigned*, BurstPlan);

template <int Width, bool InRows>
BurstKernel kernel_of(int loads) {
  return loads == 1   ? burst_kernel<Width, 1, InRows>
         : loads == 2 ? burst_kernel<Width, 2, InRows>
         : loads == 4 ? burst_kernel<Width, 4, InRows>
                      : burst_kernel<Width, 8, InRows>;
}

/// How a warp's load lies.
struct BurstKind {
  const char* name;
  int width;
  bool in_rows;
  BurstKernel kernel(int loads) const {
    if (width == 4) return kernel_of<4, false>(loads);
    return in_rows ? kernel_of<16, true>(loads) : kernel_of<16, false>(loads);
  }
};
constexpr BurstKind word_loads{"ldg32", 4, false}, quad_loads{"ldg128", 16, false},
    row_loads{"ldg128_rows", 16, true};

struct Shape {
  int warps, loads;
};

class BurstBench {
 public:
  explicit BurstBench(Context& context, const DeviceBuffer<unsigned char>& buffer)
      : context_(context),
        buffer_(buffer),
        reader_(context, buffer),
        cycles_(context.sm_count()),
        sink_(1) {}

  /// Reads lie in `bytes` of the buffer, from `from` on; 0 where L2 keeps them: all SMs read them
  /// first then.
  void use(std::size_t from, std::size_t bytes, bool in_l2) {
    from_ = from;
    bytes_ = bytes;
    in_l2_ = in_l2;
  }
  /// Cycles from the first issue to the last arrival.
  Repetitions cycles(const BurstKind& kind, const Shape& shape, bool all_sms) {
    if (in_l2_) reader_.once(bytes_, context_.sm_count(), 0, warm_cycles());
    const int sms = all_sms ? context_.sm_count() : 1;
    return context_.repeat([&] {
      kind.kernel(shape.loads)<<<sms, 32 * shape.warps, 0, context_.stream()>>>(
          cycles_.data(), sink_.data(), plan_of(kind, shape, sms));
      check_launch("burst_kernel");
      std::vector<double> sums = cycles_.read(context_.stream());
      sums.resize(static_cast<std::size_t>(sms));
      return median(sums) / (bursts - 2 * uncounted);
    });
  }
  std::size_t bytes() const { return bytes_; }

 private:
  /// Every SM reads the whole footprint at 20 byte/cycle or more: what lies in the far partition of
  /// L2 is in the near one then, too.
  long long warm_cycles() const { return static_cast<long long>(bytes_ / 20); }
  BurstPlan plan_of(const BurstKind& kind, const Shape& shape, int sms) {
    const unsigned piece =
        kind.in_rows ? 32 / row_lanes * row_pitch : 32 * static_cast<unsigned>(kind.width);
    const auto pieces = static_cast<unsigned>(bytes_ / piece);
    const unsigned first = next_;
    next_ += static_cast<unsigned>(sms * shape.warps * shape.loads * bursts);
    return {reinterpret_cast<unsigned long long>(buffer_.data()) + from_,
            pieces,
            piece,
            kind.in_rows ? sector_bytes : 0,
            kind.in_rows ? row_pitch / sector_bytes : 1,
            first};
  }

  Context& context_;
  const DeviceBuffer<unsigned char>& buffer_;
  WindowReader reader_;
  BlockCycles cycles_;
  DeviceBuffer<unsigned> sink_;
  std::size_t from_ = 0, bytes_ = 0;
  bool in_l2_ = false;
  unsigned next_ = 0;
};

std::vector<Shape> shapes_of(bool quick) {
  if (quick) return {{1, 1}, {8, 1}, {32, 1}, {32, 8}};
  return {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {16, 1}, {32, 1}, {32, 2}, {32, 4}, {32, 8}};
}

void over_bytes(Context& context, BurstBench& bench, const BurstKind& kind, const char* level) {
  for (const bool all_sms : {false, true}) {
    std::vector<CurvePoint> points;
    for (const Shape& shape : shapes_of(context.quick())) {
      throw_if_interrupted();
      points.push_back(
          {32.0 * kind.width * shape.warps * shape.loads, bench.cycles(kind, shape, all_sms)});
    }
    context.curve(
        text("load_burst.{}.{}.{}", level, all_sms ? "all_sms" : "one_sm", kind.name), points,
        text("one block on each of {} SMs, 1 to 32 warps of one load, then of 2 to 8, ld.cg, all "
             "begin at a tick of the nanosecond counter, mean of {} bursts, median SM, footprint "
             "{} B",
             all_sms ? context.sm_count() : 1, bursts - 2 * uncounted, bench.bytes()));
  }
}

constexpr Shape same_bytes[] = {{2, 8}, {4, 4}, {8, 2}, {16, 1}, {8, 8}, {16, 4}, {32, 2}};

/// Cycles of ldg128 out of the level in use, alone and on all SMs, for each of the shapes.
std::vector<std::vector<double>> shape_cycles(BurstBench& bench) {
  std::vector<std::vector<double>> result;
  for (const Shape& shape : same_bytes)
    result.push_back({median(bench.cycles(quad_loads, shape, false).values),
                      median(bench.cycles(quad_loads, shape, true).values)});
  return result;
}

void publish_shapes(Context& context, const std::vector<std::vector<double>>& l2,
                    const std::vector<std::vector<double>>& dram) {
  Table table;
  table.columns = {"name", "warps", "loads", "L2, one SM", "L2, all SMs"};
  table.units = {"", "count", "count", "cycle", "cycle"};
  if (!dram.empty()) {
    table.columns.insert(table.columns.end(), {"DRAM, one SM", "DRAM, all SMs"});
    table.units.insert(table.units.end(), {"cycle", "cycle"});
  }
  table.method = "16 B a lane, side by side; as load_burst.l2.one_sm.ldg128";
  for (std::size_t i = 0; i < std::size(same_bytes); ++i) {
    const auto [warps, loads] = same_bytes[i];
    Table::Row row{text("{} warps of {} loads", warps, loads), {1.0 * warps, 1.0 * loads}};
    row.values.insert(row.values.end(), l2[i].begin(), l2[i].end());
    if (!dram.empty()) row.values.insert(row.values.end(), dram[i].begin(), dram[i].end());
    table.rows.push_back(row);
  }
  context.table("load_burst.shapes", table);
}

void skip_dram(Context& context, std::size_t l2_bytes, std::size_t usable) {
  for (const char* sms : {"one_sm", "all_sms"})
    for (const BurstKind& kind : {word_loads, quad_loads})
      context.skip(text("load_burst.dram.{}.{}", sms, kind.name),
                   text("needs {} B, 16 times L2; {} B are usable", 16 * l2_bytes, usable));
}

void run(Context& context) {
  const auto l2_bytes = static_cast<std::size_t>(context.device().properties().l2CacheSize);
  const std::size_t dram_bytes =
      std::min({64 * l2_bytes, std::size_t{4} << 30, context.free_bytes() / 2}) / 65536 * 65536;
  DeviceBuffer<unsigned char> buffer(dram_bytes);
  fill_random(context, buffer);
  BurstBench bench(context, buffer);

  bench.use(0, l2_bytes / 4 / 65536 * 65536, true);
  for (const BurstKind& kind : {word_loads, quad_loads, row_loads})
    over_bytes(context, bench, kind, "l2");
  const auto from_l2 = shape_cycles(bench);
  if (dram_bytes < 16 * l2_bytes) {
    publish_shapes(context, from_l2, {});
    return skip_dram(context, l2_bytes, dram_bytes);
  }
  // Neither what was just read nor what was filled last, which L2 may still hold.
  bench.use(2 * l2_bytes, dram_bytes - 4 * l2_bytes, false);
  for (const BurstKind& kind : {word_loads, quad_loads}) over_bytes(context, bench, kind, "dram");
  publish_shapes(context, from_l2, shape_cycles(bench));
}

const Register registered{{"load_burst", "bursts of global loads, waited for as one", 0.5, run}};

}  // namespace
}  // namespace rooftile::micro
