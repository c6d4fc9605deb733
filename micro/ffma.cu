// FFMA latency and throughput.
//
// Latency: one warp, a chain x = x * a + b, timed at two lengths and differenced.
// Throughput: one block an SM runs 8x16 outer products (ffma_kernel.cuh); FMA an SM and cycle =
// 32 lanes x FFMA a warp x warps / cycles of the block, the median over blocks of two lengths
// differenced.
//
// Expect on an H200: latency 4.0-4.1 cycles; throughput 126.4 of 128 from 8 warps on. Fewer than 4
// warps leave sub-cores empty: 1 warp gives at most a quarter.
//
// Pitfalls: operand order decides (113 against 126, see ffma_kernel.cuh), and only the SASS shows
// it: read `.reuse`. Accumulators must not repeat within 4 FFMA. The loop must fit the instruction
// cache.
//
// ENTRY: ffma.latency | metric | cycle | dependent FFMA to FFMA
// ENTRY: ffma.throughput | metric | fma/cycle/SM | independent FFMA without operand-port conflicts
// ENTRY: ffma.throughput.over_warps | curve | fma/cycle/SM over count | FFMA rate over resident warps an SM
#include "micro/ffma_kernel.cuh"

#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr int chain_unroll = 256;

// SASS: kernel=ffma_latency_kernel FFMA>=256 other<=8 bytes<=32768 spill=0
__global__ void ffma_latency_kernel(long long* cycles, float* sink, float a, float b, int trips) {
  float x = a;
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < chain_unroll; ++i) x = fmaf(x, a, b);
  }
  const long long stop = cycle_counter();
  if (x == 1.2345678e30f) *sink = x;
  cycles[blockIdx.x] = stop - start;
}

void latency(Context& context) {
  BlockCycles cycles(1);
  DeviceBuffer<float> sink(1);
  const auto launch = [&](int trips) {
    ffma_latency_kernel<<<1, 32, 0, context.stream()>>>(cycles.data(), sink.data(), 0.75f, 0.25f,
                                                        trips);
    check_launch("ffma_latency_kernel");
  };
  const Repetitions found = context.repeat(
      [&] { return differenced(cycles, context.stream(), launch, 16, 64) / chain_unroll; });
  context.metric("ffma.latency", found, "median of differences",
                 text("one warp, chain of {} dependent FFMA a loop trip, 16 and 64 trips "
                      "differenced",
                      chain_unroll));
}

Repetitions rate(Context& context, int warps) {
  const int blocks = context.sm_count();
  DeviceBuffer<LoadTimes> times(static_cast<std::size_t>(blocks));
  DeviceBuffer<float> sink(1);
  const auto cycles_of = [&](int trips) {
    ffma_throughput_kernel<<<blocks, 32 * warps, 0, context.stream()>>>(times.data(), sink.data(),
                                                                        1u, trips);
    check_launch("ffma_throughput_kernel");
    return static_cast<double>(slowest(times, context.stream()).cycles);
  };
  // About the same number of cycles whatever the warps: 4 warps fill the sub-cores.
  const int shorter = 16, longer = shorter + 512 / std::max(warps / 4, 1);
  return context.repeat([&] {
    const double base = cycles_of(shorter);
    return 32.0 * warps * ffma_per_trip * (longer - shorter) / (cycles_of(longer) - base);
  });
}

void throughput(Context& context) {
  std::vector<CurvePoint> points;
  const CurvePoint* best = nullptr;
  for (const int warps : {1, 2, 3, 4, 5, 6, 8, 10, 12})
    points.push_back({static_cast<double>(warps), rate(context, warps)});
  for (const CurvePoint& point : points) {
    if (point.x >= 8 && (!best || median(point.y.values) > median(best->y.values))) best = &point;
  }
  context.curve("ffma.throughput.over_warps", points,
                "one block an SM, 8x16 outer product in serpentine order, slowest block");
  context.metric("ffma.throughput", best->y, "median of differences",
                 text("{:.0f} warps an SM, the best of 8, 10 and 12; slowest block", best->x));
}

void run(Context& context) {
  latency(context);
  throughput(context);
}

const Register registered{{"ffma", "FFMA latency and throughput", 0.2, run}};

}  // namespace
}  // namespace rooftile::micro
