// Tensor-map tile loads (cp.async.bulk.tensor.2d) from global to shared memory: latency and
// bandwidth over the box, by swizzle, and over bytes in flight (ring_copy.cuh).
//
// The source is a row-major matrix of 4-byte words with rows of 8 KiB, a quarter of L2 in all; each
// warp walks through all of its tiles. Latency: one tile at a time, from its start to the poll that
// sees it arrived. Bandwidth: byte/cycle/SM in a window of SM cycles. Little's law as in
// bulk_copy.cu. Each box's tile is first compared, word by word, with the matrix, at the place that
// the swizzle's formula gives (tensor_map.hpp): a wrong map publishes no speed.
//
// Expect on an H200: no public value for this quantity over boxes. Latency 385 cycles for a
// small box (a load from L2 takes 280), growing with the rows; all SMs at most l2.bandwidth.read /
// SMs, 37 byte/cycle/SM; the swizzle costs nothing in itself, but it limits a box's row to its
// span: rows of 32 B make a request of one sector each.
//
// Pitfalls: a box row is at most 256 elements, and at most the span of its swizzle; slots are
// aligned to 1024 B; boxes below about 2 KiB are bound by the issue (tma_tile.issue_interval). The
// descriptor is fetched once and then cached: the first loads are in both lengths and cancel.
//
// ENTRY: tma_tile.latency | metric | cycle | one box of 32 x 128 B, swizzle 128, at a time out of L2, from its start to the poll that sees it arrived
// ENTRY: tma_tile.latency.over_box | curve | cycle over byte | the same over the box: rows of 128 B, swizzle 128
// ENTRY: tma_tile.issue_interval | metric | cycle | cycles between boxes of 1 x 16 B started by one lane, wait and announcement included
// ENTRY: tma_tile.bandwidth | metric | byte/cycle/SM | all SMs out of L2, boxes of 64 x 128 B, swizzle 128, up to 128 KiB in flight an SM
// ENTRY: tma_tile.one_sm.bandwidth | metric | byte/cycle/SM | one SM alone, boxes of 64 x 128 B, swizzle 128, up to 128 KiB in flight
// ENTRY: tma_tile.none.bandwidth.over_box | curve | byte/cycle/SM over byte | all SMs, no swizzle, rows of 128 B, up to 64 KiB in flight, over the bytes of a box
// ENTRY: tma_tile.swizzle32.bandwidth.over_box | curve | byte/cycle/SM over byte | all SMs, swizzle 32, rows of 32 B, up to 64 KiB in flight, over the bytes of a box
// ENTRY: tma_tile.swizzle64.bandwidth.over_box | curve | byte/cycle/SM over byte | all SMs, swizzle 64, rows of 64 B, up to 64 KiB in flight, over the bytes of a box
// ENTRY: tma_tile.swizzle128.bandwidth.over_box | curve | byte/cycle/SM over byte | all SMs, swizzle 128, rows of 128 B, up to 64 KiB in flight, over the bytes of a box
// ENTRY: tma_tile.bandwidth.over_bytes_in_flight | curve | byte/cycle/SM over byte | all SMs, boxes of 16 x 128 B, swizzle 128, over bytes in flight an SM
// ENTRY: tma_tile.one_sm.bandwidth.over_bytes_in_flight | curve | byte/cycle/SM over byte | one SM alone, boxes of 16 x 128 B, swizzle 128, over bytes in flight
// ENTRY: tma_tile.one_sm.littles_law | curve | 1 over byte | bandwidth of one SM x latency of such a box / bytes in flight, over bytes in flight
// ENTRY: tma_tile.boxes | table | latency and all-SM bandwidth of boxes of 8 KiB by row length and swizzle
#include "micro/ring_copy.cuh"

#include "micro/text.hpp"

#include "gpu/interrupt.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/tensor_map.hpp"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr unsigned row_words = 2048;
constexpr const char* method_latency =
    "one thread, one box at a time, arrival polled by test_wait, rows of 128 B, swizzle 128";

struct TileSource {
  const CUtensorMap* map;
  unsigned box_words, box_rows, rows;
  unsigned column, row;

  __device__ void start(unsigned warp, unsigned warps) {
    const unsigned across = row_words / box_words, tiles = across * (rows / box_rows);
    const auto tile = static_cast<unsigned>(static_cast<unsigned long long>(warp) * tiles / warps);
    column = tile % across * box_words;
    row = tile / across * box_rows;
  }
  __device__ void copy([[maybe_unused]] unsigned slot, [[maybe_unused]] unsigned barrier) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes"
        " [%0], [%1, {%2, %3}], [%4];" ::"r"(slot),
        "l"(map), "r"(column), "r"(row), "r"(barrier)
        : "memory");
#endif
    column += box_words;
    if (column == row_words) {
      column = 0;
      row += box_rows;
      if (row == rows) row = 0;
    }
  }
};

// SASS: kernel=tile_window_kernel UTMALDG.2D=1 SYNCS.ARRIVE=1 SYNCS.PHASECHK=2 other<=72 nested=1 spill=0 sm>=90
__global__ void tile_window_kernel(const __grid_constant__ CUtensorMap map, TileSource source,
                                   RingPlan plan, RingSums* sums) {
  source.map = &map;
  ring_window(source, plan, sums);
}

// SASS: kernel=tile_chain_kernel UTMALDG.2D=1 SYNCS.ARRIVE=1 SYNCS.PHASECHK=1 other<=48 nested=1 spill=0 sm>=90
__global__ void tile_chain_kernel(const __grid_constant__ CUtensorMap map, TileSource source,
                                  unsigned bytes, long long* cycles, unsigned* gave_up, int trips) {
  source.map = &map;
  ring_chain(source, bytes, cycles, gave_up, trips);
}

/// Loads one tile from the middle of the matrix and counts the words that are not where the
/// swizzle's formula puts them.
__global__ void tile_verify_kernel(const __grid_constant__ CUtensorMap map, TileSource source,
                                   const unsigned* words, Swizzle swizzle, unsigned* wrong) {
  __shared__ unsigned long long barrier;
  const unsigned slot = first_slot(), bytes = 4 * source.box_words * source.box_rows;
  source.map = &map;
  source.start(2, 3);
  const unsigned column = source.column, row = source.row;
  if (threadIdx.x == 0) {
    mbarrier_init(shared_address(&barrier), 1);
    fence_async_proxy();
    mbarrier_arrive_expect(shared_address(&barrier), bytes);
    source.copy(slot, shared_address(&barrier));
    if (!wait_suspending(shared_address(&barrier), 0)) atomicAdd(wrong, 1u << 30);
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
    unsigned word[1];
    load_shared<4>(word, slot + swizzled(4 * i, swizzle));
    const unsigned r = row + i / source.box_words, c = column + i % source.box_words;
    if (word[0] != words[static_cast<unsigned long long>(r) * row_words + c]) atomicAdd(wrong, 1u);
  }
}

/// Rows of the matrix: a quarter of L2, rounded down to whole boxes of the highest kind.
unsigned matrix_rows(Context& context) {
  const auto bytes = static_cast<std::size_t>(context.device().properties().l2CacheSize) / 4;
  return std::max(1024u, static_cast<unsigned>(bytes / (4 * row_words) / 256 * 256));
}

class TileBench {
 public:
  TileBench(Context& context, TensorMapEncoder encode)
      : context_(context),
        encode_(encode),
        timer_(context),
        rows_(matrix_rows(context)),
        buffer_(std::size_t{4} * row_words * rows_) {
    fill_random(context, buffer_);
    const auto most = static_cast<int>(context.shared_bytes_per_block());
    allow(reinterpret_cast<const void*>(tile_window_kernel), most);
    allow(reinterpret_cast<const void*>(tile_chain_kernel), most);
    allow(reinterpret_cast<const void*>(tile_verify_kernel), most - 1024);
  }

  Repetitions bandwidth(const Box& box, unsigned slots, int blocks) {
    const RingPlan plan = RingPlan::of(box.bytes(), slots, 1, slot_alignment);
    const CUtensorMap tiles = map(box);
    return timer_.bandwidth(
        plan, blocks, "tile_window_kernel", [&](const RingPlan& p, int n, RingSums* sums) {
          const std::size_t shared =
              std::max(p.shared_bytes(), context_.shared_bytes_per_block() / 2 + 4096);
          tile_window_kernel<<<n, 32, shared, context_.stream()>>>(tiles, source(box), p, sums);
        });
  }

  Repetitions latency(const Box& box) {
    const CUtensorMap tiles = map(box);
    return timer_.latency(box.bytes(), "tile_chain_kernel",
                          [&](unsigned n, int trips, long long* cycles, unsigned* gave_up) {
                            tile_chain_kernel<<<1, 1, n + 2 * slot_alignment, context_.stream()>>>(
                                tiles, source(box), n, cycles, gave_up, trips);
                          });
  }

  /// Throws where a word is not at its place.
  void verify(const Box& box) {
    DeviceBuffer<unsigned> wrong(1);
    wrong.fill_bytes(0);
    tile_verify_kernel<<<1, 256, box.bytes() + slot_alignment, context_.stream()>>>(
        map(box), source(box), reinterpret_cast<const unsigned*>(buffer_.data()), box.swizzle,
        wrong.data());
    check_launch("tile_verify_kernel");
    check(cudaStreamSynchronize(context_.stream()), "tile_verify_kernel");
    unsigned count = 0;
    wrong.download(&count, 1);
    if (count != 0)
      throw std::runtime_error(text("boxes of {} x {} B, swizzle {}: {} words are wrong", box.rows,
                                    box.row_bytes, static_cast<int>(box.swizzle), count));
  }

  unsigned slots(unsigned in_flight_bytes, const Box& box) const {
    return timer_.slots(in_flight_bytes, box.bytes(), 1, slot_alignment);
  }
  std::size_t footprint() const { return buffer_.size(); }

 private:
  static void allow(const void* kernel, int bytes) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
          "cudaFuncSetAttribute");
  }
  CUtensorMap map(const Box& box) {
    return word_matrix_map(encode_, buffer_.data(), row_words, rows_, box);
  }
  TileSource source(const Box& box) const {
    return {nullptr, box.row_bytes / 4, box.rows, rows_ / box.rows * box.rows, 0, 0};
  }

  Context& context_;
  TensorMapEncoder encode_;
  RingTimer timer_;
  unsigned rows_;
  DeviceBuffer<unsigned char> buffer_;
};

/// Boxes of 1 to 32 KiB: rows as long as the swizzle allows (128 B without), at most 256 of them.
void over_box(Context& context, TileBench& bench, const char* id, unsigned row_bytes,
              Swizzle swizzle) {
  std::vector<CurvePoint> points;
  for (unsigned rows = 8; rows <= 256; rows *= 2) {
    throw_if_interrupted();
    const Box box{row_bytes, rows, swizzle};
    bench.verify(box);
    points.push_back({static_cast<double>(box.bytes()),
                      bench.bandwidth(box, bench.slots(65536, box), context.sm_count())});
  }
  context.curve(id, points,
                text("one warp a block, rows of {} B, a ring of at most 128 slots at multiples of "
                     "{} B, footprint {} B; tiles compared with their source",
                     row_bytes, slot_alignment, bench.footprint()));
}

void latencies(Context& context, TileBench& bench) {
  std::vector<CurvePoint> points;
  for (unsigned rows = 1; rows <= 256; rows *= 2) {
    const Box box{128, rows, Swizzle::b128};
    points.push_back({static_cast<double>(box.bytes()), bench.latency(box)});
    if (rows == 32)
      context.metric("tma_tile.latency", points.back().y, "median of differences",
                     text("{}, 32 rows", method_latency));
  }
  context.curve("tma_tile.latency.over_box", points, method_latency);
}

void over_bytes_in_flight(Context& context, TileBench& bench) {
  const Box box{128, 16, Swizzle::b128};
  std::vector<CurvePoint> all, one;
  for (const unsigned slots : {1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 24u, 32u, 48u, 64u, 96u}) {
    throw_if_interrupted();
    if (bench.slots(slots * box.bytes(), box) != slots) break;
    const double in_flight = static_cast<double>(slots) * box.bytes();
    all.push_back({in_flight, bench.bandwidth(box, slots, context.sm_count())});
    one.push_back({in_flight, bench.bandwidth(box, slots, 1)});
  }
  const double latency = median(bench.latency(box).values);
  const std::string method =
      text("one warp a block, boxes of 16 x 128 B, swizzle 128, footprint {} B", bench.footprint());
  context.curve("tma_tile.bandwidth.over_bytes_in_flight", all, method + ", all SMs");
  context.curve("tma_tile.one_sm.bandwidth.over_bytes_in_flight", one, method + ", one SM");
  context.curve("tma_tile.one_sm.littles_law", littles_law(one, latency),
                text("one SM, unloaded latency {:.0f} cycles: 1 where the latency binds, less "
                     "where bandwidth does",
                     latency));
}

/// 8 KiB by every row length and every swizzle that allows it.
void boxes(Context& context, TileBench& bench) {
  Table table;
  table.columns = {"name", "row", "rows", "swizzle", "latency", "bandwidth"};
  table.units = {"", "byte", "count", "byte", "cycle", "byte/cycle/SM"};
  table.method = text(
      "boxes of 8 KiB, {} B in flight; latency one at a time, one SM; bandwidth of "
      "all SMs; tiles compared with their source",
      65536);
  for (const Swizzle swizzle : {Swizzle::none, Swizzle::b32, Swizzle::b64, Swizzle::b128})
    for (unsigned row_bytes = 32; row_bytes <= 1024; row_bytes *= 2) {
      // A shorter row is legal under a swizzle, but no layout wants it.
      const auto span = static_cast<unsigned>(swizzle);
      if (span != 0 && row_bytes != span) continue;
      throw_if_interrupted();
      const Box box{row_bytes, 8192 / row_bytes, swizzle};
      bench.verify(box);
      const double latency = median(bench.latency(box).values);
      const double rate =
          median(bench.bandwidth(box, bench.slots(65536, box), context.sm_count()).values);
      table.rows.push_back({text("{} x {} B swizzle {}", box.rows, row_bytes, span),
                            {static_cast<double>(row_bytes), static_cast<double>(box.rows),
                             static_cast<double>(span), latency, rate}});
    }
  context.table("tma_tile.boxes", std::move(table));
}

void single_values(Context& context, TileBench& bench) {
  context.metric("tma_tile.issue_interval",
                 reciprocal(16, bench.bandwidth({16, 1, Swizzle::none}, 64, 1)), "median",
                 "one lane of one SM, 64 boxes of 1 x 16 B in flight");
  const Box box{128, 64, Swizzle::b128};
  const unsigned slots = bench.slots(131072, box);
  const std::string method =
      text("window of SM cycles, {} boxes of 64 x 128 B, swizzle 128, in flight", slots);
  context.metric("tma_tile.bandwidth", bench.bandwidth(box, slots, context.sm_count()), "median",
                 method + text(", all SMs, footprint {} B", bench.footprint()));
  context.metric("tma_tile.one_sm.bandwidth", bench.bandwidth(box, slots, 1), "median",
                 method + ", one SM");
}

void run(Context& context) {
  const cudaDeviceProp& gpu = context.device().properties();
  if (gpu.major < 9)
    return context.close(
        State::skipped,
        text("tensor maps need compute capability 9.0, this GPU has {}.{}", gpu.major, gpu.minor));
  const auto encode = tensor_map_encoder();
  if (encode == nullptr)
    return context.close(State::skipped, "the driver has no cuTensorMapEncodeTiled");
  TileBench bench(context, encode);
  latencies(context, bench);
  over_box(context, bench, "tma_tile.none.bandwidth.over_box", 128, Swizzle::none);
  over_box(context, bench, "tma_tile.swizzle32.bandwidth.over_box", 32, Swizzle::b32);
  over_box(context, bench, "tma_tile.swizzle64.bandwidth.over_box", 64, Swizzle::b64);
  over_box(context, bench, "tma_tile.swizzle128.bandwidth.over_box", 128, Swizzle::b128);
  over_bytes_in_flight(context, bench);
  boxes(context, bench);
  single_values(context, bench);
}

const Register registered{{"tma_tile", "tensor-map tile loads from L2", 1, run}};

}  // namespace
}  // namespace rooftile::micro
