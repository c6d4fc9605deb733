// FFMA latency and throughput.
//
// ENTRY: ffma.latency | metric | cycle | dependent FFMA to FFMA
// ENTRY: ffma.throughput | metric | fma/cycle/SM | the best of the forms in ffma.throughput.forms
// ENTRY: ffma.throughput.over_warps | curve | fma/cycle/SM over count | one block an SM, 8x16 outer products
// ENTRY: ffma.throughput.over_ilp | curve | fma/cycle/SM over count | independent chains x = x * a + b a thread, one warp a sub-core
// ENTRY: ffma.throughput.forms | table | outer products by tile, steps a loop trip and warps an SM
//
// Latency: one warp, a chain x = x * a + b, timed at two lengths and differenced.
// Throughput: one block on every SM runs outer products in serpentine order (ffma_kernel.cuh);
// FMA an SM and cycle = 32 lanes x FFMA a warp x warps / cycles of the block, the median SM of two
// lengths differenced. Over ILP: 4 warps, 1 to 8 chains a thread, so 32 x 4 x min(1, chains /
// latency) is the limit.
//
// Expect on an H200: latency 4.0-4.1 cycles; throughput 126.4-126.5 of 128 from 8 warps on, 127.5
// being what the loop's own three instructions leave (1024 FFMA a trip). Fewer than 4 warps leave
// sub-cores empty: 1 warp gives at most a quarter. Over ILP: 32, 64, 95, 126 and level from 4
// chains on (no public value).
//
// Pitfalls: operand order decides (113 against 126, see ffma_kernel.cuh), and only the SASS shows
// it: read `.reuse`. Accumulators must not repeat within 4 FFMA. The loop must fit the instruction
// cache, and even then its first instructions are fetched anew each trip when it does not fit the
// innermost one: hence several loop lengths. Warps that do not divide evenly among 4 sub-cores give
// the rate of the fullest one.
#include "micro/ffma_kernel.cuh"

#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr int chain_unroll = 256;

// SASS: kernel=ffma_chains_kernel.*Li1E FFMA=256 other<=8 bytes<=32768 spill=0
// SASS: kernel=ffma_chains_kernel.*Li[2-8]E FFMA>=252 other<=8 bytes<=32768 spill=0
// SASS: kernel=ffma_chains_kernel.*Li[4-8]E FFMA>=252 ports>=97 sm=90
template <int Chains>
__global__ void ffma_chains_kernel(long long* cycles, float* sink, unsigned seed, int trips) {
  float x[Chains];
  // From data, not parameters: operands out of the constant bank would not use the register ports.
  const float a = unit_float(seed + threadIdx.x), b = unit_float(seed + 777 + threadIdx.x);
#pragma unroll
  for (int i = 0; i < Chains; ++i) x[i] = unit_float(seed + 1000 * (i + 1) + threadIdx.x);
  __syncthreads();
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < chain_unroll / Chains * Chains; ++i)
      x[i % Chains] = fmaf(x[i % Chains], a, b);
  }
  __syncthreads();
  const long long stop = cycle_counter();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < Chains; ++i) sum += x[i];
  if (sum == 1.2345678e30f) *sink = sum;
  if (threadIdx.x == 0) cycles[blockIdx.x] = stop - start;
}

// SASS: kernel=ffma_form_kernel FFMA>=256 other<=8 bytes<=32768 spill=0
// SASS: kernel=ffma_form_kernel FFMA>=256 ports>=98 sm=90
template <int Rows, int Columns, int Steps>
__global__ void __launch_bounds__(Rows* Columns > 64 ? 384 : 512)
    ffma_form_kernel(long long* cycles, float* sink, unsigned seed, int trips) {
  OuterProduct<Rows, Columns> product(seed);
  __syncthreads();
  const long long start = cycle_counter();
  product.template trips<Steps>(trips);
  __syncthreads();
  const long long stop = cycle_counter();
  product.keep(sink);
  if (threadIdx.x == 0) cycles[blockIdx.x] = stop - start;
}

using FfmaKernel = void (*)(long long*, float*, unsigned, int);

/// A kernel of either kind on every SM.
struct FfmaLoop {
  FfmaKernel kernel;
  int per_trip;  ///< FFMA a thread
};

/// FMA/cycle/SM of the median SM.
Repetitions rate(Context& context, const FfmaLoop& loop, int warps) {
  BlockCycles cycles(context.sm_count());
  DeviceBuffer<float> sink(1);
  const auto launch = [&](int trips) {
    loop.kernel<<<context.sm_count(), 32 * warps, 0, context.stream()>>>(cycles.data(), sink.data(),
                                                                         1u, trips);
    check_launch("FFMA loop");
  };
  // About the same number of cycles whatever the loop and the warps: 4 warps fill the sub-cores.
  constexpr int ffma_timed = 1 << 18;
  const int longer = 16 + ffma_timed / (loop.per_trip * std::max(warps / 4, 1));
  return context.repeat([&] {
    return 32.0 * warps * loop.per_trip / differenced(cycles, context.stream(), launch, 16, longer);
  });
}

void latency(Context& context) {
  BlockCycles cycles(1);
  DeviceBuffer<float> sink(1);
  const auto launch = [&](int trips) {
    ffma_chains_kernel<1><<<1, 32, 0, context.stream()>>>(cycles.data(), sink.data(), 1u, trips);
    check_launch("ffma_chains_kernel");
  };
  const Repetitions found = context.repeat(
      [&] { return differenced(cycles, context.stream(), launch, 16, 80) / chain_unroll; });
  context.metric("ffma.latency", found, "median of differences",
                 text("one warp, chain of {} dependent FFMA a loop trip, 16 and 80 trips "
                      "differenced",
                      chain_unroll));
}

void over_warps(Context& context) {
  std::vector<CurvePoint> points;
  const FfmaLoop loop{ffma_form_kernel<8, 16, 8>, 8 * 16 * 8};
  for (const int warps : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    points.push_back({static_cast<double>(warps), rate(context, loop, warps)});
  context.curve("ffma.throughput.over_warps", points,
                "one block on every SM, 8x16 outer products in serpentine order, median SM");
}

template <int Chains>
CurvePoint chains_point(Context& context) {
  const FfmaLoop loop{ffma_chains_kernel<Chains>, chain_unroll / Chains * Chains};
  return {static_cast<double>(Chains), rate(context, loop, 4)};
}

void over_ilp(Context& context) {
  const std::vector<CurvePoint> points = {chains_point<1>(context), chains_point<2>(context),
                                          chains_point<3>(context), chains_point<4>(context),
                                          chains_point<5>(context), chains_point<6>(context),
                                          chains_point<7>(context), chains_point<8>(context)};
  context.curve("ffma.throughput.over_ilp", points,
                "one block of 4 warps on every SM, 1 to 8 independent chains x = x * a + b a "
                "thread, median SM");
}

struct Form {
  std::string name;
  FfmaLoop loop;
};

template <int Rows, int Columns, int Steps>
Form form() {
  return {text("{}x{}, {} FFMA a trip", Rows, Columns, Rows * Columns * Steps),
          {ffma_form_kernel<Rows, Columns, Steps>, Rows * Columns * Steps}};
}

void throughput(Context& context) {
  const Form forms[] = {form<8, 8, 4>(),   form<8, 8, 8>(),  form<8, 8, 16>(), form<8, 16, 2>(),
                        form<8, 16, 4>(),  form<8, 16, 6>(), form<8, 16, 8>(), form<8, 16, 12>(),
                        form<8, 16, 15>(), form<16, 8, 15>()};
  Table table{
      {"name", "warps", "loop", "throughput"},
      {"", "count", "byte", "fma/cycle/SM"},
      {},
      "one block on every SM, outer products in serpentine order, median SM; loop: its FFMA "
      "x 16 B"};
  Repetitions best;
  std::string best_name;
  for (const Form& form : forms) {
    for (const int warps : {8, 12}) {
      const Repetitions found = rate(context, form.loop, warps);
      const double middle = median(found.values);
      const std::string name = text("{}, {} warps", form.name, warps);
      table.rows.push_back({name, {1.0 * warps, 16.0 * form.loop.per_trip, middle}});
      if (!best.values.empty() && middle <= median(best.values)) continue;
      best = found;
      best_name = name;
    }
  }
  context.table("ffma.throughput.forms", table);
  context.metric("ffma.throughput", best, "median of differences",
                 text("the fastest of {} forms: {}; median SM", table.rows.size(), best_name));
}

void run(Context& context) {
  latency(context);
  over_warps(context);
  over_ilp(context);
  throughput(context);
}

const Register registered{{"ffma", "FFMA latency and throughput", 0.4, run}};

}  // namespace
}  // namespace rooftile::micro
