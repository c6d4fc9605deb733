// Copies by the hardware's copy engine (bulk or tensor tile) into a ring of slots in shared memory:
// the loops behind bulk_copy.cu and tma_tile.cu.
//
// One lane of each warp owns a ring of `slots` slots with one mbarrier each. It waits for the
// oldest copy and starts the next into the same slot, so that slots x bytes stay in flight a warp.
// Nobody reads the slots: what is timed is the copy. `Source` gives start(warp, warps), the first
// place of a warp's walk, and copy(slot, barrier), which starts one copy and advances.
//
// ring_window: for `warm_cycles`, then for `window_cycles` counts what arrives; bytes / cycles of
// each warp are added up. No tail, no launch in it, no SM waits for another. ring_chain: one copy
// at a time, waited for by polling.
//
// Pitfalls: a block must not end while copies into it are under way; one lane issues a copy every
// some tens of cycles at best, so that small copies are bound by the issue, not by the memory.
#pragma once

#include "micro/context.hpp"
#include "micro/mbarrier.cuh"
#include "micro/timing.cuh"
#include "micro/window_read.cuh"

namespace rooftile::micro {

constexpr unsigned slot_alignment = 1024;  ///< period of the widest swizzle

struct RingPlan {
  unsigned bytes;  ///< of one copy
  unsigned pitch;  ///< from slot to slot
  unsigned slots;  ///< a warp
  unsigned warps;
  long long warm_cycles, window_cycles;

  static RingPlan of(unsigned bytes, unsigned slots, unsigned warps, unsigned alignment) {
    return {bytes, (bytes + alignment - 1) / alignment * alignment, slots, warps, 60'000, 240'000};
  }
  unsigned in_flight_bytes() const { return bytes * slots * warps; }
  std::size_t shared_bytes() const {
    return static_cast<std::size_t>(warps) * slots * (pitch + 8) + slot_alignment;
  }
};

/// Sums over warps; zeroed before the launch.
struct RingSums {
  double bytes_per_cycle;
  unsigned gave_up;
};

/// First slot, at the next multiple of slot_alignment: a swizzle goes by address bits.
__device__ __forceinline__ unsigned first_slot() {
  extern __shared__ __align__(128) unsigned char arena[];
  return (shared_address(arena) + slot_alignment - 1) / slot_alignment * slot_alignment;
}

/// Copies until the deadline has passed, looking at the clock once in at least 16 copies. Returns
/// the copies that arrived, or -1 when one did not.
template <class Source>
__device__ __forceinline__ int ring_until(Source& source, const RingPlan& plan, unsigned slots_at,
                                          unsigned barriers_at, long long deadline,
                                          unsigned& parity) {
  const int passes = plan.slots >= 16 ? 1 : static_cast<int>(16 / plan.slots);
  int copies = 0;
#pragma unroll 1
  do {
#pragma unroll 1
    for (int pass = 0; pass < passes; ++pass) {
#pragma unroll 1
      for (unsigned slot = 0; slot < plan.slots; ++slot) {
        const unsigned barrier = barriers_at + 8 * slot;
        if (!wait_suspending(barrier, parity)) return -1;
        mbarrier_arrive_expect(barrier, plan.bytes);
        source.copy(slots_at + slot * plan.pitch, barrier);
      }
      parity ^= 1;
    }
    copies += passes * static_cast<int>(plan.slots);
  } while (cycle_counter() < deadline);
  return copies;
}

template <class Source>
__device__ __forceinline__ void ring_window(Source source, const RingPlan& plan, RingSums* sums) {
  const unsigned warp = threadIdx.x / 32;
  const unsigned slots_at = pinned_address(first_slot() + warp * plan.slots * plan.pitch);
  const unsigned barriers_at =
      pinned_address(first_slot() + plan.warps * plan.slots * plan.pitch + warp * plan.slots * 8);
  if (threadIdx.x % 32 != 0) return;
#pragma unroll 1
  for (unsigned slot = 0; slot < plan.slots; ++slot) mbarrier_init(barriers_at + 8 * slot, 1);
  fence_async_proxy();
  source.start(blockIdx.x * plan.warps + warp, gridDim.x * plan.warps);
#pragma unroll 1
  for (unsigned slot = 0; slot < plan.slots; ++slot) {
    mbarrier_arrive_expect(barriers_at + 8 * slot, plan.bytes);
    source.copy(slots_at + slot * plan.pitch, barriers_at + 8 * slot);
  }
  unsigned parity = 0;
  long long start = cycle_counter();
  int copies = ring_until(source, plan, slots_at, barriers_at, start + plan.warm_cycles, parity);
  start = cycle_counter();
  if (copies >= 0)
    copies = ring_until(source, plan, slots_at, barriers_at, start + plan.window_cycles, parity);
  const long long stop = cycle_counter();
  bool arrived = copies >= 0;
#pragma unroll 1
  for (unsigned slot = 0; slot < plan.slots && arrived; ++slot)
    arrived = wait_suspending(barriers_at + 8 * slot, parity);
  if (!arrived) {
    atomicAdd(&sums->gave_up, 1u);
    return;
  }
  atomicAdd(&sums->bytes_per_cycle,
            static_cast<double>(copies) * plan.bytes / static_cast<double>(stop - start));
}

/// One thread, one slot: `trips` copies, each after the one before has arrived.
template <class Source>
__device__ __forceinline__ void ring_chain(Source source, unsigned bytes, long long* cycles,
                                           unsigned* gave_up, int trips) {
  const unsigned barrier = pinned_address(first_slot());
  const unsigned slot = barrier + slot_alignment;
  mbarrier_init(barrier, 1);
  fence_async_proxy();
  source.start(0, 1);
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
    mbarrier_arrive_expect(barrier, bytes);
    source.copy(slot, barrier);
    if (!wait_polling(barrier, trip & 1)) {
      *gave_up = 1;
      return;
    }
  }
  cycles[0] = cycle_counter() - start;
}

/// Host side: `launch_window(plan, blocks, sums)` and `launch_chain(bytes, trips, cycles, gave_up)`
/// start the kernels of one source.
class RingTimer {
 public:
  explicit RingTimer(Context& context) : context_(context), sums_(1), cycles_(1), gave_up_(1) {}

  std::size_t most_bytes() const { return context_.shared_bytes_per_block() - 2 * slot_alignment; }

  /// Most slots of a warp that fit, at least 1.
  unsigned slots(unsigned in_flight_bytes, unsigned bytes, unsigned warps,
                 unsigned alignment) const {
    const unsigned pitch = (bytes + alignment - 1) / alignment * alignment;
    const auto fit = static_cast<unsigned>(most_bytes() / (pitch + 8) / warps);
    return std::max(1u, std::min({fit, in_flight_bytes / bytes / warps, 128u}));
  }

  /// byte/cycle/SM of `blocks` blocks, one an SM.
  template <class Launch>
  Repetitions bandwidth(const RingPlan& plan, int blocks, const char* name,
                        const Launch& launch_window) {
    return context_.repeat([&] {
      check(cudaMemsetAsync(sums_.data(), 0, sums_.size_bytes(), context_.stream()),
            "cudaMemsetAsync");
      launch_window(plan, blocks, sums_.data());
      check_launch(name);
      check(cudaStreamSynchronize(context_.stream()), name);
      RingSums sums{};
      sums_.download(&sums, 1);
      throw_if_gave_up(sums.gave_up, name);
      return sums.bytes_per_cycle / blocks;
    });
  }

  template <class Launch>
  Repetitions latency(unsigned bytes, const char* name, const Launch& launch_chain) {
    gave_up_.fill_bytes(0);
    const auto launch = [&](int trips) {
      launch_chain(bytes, trips, cycles_.data(), gave_up_.data());
      check_launch(name);
    };
    const Repetitions found =
        context_.repeat([&] { return differenced(cycles_, context_.stream(), launch, 16, 144); });
    unsigned gave_up = 0;
    gave_up_.download(&gave_up, 1);
    throw_if_gave_up(gave_up, name);
    return found;
  }

 private:
  Context& context_;
  DeviceBuffer<RingSums> sums_;
  BlockCycles cycles_;
  DeviceBuffer<unsigned> gave_up_;
};

/// Bandwidth x latency / bytes in flight: 1 while the latency binds (Little's law).
inline std::vector<CurvePoint> littles_law(const std::vector<CurvePoint>& bandwidth,
                                           double latency_cycles) {
  std::vector<CurvePoint> result = bandwidth;
  for (CurvePoint& point : result)
    for (double& value : point.y.values) value *= latency_cycles / point.x;
  return result;
}

/// `per` / value of each repetition.
inline Repetitions reciprocal(double per, Repetitions repetitions) {
  for (double& value : repetitions.values) value = per / value;
  return repetitions;
}

}  // namespace rooftile::micro
