// Instruction caches: cycles an instruction over the length of a loop.
//
// ENTRY: instruction_cache.cycles.one_warp | curve | cycle/inst over byte | one warp on one SM, straight-line loop
// ENTRY: instruction_cache.cycles.four_warps | curve | cycle/inst over byte | four warps on one SM, each the same loop
// ENTRY: instruction_cache.capacity.first | metric | byte | longest loop before the first rise of cycles an instruction
// ENTRY: instruction_cache.capacity.second | metric | byte | longest loop before the second rise
// ENTRY: instruction_cache.capacity.third | metric | byte | longest loop before the third rise
//
// One long body of 256 KiB, in blocks of 1 KiB: 62 FFMA on 8 independent accumulators, a comparison
// and a branch back to the top that is taken in the last block of the loop only. So one kernel runs
// loops of 1 to 256 KiB, and every block costs the same but for its fetch. Cycles an instruction =
// cycles of two numbers of trips differenced / instructions. Loops of 1 and 2 KiB give what closing
// the loop costs; the knees are fitted (knees.hpp) to the curve of one warp without it. Levels are
// numbered, not named: the curve shows how many there are, not which unit holds them.
//
// Expect on an H200: 1.0 cycle and closing the loop (28 cycles a trip) up to about 32 KiB (a GEMM
// whose loop passed 34 KB was slower), the next rise near 128 KiB; no public value is known. Volta:
// 12 KiB (L0) and 128 KiB (L1.5), according to Jia et al., Dissecting the NVIDIA Volta GPU
// Architecture via Microbenchmarking, 2018.
//
// Pitfalls: for compute capability 8.0 the assembler makes each branch back a jump over a branch,
// so that a block has 65 instructions and a taken jump. A level that the fetch ahead hides has no
// knee here: straight-line code at one instruction a cycle asks for 16 B a cycle only, half of that
// on an SM with 64 lanes. The first trip fetches from DRAM: differencing takes it out. Code of
// other kernels and constants share the outer levels.
#include <array>

#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/knees.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/timing.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr int cache_blocks = 256;  ///< in the body
constexpr int block_bytes = 1024;
constexpr int block_instructions = 64;

// The body in PTX: from C++ the compiler would put the end of the loop 256 KiB behind its top.
// Block n (0 to 255, a constant expression): x0 to x7 in turn, 62 FFMA, and back to the top when
// the loop has n + 1 blocks.
#define ROOFTILE_FMA(n) "fma.rn.f32 %" #n ", %" #n ", %9, %10;\n"
#define ROOFTILE_FMA_6 \
  ROOFTILE_FMA(0) ROOFTILE_FMA(1) ROOFTILE_FMA(2) ROOFTILE_FMA(3) ROOFTILE_FMA(4) ROOFTILE_FMA(5)
#define ROOFTILE_FMA_8 ROOFTILE_FMA_6 ROOFTILE_FMA(6) ROOFTILE_FMA(7)
#define ROOFTILE_FMA_62                                                                     \
  ROOFTILE_FMA_8 ROOFTILE_FMA_8 ROOFTILE_FMA_8 ROOFTILE_FMA_8 ROOFTILE_FMA_8 ROOFTILE_FMA_8 \
      ROOFTILE_FMA_8 ROOFTILE_FMA_6
#define ROOFTILE_BLOCK(n) ROOFTILE_FMA_62 "setp.eq.s32 again, %11, " #n "+1;\n@again bra top;\n"
#define ROOFTILE_BLOCK_4(n) \
  ROOFTILE_BLOCK(n + 0) ROOFTILE_BLOCK(n + 1) ROOFTILE_BLOCK(n + 2) ROOFTILE_BLOCK(n + 3)
#define ROOFTILE_BLOCK_16(n) \
  ROOFTILE_BLOCK_4(n + 0) ROOFTILE_BLOCK_4(n + 4) ROOFTILE_BLOCK_4(n + 8) ROOFTILE_BLOCK_4(n + 12)
#define ROOFTILE_BLOCK_64(n) \
  ROOFTILE_BLOCK_16(n + 0)   \
  ROOFTILE_BLOCK_16(n + 16) ROOFTILE_BLOCK_16(n + 32) ROOFTILE_BLOCK_16(n + 48)

// SASS: kernel=instruction_cache_kernel nested=1 FFMA=15872 bytes>=262144 bytes<=262400 other<=530 spill=0 sm>=90
// SASS: kernel=instruction_cache_kernel nested=1 FFMA=15872 bytes>=262144 bytes<=266500 other<=780 spill=0
__global__ void __launch_bounds__(128)
    instruction_cache_kernel(long long* cycles, float* sink, unsigned seed, int blocks, int trips) {
  float x[8];
  const float a = unit_float(seed + threadIdx.x), b = unit_float(seed + 777 + threadIdx.x);
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = unit_float(seed + 1000 * (i + 1) + threadIdx.x);
  __syncthreads();
  const long long start = cycle_counter();
  asm volatile(
      "{\n.reg .pred again, done;\n"
      "top:\n"
      "sub.s32 %8, %8, 1;\n"
      "setp.lt.s32 done, %8, 0;\n"
      "@done bra end;\n" ROOFTILE_BLOCK_64(0) ROOFTILE_BLOCK_64(64) ROOFTILE_BLOCK_64(128)
          ROOFTILE_BLOCK_64(192) "end:\n}"
      : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]), "+f"(x[4]), "+f"(x[5]), "+f"(x[6]),
        "+f"(x[7]), "+r"(trips)
      : "f"(a), "f"(b), "r"(blocks));
  __syncthreads();
  const long long stop = cycle_counter();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += x[i];
  if (sum == 1.2345678e30f) *sink = sum;
  if (threadIdx.x == 0) cycles[0] = stop - start;
}

/// Cycles of one trip through `blocks` blocks.
class LoopTimer {
 public:
  LoopTimer(Context& context, int warps) : context_(context), warps_(warps), cycles_(1), sink_(1) {}

  Repetitions cycles_per_trip(int blocks) const {
    const auto launch = [&](int trips) {
      instruction_cache_kernel<<<1, 32 * warps_, 0, context_.stream()>>>(
          cycles_.data(), sink_.data(), 1u, blocks, trips);
      check_launch("instruction_cache_kernel");
    };
    constexpr int instructions_timed = 1 << 17;
    const int trips = std::max(4, instructions_timed / (block_instructions * blocks));
    return context_.repeat(
        [&] { return differenced(cycles_, context_.stream(), launch, 2, 2 + trips); });
  }

 private:
  Context& context_;
  int warps_;
  BlockCycles cycles_;
  DeviceBuffer<float> sink_;
};

/// Blocks of the loops timed: every KiB at first, then about 16 lengths a doubling.
std::vector<int> loop_lengths() {
  std::vector<int> lengths;
  for (int n = 1; n <= cache_blocks; n += n < 20 ? 1 : n < 40 ? 2 : n < 80 ? 4 : n < 160 ? 8 : 16)
    lengths.push_back(n);
  return lengths;
}

/// One curve and the cycles that closing the loop costs in it.
struct LoopCurve {
  std::vector<double> bytes;
  std::vector<Repetitions> trips;  ///< cycles a trip, one for each length
  double close_cycles = 0;

  double instructions(std::size_t i) const { return bytes[i] / block_bytes * block_instructions; }
  /// Cycles an instruction without the closing, of repetition r.
  std::vector<double> repetition(std::size_t r) const {
    std::vector<double> y;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      y.push_back((trips[i].values[r] - close_cycles) / instructions(i));
    return y;
  }
  std::vector<double> medians() const {
    std::vector<double> y;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      y.push_back((median(trips[i].values) - close_cycles) / instructions(i));
    return y;
  }
};

LoopCurve measure(Context& context, int warps) {
  const LoopTimer timer(context, warps);
  LoopCurve curve;
  for (const int blocks : loop_lengths()) {
    curve.bytes.push_back(1.0 * blocks * block_bytes);
    curve.trips.push_back(timer.cycles_per_trip(blocks));
  }
  // Two loops of the innermost level, one twice as long as the other.
  curve.close_cycles = 2 * median(curve.trips[0].values) - median(curve.trips[1].values);
  return curve;
}

void publish(Context& context, const char* id, const LoopCurve& curve, int warps) {
  std::vector<CurvePoint> points;
  for (std::size_t i = 0; i < curve.bytes.size(); ++i) {
    Repetitions y = curve.trips[i];
    for (double& value : y.values) value /= curve.instructions(i);
    points.push_back({curve.bytes[i], y});
  }
  context.curve(id, points,
                text("{} warps on one SM, FFMA in straight line, one comparison and branch a KiB; "
                     "includes closing the loop, {:.1f} cycles a trip",
                     warps, curve.close_cycles));
}

void capacities(Context& context, const LoopCurve& curve) {
  constexpr std::array ids = {"instruction_cache.capacity.first",
                              "instruction_cache.capacity.second",
                              "instruction_cache.capacity.third"};
  const KneeOptions options{.noise = 0.003, .min_rise = 0.02};
  const std::vector<Knee> knees =
      fit_steps(curve.bytes, curve.medians(), static_cast<int>(ids.size()), options);
  std::vector<std::vector<double>> curves;
  for (std::size_t r = 0; r < curve.trips.front().values.size(); ++r)
    curves.push_back(curve.repetition(r));
  const auto positions = knee_positions(curve.bytes, curves, knees, options);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (k >= knees.size()) {
      context.skip(ids[k], text("the curve of one warp has {} steps of more than {} % up to {} KiB",
                                knees.size(), 100 * options.min_rise, cache_blocks));
      continue;
    }
    if (const std::string why = why_no_step(positions[k].size(), curves.size()); !why.empty()) {
      context.skip(ids[k], why);
      continue;
    }
    const Knee& knee = knees[k];
    Repetitions found;
    found.values = positions[k];
    context.metric(ids[k], found, "median of fitted knees",
                   text("step {} of the curve of one warp: {:.3f} to {:.3f} cycles an instruction "
                        "between {:.0f} and {:.0f} B; 95 % interval of the fit {:.0f} to {:.0f} B",
                        k + 1, knee.before, knee.after, knee.position, knee.end, knee.lo, knee.hi),
                   Interval{knee.lo, knee.hi});
  }
}

void run(Context& context) {
  const LoopCurve one = measure(context, 1);
  publish(context, "instruction_cache.cycles.one_warp", one, 1);
  publish(context, "instruction_cache.cycles.four_warps", measure(context, 4), 4);
  capacities(context, one);
}

const Register registered{
    {"instruction_cache", "cycles an instruction over the length of a loop", 1.5, run}};

}  // namespace
}  // namespace rooftile::micro
