// mbarrier: what arriving and waiting cost, polled (test_wait) and suspending (try_wait).
//
// mbarrier.arrive: one lane arrives back to back at a barrier whose phase stays open; cycles an
//   arrive. mbarrier.arrive_warp: all 32 lanes arrive by one instruction.
// mbarrier.{test,try}_wait.done: a wait for a phase that is over, each followed by the branch on
//   its answer: what a wait costs that need not wait.
// mbarrier.{test,try}_wait.self: one lane arrives at a barrier of one arrival and waits for that.
// mbarrier.{test,try}_wait.round_trip: two warps, two barriers: A arrives at the first, B waits for
//   it and arrives at the second, A waits for that.
// mbarrier.{test,try}_wait.all.over_warps: one lane of each warp arrives and then waits for all:
//   bar.sync by other means; compare barrier.latency.over_warps.
// All: two lengths differenced.
//
// Expect on an H200: no public value. An arrive is a shared-memory atomic: some cycles apart; a
// round trip two arrives and two waits, of the order of 100 cycles.
//
// Pitfalls: a poll that just misses pays a whole poll more, so that results scatter by one poll
// (some 20 cycles); below 9.0 an arrive is a shared-memory atomic behind a block fence and a wait
// is an ordinary load; try_wait may suspend a warp past the event, so the two forms are separate
// entries.
//
// ENTRY: mbarrier.arrive | metric | cycle | arrives by one lane, back to back
// ENTRY: mbarrier.arrive_warp | metric | cycle | arrives by all 32 lanes in one instruction, back to back
// ENTRY: mbarrier.test_wait.done | metric | cycle | test_wait for a phase that is over, and the branch on it
// ENTRY: mbarrier.try_wait.done | metric | cycle | try_wait for a phase that is over, and the branch on it
// ENTRY: mbarrier.test_wait.self | metric | cycle | one lane arrives and polls for its own phase
// ENTRY: mbarrier.try_wait.self | metric | cycle | one lane arrives and waits for its own phase
// ENTRY: mbarrier.test_wait.round_trip | metric | cycle | two warps signal each other in turn, polled by test_wait
// ENTRY: mbarrier.try_wait.round_trip | metric | cycle | two warps signal each other in turn, waiting by try_wait
// ENTRY: mbarrier.test_wait.all.over_warps | curve | cycle over count | each warp arrives once and polls until all have, over the warps
// ENTRY: mbarrier.try_wait.all.over_warps | curve | cycle over count | each warp arrives once and waits until all have, over the warps
#include "micro/mbarrier.cuh"

#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/timing.cuh"

namespace rooftile::micro {
namespace {

constexpr int arrive_unroll = 32;

template <bool Suspend>
__device__ __forceinline__ bool wait_phase(unsigned barrier, unsigned parity) {
  if constexpr (Suspend)
    return wait_suspending(barrier, parity);
  else
    return wait_polling(barrier, parity);
}

// More arrivals than any launch makes: the phase stays open.
constexpr unsigned open_arrivals = (1u << 20) - 1;

// SASS: kernel=arrive_kernel SYNCS.ARRIVE=32 other<=8 spill=0 sm>=90
// SASS: kernel=arrive_kernel ATOMS.ARRIVE=32 MEMBAR=32 other<=8 spill=0 sm>=80 sm<90
__global__ void arrive_kernel(long long* cycles, int lanes, int trips) {
  __shared__ unsigned long long barrier;
  const unsigned address = pinned_address(shared_address(&barrier));
  if (threadIdx.x == 0) mbarrier_init(address, open_arrivals);
  __syncthreads();
  if (threadIdx.x >= lanes) return;
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < arrive_unroll; ++i) mbarrier_arrive(address);
  }
  const long long stop = cycle_counter();
  if (threadIdx.x == 0) cycles[0] = stop - start;
}

// A fresh barrier counts the phase before its first as over: parity 1 succeeds at once.
// SASS: kernel=done_kernel.*Lb0E SYNCS.PHASECHK=16 other<=40 spill=0 sm>=90
// SASS: kernel=done_kernel.*Lb1E SYNCS.PHASECHK.TRYWAIT=16 other<=40 spill=0 sm>=90
template <bool Suspend>
__global__ void done_kernel(long long* cycles, unsigned* gave_up, int trips) {
  __shared__ unsigned long long barrier;
  const unsigned address = pinned_address(shared_address(&barrier));
  mbarrier_init(address, 1);
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      if (!(Suspend ? mbarrier_try_wait(address, 1) : mbarrier_test_wait(address, 1))) {
        *gave_up = 1;
        return;
      }
    }
  }
  cycles[0] = cycle_counter() - start;
}

// SASS: kernel=all_kernel SYNCS.ARRIVE=1 SYNCS.PHASECHK>=1 other<=40 nested=1 spill=0 sm>=90
// SASS: kernel=all_kernel.*Lb0E ATOMS.ARRIVE=1 other<=40 nested=1 spill=0 sm>=80 sm<90
template <bool Suspend>
__global__ void all_kernel(long long* cycles, unsigned* gave_up, int trips) {
  __shared__ unsigned long long barrier;
  const unsigned address = pinned_address(shared_address(&barrier));
  if (threadIdx.x == 0) mbarrier_init(address, blockDim.x / 32);
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
    mbarrier_arrive(address);
    if (!wait_phase<Suspend>(address, trip & 1)) {
      *gave_up = 1;
      break;
    }
  }
  const long long stop = cycle_counter();
  if (threadIdx.x == 0) cycles[0] = stop - start;
}

// Both warps run the same loop: wait for the other's signal, then signal.
// SASS: kernel=round_trip_kernel SYNCS.ARRIVE=1 SYNCS.PHASECHK>=1 other<=40 nested=1 spill=0 sm>=90
// SASS: kernel=round_trip_kernel.*Lb0E ATOMS.ARRIVE=1 other<=40 nested=1 spill=0 sm>=80 sm<90
template <bool Suspend>
__global__ void round_trip_kernel(long long* cycles, unsigned* gave_up, int trips) {
  __shared__ unsigned long long barriers[2];
  const unsigned ping = pinned_address(shared_address(barriers)), pong = ping + 8;
  if (threadIdx.x == 0) {
    mbarrier_init(ping, 1);
    mbarrier_init(pong, 1);
  }
  __syncthreads();
  if (threadIdx.x % 32 != 0) return;
  const bool first = threadIdx.x == 0;
  if (!first) mbarrier_arrive(pong);  // the answer to nothing: warp 0 begins by waiting for it
  const unsigned mine = first ? pong : ping, other = first ? ping : pong;
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
    if (!wait_phase<Suspend>(mine, trip & 1)) {
      *gave_up = 1;
      return;
    }
    mbarrier_arrive(other);
  }
  if (first) cycles[0] = cycle_counter() - start;
}

class Bench {
 public:
  explicit Bench(Context& context) : context_(context), cycles_(1), gave_up_(1) {}

  void arrive(const char* id, int lanes) {
    const auto launch = [&](int trips) {
      arrive_kernel<<<1, 32, 0, context_.stream()>>>(cycles_.data(), lanes, trips);
      check_launch("arrive_kernel");
    };
    context_.metric(id, context_.repeat([&] {
      return differenced(cycles_, context_.stream(), launch, 8, 72) / arrive_unroll;
    }),
                    "median of differences",
                    text("one warp, {} lanes active, phase stays open", lanes));
  }

  using Kernel = void (*)(long long*, unsigned*, int);

  Repetitions time(Kernel kernel, const char* name, int threads, int a_trip) {
    gave_up_.fill_bytes(0);
    const auto launch = [&](int trips) {
      kernel<<<1, threads, 0, context_.stream()>>>(cycles_.data(), gave_up_.data(), trips);
      check_launch(name);
    };
    const Repetitions found = context_.repeat(
        [&] { return differenced(cycles_, context_.stream(), launch, 64, 576) / a_trip; });
    unsigned gave_up = 0;
    gave_up_.download(&gave_up, 1);
    throw_if_gave_up(gave_up, name);
    return found;
  }

  template <bool Suspend>
  void waits() {
    const std::string id = Suspend ? "mbarrier.try_wait." : "mbarrier.test_wait.";
    const char* estimator = "median of differences";
    context_.metric(id + "done", time(done_kernel<Suspend>, "done_kernel", 1, 16), estimator,
                    "one thread, phase over, branch on each answer");
    context_.metric(id + "self", time(all_kernel<Suspend>, "all_kernel", 32, 1), estimator,
                    "one lane, barrier of one arrival");
    context_.metric(id + "round_trip", time(round_trip_kernel<Suspend>, "round_trip_kernel", 64, 1),
                    estimator, "warps 0 and 1 of one block, one lane each");
    std::vector<CurvePoint> points;
    for (const int warps : {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32})
      points.push_back(
          {static_cast<double>(warps), time(all_kernel<Suspend>, "all_kernel", 32 * warps, 1)});
    context_.curve(id + "all.over_warps", points,
                   "one lane of each warp arrives, then waits for the phase");
  }

 private:
  Context& context_;
  BlockCycles cycles_;
  DeviceBuffer<unsigned> gave_up_;
};

void run(Context& context) {
  const cudaDeviceProp& gpu = context.device().properties();
  const auto lacks = [&](const char* what) {
    return text("{} needs compute capability {}, this GPU has {}.{}", what,
                gpu.major < 8 ? "8.0" : "9.0", gpu.major, gpu.minor);
  };
  if (gpu.major < 8) return context.close(State::skipped, lacks("mbarrier"));
  Bench bench(context);
  bench.arrive("mbarrier.arrive", 1);
  bench.arrive("mbarrier.arrive_warp", 32);
  bench.waits<false>();
  if (gpu.major < 9) return context.close(State::skipped, lacks("mbarrier.try_wait"));
  bench.waits<true>();
}

const Register registered{{"mbarrier", "mbarrier arrive and wait", 0.3, run}};

}  // namespace
}  // namespace rooftile::micro
