// Global stores: what one costs by how its 32 lanes lie, and what remains once it has issued.
//
// A pattern is what the epilogue of a tile writes: the lanes of a warp lie in `rows` rows of a
// matrix of 8 KiB rows, next to each other in a row `spacing` bytes apart; spacing / width stores
// in turn fill the gaps, then the next ones go on in the same rows. So each sector is written
// whole in the end, but by spacing / width stores, and 16 stores write a tile of 16 x 32 x width
// bytes that no other warp writes at the time.
//   cycles: blocks of 8 warps, one on an SM, store for a window of SM cycles after a warm-up (as in
//     window_read.cuh); SMs x window / stores of all warps. One SM alone: the SM's own path. All
//     SMs: no more than L2 takes. All tiles together lie in a third of L2.
//   kernel.*.over_stores: kernels of one block of 8 warps an SM that waits 2 us and then stores n
//     times a thread, queued behind a delay kernel: time of a kernel less that of one with n = 0.
//     Its end waits for its stores, so the first point is the drain (global_store.drain): from the
//     issue of a store to the grid's end, beyond what a kernel without stores takes.
//
// Expect on an H200 (no public value; this is what one measured): alone, a cycle for each sector
// that is written whole; where sectors are written in part a cycle for each sector and one for each
// line, 24 for STG.32 whose lanes lie 16 bytes apart in 8 rows (word stores of a thread tile of 8 x
// 8); half of that or less where a store touches four lines or fewer, which are merged with the
// stores that fill them. All SMs: 1.4 to 2.4 times as long, 19 byte/cycle/SM of whole sectors, half
// of what L2 delivers. Drain: 0.1 to 0.2 us, a way to L2 and back; another run may say twice as
// much.
//
// Pitfalls: stores that nobody waits for fill queues first, hence the warm-up; a window counts
// issued stores, of which as many are on their way at its begin as at its end; the same value is
// stored to the same place again and again, which no cache is known to drop; footprints beyond L2
// would measure DRAM; launches of empty kernels take as long as the front end needs, which would
// hide the drain, hence the wait inside; what is merged may depend on how many warps store at a
// time, here all 8 of them.
//
// ENTRY: global_store.patterns | table | cycles a warp store by width, rows and spacing of its lanes, one SM alone and all at once
// ENTRY: global_store.one_sm.stg32.over_rows | curve | cycle/inst over count | a warp's STG.32, words side by side, over the rows in which its lanes lie; one SM alone
// ENTRY: global_store.one_sm.stg64.over_rows | curve | cycle/inst over count | a warp's STG.64, side by side, over the rows in which its lanes lie; one SM alone
// ENTRY: global_store.one_sm.stg128.over_rows | curve | cycle/inst over count | a warp's STG.128, side by side, over the rows in which its lanes lie; one SM alone
// ENTRY: global_store.one_sm.stg32.over_spacing | curve | cycle/inst over byte | a warp's STG.32 in one row, over the distance of its lanes; one SM alone
// ENTRY: global_store.all_sms.stg32.over_rows | curve | cycle/inst over count | a warp's STG.32, words side by side, over the rows in which its lanes lie; all SMs at once
// ENTRY: global_store.all_sms.stg64.over_rows | curve | cycle/inst over count | a warp's STG.64, side by side, over the rows in which its lanes lie; all SMs at once
// ENTRY: global_store.all_sms.stg128.over_rows | curve | cycle/inst over count | a warp's STG.128, side by side, over the rows in which its lanes lie; all SMs at once
// ENTRY: global_store.all_sms.stg32.over_spacing | curve | cycle/inst over byte | a warp's STG.32 in one row, over the distance of its lanes; all SMs at once
// ENTRY: global_store.kernel.contiguous.over_stores | curve | s over count | what n STG.32 a thread, side by side, add to a kernel of 8 warps an SM
// ENTRY: global_store.kernel.rows.over_stores | curve | s over count | what n STG.32 a thread, lanes 16 bytes apart in 8 rows, add to a kernel of 8 warps an SM
// ENTRY: global_store.drain | metric | s | from the issue of a store to the end of its grid, beyond that of a kernel without stores
#include "micro/text.hpp"

#include <bit>

#include "gpu/cuda/probe.hpp"
#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/global_access.cuh"
#include "micro/microbenchmark.hpp"
#include "micro/random_fill.cuh"
#include "micro/timing.cuh"
#include "model/memory/wavefronts.hpp"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr int store_threads = 256;
constexpr int store_warps = store_threads / 32;
constexpr int tile_stores = 16;             ///< that fill a warp's tile
constexpr int most_stores = 64;             ///< of a thread in the kernels of one burst
constexpr unsigned pitch_bytes = 8192;      ///< of a row of the matrix: the widest tile
constexpr unsigned most_tiles_a_warp = 16;  ///< so that one SM alone soon comes round

/// How the lanes of a store lie.
struct StorePattern {
  int width, rows, spacing;  ///< bytes a lane, rows, bytes between lanes of a row
  int fill() const { return spacing / width; }
  LaneAddresses lanes() const {
    LaneAddresses result = strided_lanes(0);
    for (int lane = 0; lane < 32; ++lane)
      result.byte_offset[static_cast<std::size_t>(lane)] =
          lane / (32 / rows) * static_cast<int>(pitch_bytes) + lane % (32 / rows) * spacing;
    return result;
  }
  std::string name() const { return text("STG.{}, {} rows, {} B apart", 8 * width, rows, spacing); }
};

/// Tiles in a matrix; all sizes are powers of two.
struct TilePlan {
  unsigned long long base;
  unsigned row_lanes;   ///< lanes side by side in a row
  unsigned step_bytes;  ///< from a group of stores that fill each other's gaps to the next
  unsigned across;      ///< tiles side by side, as a power of two
  unsigned tile_rows;
  unsigned tiles;
  long long warm_cycles, window_cycles;
};

__device__ __forceinline__ unsigned long long lane_of_tile(const TilePlan& plan, unsigned tile,
                                                           unsigned spacing) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned row = (tile >> plan.across) * plan.tile_rows + lane / plan.row_lanes;
  const unsigned tile_bytes = pitch_bytes >> plan.across;
  const unsigned column =
      (tile & ((1u << plan.across) - 1)) * tile_bytes + lane % plan.row_lanes * spacing;
  return plan.base + static_cast<unsigned long long>(row) * pitch_bytes + column;
}

/// Stores of all warps in a cycle, each in its own window.
// SASS: kernel=store_window_kernel.*ILi4ELi1E STG.32=16 CS2R|CS2UR|S2UR=1 other<=60 spill=0
// SASS: kernel=store_window_kernel.*ILi4ELi8E STG.32=16 CS2R|CS2UR|S2UR=1 other<=40 spill=0
// SASS: kernel=store_window_kernel.*ILi8E STG.64=16 CS2R|CS2UR|S2UR=1 other<=60 spill=0
// SASS: kernel=store_window_kernel.*ILi16E STG.128=16 CS2R|CS2UR|S2UR=1 other<=60 spill=0
template <int Width, int Fill>
__global__ void __launch_bounds__(store_threads)
    store_window_kernel(double* stores_a_cycle, TilePlan plan) {
  unsigned words[Width / 4];
#pragma unroll
  for (int j = 0; j < Width / 4; ++j)
    words[j] = hash32((blockIdx.x * store_threads + threadIdx.x) * 4 + j);
  const unsigned warps = gridDim.x * store_warps;
  unsigned tile = (blockIdx.x * store_threads + threadIdx.x) / 32 % plan.tiles;
  const unsigned advance = warps % plan.tiles;
  long long now = cycle_counter(), start = now, deadline = now + plan.warm_cycles;
  unsigned filled = 0;
#pragma unroll 1
  for (int phase = 0; phase < 2; ++phase) {
    start = now;
    filled = 0;
#pragma unroll 1
    do {
      unsigned long long address = lane_of_tile(plan, tile, Width * Fill);
#pragma unroll
      for (int group = 0; group < tile_stores / Fill; ++group, address += plan.step_bytes) {
#pragma unroll
        for (int i = 0; i < Fill; ++i) store_global(address + i * Width, words);
      }
      tile += advance;
      if (tile >= plan.tiles) tile -= plan.tiles;
      ++filled;
      now = cycle_counter();
    } while (now < deadline);
    deadline = now + plan.window_cycles;
  }
  if (threadIdx.x % 32 == 0)
    atomicAdd(stores_a_cycle, 1.0 * filled * tile_stores / static_cast<double>(now - start));
}

/// Waits, then stores `stores` words a thread, `step_bytes` apart every `Fill`.
// SASS: kernel=store_burst_kernel.*ILi1E STG.32=1 other<=12 spill=0
// SASS: kernel=store_burst_kernel.*ILi4E STG.32=4 other<=12 spill=0
template <int Fill>
__global__ void __launch_bounds__(store_threads)
    store_burst_kernel(TilePlan plan, long long wait_cycles, int stores) {
  const unsigned warp = (blockIdx.x * store_threads + threadIdx.x) / 32;
  unsigned long long address =
      lane_of_tile(plan, warp * (most_stores / tile_stores) % plan.tiles, 4 * Fill);
  const unsigned words[1] = {hash32(warp * 32 + threadIdx.x)};
  const long long begin = cycle_counter();
  while (cycle_counter() - begin < wait_cycles) {
  }
#pragma unroll 1
  for (int left = stores; left > 0; left -= Fill, address += plan.step_bytes) {
#pragma unroll
    for (int i = 0; i < Fill; ++i) store_global(address + 4 * i, words);
  }
}

using WindowKernel = void (*)(double*, TilePlan);

WindowKernel window_kernel(const StorePattern& p) {
  if (p.width == 4)
    return p.fill() == 1   ? store_window_kernel<4, 1>
           : p.fill() == 2 ? store_window_kernel<4, 2>
           : p.fill() == 4 ? store_window_kernel<4, 4>
                           : store_window_kernel<4, 8>;
  if (p.width == 8)
    return p.fill() == 1   ? store_window_kernel<8, 1>
           : p.fill() == 2 ? store_window_kernel<8, 2>
                           : store_window_kernel<8, 4>;
  return p.fill() == 1 ? store_window_kernel<16, 1> : store_window_kernel<16, 2>;
}

class StoreBench {
 public:
  explicit StoreBench(Context& context) : context_(context), buffer_(footprint(context)), rate_(1) {
    fill_random(context, buffer_);
  }

  /// Cycles a warp store of an SM while `sms` of them store.
  Repetitions cycles(const StorePattern& pattern, int sms) {
    const TilePlan plan = plan_of(pattern, sms);
    return context_.repeat([&] {
      check(cudaMemsetAsync(rate_.data(), 0, rate_.size_bytes(), context_.stream()),
            "cudaMemsetAsync");
      window_kernel(pattern)<<<sms, store_threads, 0, context_.stream()>>>(rate_.data(), plan);
      check_launch("store_window_kernel");
      check(cudaStreamSynchronize(context_.stream()), "store_window_kernel");
      double stores_a_cycle = 0;
      rate_.download(&stores_a_cycle, 1);
      return sms / stores_a_cycle;
    });
  }

  /// Seconds of one of many kernels in a row on all SMs, each of which stores `stores` times.
  double kernel_seconds(const StorePattern& pattern, int stores) {
    const TilePlan plan = plan_of(pattern, context_.sm_count());
    const auto kernel = pattern.fill() == 1 ? store_burst_kernel<1> : store_burst_kernel<4>;
    const cudaStream_t stream = context_.stream();
    launch_delay(delay_ns, stream);
    start_.record(stream);
    for (int i = 0; i < queued; ++i)
      kernel<<<context_.sm_count(), store_threads, 0, stream>>>(plan, wait_cycles, stores);
    stop_.record(stream);
    check_launch("store_burst_kernel");
    stop_.synchronize();
    return stop_.seconds_since(start_) / queued;
  }
  std::size_t bytes() const { return buffer_.size(); }

  static constexpr int queued = 32;
  static constexpr long long wait_cycles = 4000;

 private:
  static constexpr unsigned delay_ns = 500'000;  // longer than the host needs for the launches

  /// A third of L2, a power of two rows of the matrix.
  static std::size_t footprint(Context& context) {
    const auto l2_bytes = static_cast<std::size_t>(context.device().properties().l2CacheSize);
    return std::bit_floor(std::max(l2_bytes / 3, std::size_t{1} << 20));
  }
  TilePlan plan_of(const StorePattern& p, int sms) const {
    const unsigned row_lanes = 32 / static_cast<unsigned>(p.rows);
    const unsigned step = row_lanes * static_cast<unsigned>(p.spacing);
    const unsigned tile_bytes = step * static_cast<unsigned>(tile_stores / p.fill());
    const auto all = static_cast<unsigned>(buffer_.size() / (tile_bytes * p.rows));
    return {reinterpret_cast<unsigned long long>(buffer_.data()),
            row_lanes,
            step,
            static_cast<unsigned>(std::countr_zero(pitch_bytes / tile_bytes)),
            static_cast<unsigned>(p.rows),
            std::min(all, most_tiles_a_warp * store_warps * static_cast<unsigned>(sms)),
            40'000,
            80'000};
  }

  Context& context_;
  DeviceBuffer<unsigned char> buffer_;
  DeviceBuffer<double> rate_;
  Event start_, stop_;
};

/// Lanes from side by side to a sector apart, in one row to a row each.
std::vector<StorePattern> patterns(bool quick) {
  constexpr int sector_bytes = 32;
  std::vector<StorePattern> result;
  for (const int width : {4, 8, 16})
    for (int rows = 1; rows <= 32; rows *= quick ? 8 : 2)
      for (int spacing = width; spacing <= sector_bytes; spacing *= quick ? 4 : 2)
        if (rows < 32 || spacing == width) result.push_back({width, rows, spacing});
  return result;
}

struct Measured {
  StorePattern pattern;
  Repetitions one_sm, all_sms;
};

void publish_table(Context& context, const std::vector<Measured>& all, const std::string& method) {
  Table table;
  table.columns = {"name", "width", "rows", "spacing", "lines", "sectors", "one SM", "all SMs"};
  table.units = {"", "byte", "count", "byte", "count", "count", "cycle/inst", "cycle/inst"};
  table.method = method;
  for (const auto& [p, one, every] : all) {
    const LaneAddresses at = p.lanes();
    table.rows.push_back({p.name(),
                          {1.0 * p.width, 1.0 * p.rows, 1.0 * p.spacing, 1.0 * lines(at),
                           1.0 * sectors(at, p.width), median(one.values), median(every.values)}});
  }
  context.table("global_store.patterns", table);
}

void publish_curves(Context& context, const std::vector<Measured>& all, const std::string& method) {
  for (const bool alone : {true, false}) {
    const std::string front = alone ? "global_store.one_sm." : "global_store.all_sms.";
    const auto select = [&](auto x_of) {
      std::vector<CurvePoint> points;
      for (const Measured& m : all)
        if (const double x = x_of(m.pattern); x > 0)
          points.push_back({x, alone ? m.one_sm : m.all_sms});
      return points;
    };
    for (const int width : {4, 8, 16})
      context.curve(text("{}stg{}.over_rows", front, 8 * width), select([&](const StorePattern& p) {
                      return p.width == width && p.fill() == 1 ? p.rows : 0;
                    }),
                    method);
    context.curve(front + "stg32.over_spacing", select([](const StorePattern& p) {
                    return p.width == 4 && p.rows == 1 ? p.spacing : 0;
                  }),
                  method);
  }
}

void over_patterns(Context& context, StoreBench& bench) {
  std::vector<Measured> all;
  for (const StorePattern& pattern : patterns(context.quick())) {
    throw_if_interrupted();
    all.push_back({pattern, bench.cycles(pattern, 1), bench.cycles(pattern, context.sm_count())});
  }
  const std::string method = text(
      "blocks of {} warps, one on an SM, cycles an instruction of an SM in a window of "
      "80000 cycles, tiles of {} stores inside {} B",
      store_warps, tile_stores, bench.bytes());
  publish_table(context, all, method);
  publish_curves(context, all, method);
}

void over_stores(Context& context, StoreBench& bench) {
  const std::string method = text(
      "{} kernels in a row, each one block of {} warps on each of {} SMs that waits {} cycles "
      "and stores n words a thread, less the same with n = 0",
      StoreBench::queued, store_warps, context.sm_count(), StoreBench::wait_cycles);
  const std::vector<int> counts =
      context.quick() ? std::vector{4, most_stores} : std::vector{4, 8, 16, 32, most_stores};
  const auto added = [&](const StorePattern& pattern, int stores) {
    return context.repeat(
        [&] { return bench.kernel_seconds(pattern, stores) - bench.kernel_seconds(pattern, 0); });
  };
  const auto curve = [&](const char* id, const StorePattern& pattern) {
    std::vector<CurvePoint> points;
    for (const int stores : counts) points.push_back({1.0 * stores, added(pattern, stores)});
    context.curve(id, points, method);
  };
  constexpr StorePattern contiguous{4, 1, 4}, in_rows{4, 8, 16};
  curve("global_store.kernel.contiguous.over_stores", contiguous);
  curve("global_store.kernel.rows.over_stores", in_rows);
  context.metric("global_store.drain", added(contiguous, 1), "median of differences",
                 method + "; n = 1, side by side");
}

void run(Context& context) {
  StoreBench bench(context);
  over_patterns(context, bench);
  over_stores(context, bench);
}

const Register registered{{"global_store", "global stores by how their lanes lie", 0.3, run}};

}  // namespace
}  // namespace rooftile::micro
