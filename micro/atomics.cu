// Atomic additions: latency, and rate by how many addresses share them.
//
// Latency: one lane, the value returned is the next value added: two lengths differenced.
// Global rate: one block of 512 threads an SM on all SMs; lane l of warp w adds to word
//   (l x lane_step + w x warp_step + i x advance) mod words in its i-th instruction; instructions /
//   cycles of each warp in a window of SM cycles, added up. red returns nothing, atom the old
//   value, which the warp consumes after 8.
// Shared rate: one block of 512 threads; groups of k lanes share a word, the groups lie in
//   different banks; cycles an instruction at saturation, two lengths differenced.
//
// Expect on an H200: no public value. A global atomic's latency near that of an L2 load (280
// cycles); on one word the whole GPU serializes in one L2 slice; coalesced additions run at a
// fraction of the L2 bandwidth. Shared: 1 to 2 cycles an instruction without sharing, growing with
// the lanes that share a word.
//
// Pitfalls: additions of a constant to one address become one addition a warp when the compiler
// sees it (atomicAdd in C++): PTX with a value that differs by lane keeps them; an addition of 1 to
// shared memory has an instruction of its own. Rates are of warp instructions: times 32 for lanes.
//
// ENTRY: atomics.global.latency | metric | cycle | dependent atom.add.u32 by one lane on one word in L2
// ENTRY: atomics.shared.latency | metric | cycle | dependent atom.shared.add.u32 by one lane on one word
// ENTRY: atomics.global.red.one_word | metric | inst/cycle/SM | warp instructions red.add.u32, all lanes of the GPU on one word
// ENTRY: atomics.global.atom.one_word | metric | inst/cycle/SM | warp instructions atom.add.u32, all lanes of the GPU on one word
// ENTRY: atomics.global.red.coalesced | metric | inst/cycle/SM | warp instructions red.add.u32, each on a line of 4 MiB
// ENTRY: atomics.global.atom.coalesced | metric | inst/cycle/SM | warp instructions atom.add.u32, each on a line of 4 MiB
// ENTRY: atomics.global.red.over_words | curve | inst/cycle/SM over count | warp instructions red.add.u32 with consecutive lanes on consecutive words, over the words that the GPU shares
// ENTRY: atomics.shared.red.over_lanes_a_word | curve | cycle/inst over count | red.shared.add.u32 at saturation, over the lanes that share a word
// ENTRY: atomics.shared.atom.over_lanes_a_word | curve | cycle/inst over count | atom.shared.add.u32 at saturation, over the lanes that share a word
// ENTRY: atomics.global | table | global atomics by operation and pattern: warp instructions a cycle an SM and lanes a cycle of the GPU
#include "micro/text.hpp"

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/shared_access.cuh"
#include "micro/timing.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr int atomic_unroll = 8;
constexpr int atomic_threads = 512;
constexpr unsigned most_words = 1u << 20;
enum class Operation { red_u32, atom_u32, red_f32, atom_f32 };

template <Operation O>
__device__ __forceinline__ unsigned add_global(unsigned long long address, unsigned value) {
  unsigned old = 0;
  if constexpr (O == Operation::red_u32)
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
  else if constexpr (O == Operation::atom_u32)
    asm volatile("atom.global.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(address), "r"(value)
                 : "memory");
  else if constexpr (O == Operation::red_f32)
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(address), "f"(__uint_as_float(value))
                 : "memory");
  else {
    float before;
    asm volatile("atom.global.add.f32 %0, [%1], %2;"
                 : "=f"(before)
                 : "l"(address), "f"(__uint_as_float(value))
                 : "memory");
    old = __float_as_uint(before);
  }
  return old;
}

template <bool Returns>
__device__ __forceinline__ unsigned add_shared(unsigned address, unsigned value) {
  unsigned old = 0;
  if constexpr (Returns)
    asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "r"(address), "r"(value)
                 : "memory");
  else
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
  return old;
}

// SASS: kernel=atomic_chain_kernel.*Lb0E ATOMG.ADD|ATOM.ADD=8 other<=6 spill=0
// SASS: kernel=atomic_chain_kernel.*Lb1E ATOMS.ADD=8 other<=6 spill=0
template <bool Shared>
__global__ void atomic_chain_kernel(long long* cycles, unsigned* word, unsigned* sink, int trips) {
  __shared__ unsigned local[32];
  // An address that the compiler must take to differ by lane: else it adds up the warp's values
  // with shuffles first.
  local[threadIdx.x] = 1;
  const unsigned near_address = shared_address(local + threadIdx.x);
  const unsigned long long far_address = __cvta_generic_to_global(word + threadIdx.x);
  unsigned value = 1;
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < atomic_unroll; ++i)
      value = Shared ? add_shared<true>(near_address, value)
                     : add_global<Operation::atom_u32>(far_address, value);
  }
  if (value == 0x9e3779b9u) *sink = value;  // waits for the chain's end
  cycles[0] = cycle_counter() - start;
}

struct Spread {
  unsigned words;  ///< a power of two
  unsigned lane_step, warp_step, advance;
};

// SASS: kernel=global_atomic_kernel.*Operation[E0]*0E RED.ADD|REDG.ADD=8 spill=0
// SASS: kernel=global_atomic_kernel.*Operation[E0]*1E ATOMG.ADD|ATOM.ADD=8 spill=0
// SASS: kernel=global_atomic_kernel.*Operation[E0]*2E RED.ADD|REDG.ADD=8 spill=0
// SASS: kernel=global_atomic_kernel.*Operation[E0]*3E ATOMG.ADD|ATOM.ADD=8 spill=0
template <Operation O>
__global__ void __launch_bounds__(atomic_threads)
    global_atomic_kernel(double* instructions_per_cycle, unsigned* words, unsigned* sink,
                         Spread spread, long long warm_cycles, long long window_cycles) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  unsigned at = lane * spread.lane_step + warp * spread.warp_step;
  // Small floats, all different; as integers different too.
  const unsigned value = __float_as_uint(unit_float(threadIdx.x) * 1e-6f);
  const unsigned long long base = __cvta_generic_to_global(words);
  unsigned sum = 0, trips = 0;
  long long now = cycle_counter(), start = now, deadline = now + warm_cycles;
#pragma unroll 1
  for (int phase = 0; phase < 2; ++phase) {
    start = now;
    trips = 0;
#pragma unroll 1
    do {
      unsigned old[atomic_unroll];
#pragma unroll
      for (int i = 0; i < atomic_unroll; ++i) {
        old[i] = add_global<O>(base + 4ull * (at & (spread.words - 1)), value);
        at += spread.advance;
      }
#pragma unroll
      for (int i = 0; i < atomic_unroll; ++i) sum ^= old[i];
      ++trips;
      now = cycle_counter();
    } while (now < deadline);
    deadline = now + window_cycles;
  }
  if (sum == 0x9e3779b9u) *sink = sum;
  if (lane == 0)
    atomicAdd(instructions_per_cycle,
              static_cast<double>(trips) * atomic_unroll / static_cast<double>(now - start));
}

// SASS: kernel=shared_atomic_kernel ATOMS.ADD=8 other<=24 spill=0
template <bool Returns>
__global__ void __launch_bounds__(atomic_threads)
    shared_atomic_kernel(long long* cycles, unsigned* sink, int lanes_a_word, int trips) {
  // Each warp has its own row, so that only the lanes of one instruction share a word.
  __shared__ unsigned words[atomic_threads];
  words[threadIdx.x] = 0;
  const unsigned lane = threadIdx.x % 32;
  const unsigned address =
      shared_address(words + threadIdx.x / 32 * 32 + lane / static_cast<unsigned>(lanes_a_word));
  const unsigned value = hash32(threadIdx.x);
  unsigned sum = 0;
  __syncthreads();
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
    unsigned old[atomic_unroll];
#pragma unroll
    for (int i = 0; i < atomic_unroll; ++i) old[i] = add_shared<Returns>(address, value);
#pragma unroll
    for (int i = 0; i < atomic_unroll; ++i) sum ^= old[i];
  }
  __syncthreads();
  const long long stop = cycle_counter();
  if (sum == 0x9e3779b9u) *sink = sum;
  if (threadIdx.x == 0) cycles[0] = stop - start;
}

constexpr unsigned latency_words = 64;

class AtomicBench {
 public:
  explicit AtomicBench(Context& context)
      : context_(context), cycles_(1), sink_(1), sum_(1), words_(most_words) {
    words_.fill_bytes(0);
  }

  /// Mean over words spread evenly: one word may lie in the near L2 partition or in the far one.
  template <bool Shared>
  Repetitions latency() {
    unsigned word = 0;
    const auto launch = [&](int trips) {
      atomic_chain_kernel<Shared><<<1, 1, 0, context_.stream()>>>(
          cycles_.data(), words_.data() + word, sink_.data(), trips);
      check_launch("atomic_chain_kernel");
    };
    return context_.repeat([&] {
      double sum = 0;
      for (word = 0; word < most_words; word += most_words / latency_words)
        sum += differenced(cycles_, context_.stream(), launch, 16, 48) / atomic_unroll;
      return sum / latency_words;
    });
  }

  /// Warp instructions a cycle an SM.
  template <Operation O>
  Repetitions rate(const Spread& spread) {
    throw_if_interrupted();
    return context_.repeat([&] {
      check(cudaMemsetAsync(sum_.data(), 0, sum_.size_bytes(), context_.stream()),
            "cudaMemsetAsync");
      global_atomic_kernel<O><<<context_.sm_count(), atomic_threads, 0, context_.stream()>>>(
          sum_.data(), words_.data(), sink_.data(), spread, 300'000, 1'000'000);
      check_launch("global_atomic_kernel");
      check(cudaStreamSynchronize(context_.stream()), "global_atomic_kernel");
      double sum = 0;
      sum_.download(&sum, 1);
      return sum / context_.sm_count();
    });
  }

  template <bool Returns>
  std::vector<CurvePoint> shared_over_lanes() {
    std::vector<CurvePoint> points;
    for (const int lanes : {1, 2, 4, 8, 16, 32}) {
      const auto launch = [&](int trips) {
        shared_atomic_kernel<Returns><<<1, atomic_threads, 0, context_.stream()>>>(
            cycles_.data(), sink_.data(), lanes, trips);
        check_launch("shared_atomic_kernel");
      };
      points.push_back({static_cast<double>(lanes), context_.repeat([&] {
                          return differenced(cycles_, context_.stream(), launch, 16, 144) /
                                 (atomic_unroll * atomic_threads / 32);
                        })});
    }
    return points;
  }

 private:
  Context& context_;
  BlockCycles cycles_;
  DeviceBuffer<unsigned> sink_;
  DeviceBuffer<double> sum_;
  DeviceBuffer<unsigned> words_;
};

struct NamedSpread {
  const char* name;
  Spread spread;
};

// The warps step through the words by an odd number of lines, so that two meet rarely.
constexpr unsigned line_words = 32;
constexpr NamedSpread one_word{"one word", {1, 0, 0, 0}};
constexpr NamedSpread coalesced{"coalesced", {most_words, 1, line_words, 4099 * line_words}};
constexpr NamedSpread spreads[] = {
    one_word,
    {"one line", {line_words, 1, 0, 0}},
    {"one word a warp", {most_words, 0, line_words, 4099 * line_words}},
    coalesced,
    {"one sector a lane", {most_words, 8, 8 * line_words, 4099 * line_words}},
};

template <Operation O>
void add_rows(Context& context, AtomicBench& bench, const char* operation, Table& table) {
  for (const NamedSpread& named : spreads) {
    const double rate = median(bench.rate<O>(named.spread).values);
    table.rows.push_back(
        {text("{}, {}", operation, named.name),
         {static_cast<double>(named.spread.words), rate, rate * 32 * context.sm_count()}});
  }
}

void global_rates(Context& context, AtomicBench& bench) {
  const std::string method =
      text("one block of {} threads an SM, all SMs, window of SM cycles", atomic_threads);
  context.metric("atomics.global.red.one_word", bench.rate<Operation::red_u32>(one_word.spread),
                 "median", method);
  context.metric("atomics.global.atom.one_word", bench.rate<Operation::atom_u32>(one_word.spread),
                 "median", method);
  context.metric("atomics.global.red.coalesced", bench.rate<Operation::red_u32>(coalesced.spread),
                 "median", method);
  context.metric("atomics.global.atom.coalesced", bench.rate<Operation::atom_u32>(coalesced.spread),
                 "median", method);
  std::vector<CurvePoint> points;
  for (unsigned words = 1; words <= most_words; words *= words < 64 ? 2 : 4)
    points.push_back(
        {static_cast<double>(words), bench.rate<Operation::red_u32>({words, 1, line_words, 0})});
  context.curve("atomics.global.red.over_words", points, method);
  Table table;
  table.columns = {"name", "words", "instructions", "lanes"};
  table.units = {"", "count", "inst/cycle/SM", "count"};
  table.method = method + "; lanes: additions a cycle of the whole GPU";
  add_rows<Operation::red_u32>(context, bench, "red.u32", table);
  add_rows<Operation::atom_u32>(context, bench, "atom.u32", table);
  add_rows<Operation::red_f32>(context, bench, "red.f32", table);
  add_rows<Operation::atom_f32>(context, bench, "atom.f32", table);
  context.table("atomics.global", std::move(table));
}

void run(Context& context) {
  AtomicBench bench(context);
  context.metric(
      "atomics.global.latency", bench.latency<false>(), "median of differences",
      text("one lane, the value returned is added next; mean of {} words", latency_words));
  context.metric(
      "atomics.shared.latency", bench.latency<true>(), "median of differences",
      text("one lane, the value returned is added next; mean of {} words", latency_words));
  const std::string method =
      text("one block of {} threads, each warp on words of its own", atomic_threads);
  context.curve("atomics.shared.red.over_lanes_a_word", bench.shared_over_lanes<false>(), method);
  context.curve("atomics.shared.atom.over_lanes_a_word", bench.shared_over_lanes<true>(), method);
  global_rates(context, bench);
}

const Register registered{{"atomics", "global and shared atomic additions", 0.8, run}};

}  // namespace
}  // namespace rooftile::micro
