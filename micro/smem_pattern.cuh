// Timing lane patterns of shared memory: two kernels and the class that launches them.
//
// shared_rate_kernel, saturation: chosen warps of a block repeat the pattern at two lengths within
// one launch; cycles an instruction = the difference over all their instructions. With 16 warps
// that is the wavefronts of one instruction.
// shared_pace_kernel, one warp: a loop of 24 accesses against a loop of 8; the difference is what
// one more access costs. Each trip of loads waits for the last of the one before (its address takes
// in that word, masked by a run-time 0), so that both loops hold one whole latency a trip, which
// cancels; left to itself ptxas gives one loop more overlap between trips than the other.
//
// Both unroll with offsets that are multiples of 128 B (all 32 banks), so that the bank of each
// lane never changes, and both start with an untimed pass, so that no timed one meets a cold
// instruction cache. Loaded words are used only after the loop: using them costs issue slots.
//
// Pitfall: ptxas (CUDA 13) leaves four cycles between neighbouring LDS of one warp, so that one
// warp cannot show a pace below 4 whatever the hardware could take; four warps of one sub-core can.
#pragma once

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "micro/context.hpp"
#include "micro/lane_patterns.hpp"
#include "micro/shared_access.cuh"
#include "micro/text.hpp"
#include "micro/timing.cuh"
#include "model/kernel/kernel_description.hpp"
#include "model/memory/wavefronts.hpp"
#include "model/stats/robust.hpp"

namespace rooftile::micro {

constexpr int pattern_unroll = 16;                ///< accesses with registers of their own
constexpr int pattern_trip = 2 * pattern_unroll;  ///< in a loop trip: its end costs a cycle
constexpr int pattern_warps = 16;
constexpr int pattern_threads = 32 * pattern_warps;
constexpr int pace_short = 8, pace_long = 24;  ///< accesses a trip of the two loops of one warp
constexpr int bank_row_bytes = 128;            ///< 32 banks of 4 bytes

/// Warps of a block by bit. A warp's sub-core is its number mod 4 (compute capability 7.0 on).
constexpr unsigned all_warps = 0xffffu;
constexpr unsigned one_sub_core = 0x1111u;

/// Byte offset of each lane, -1 where the lane is inactive.
struct LaneOffsets {
  int byte[32];
};

/// Words that loads fill (each its own, or one load would wait for the one before) or that stores
/// send. Different values: equal ones would share a register and need a move before each store.
template <int Width, bool Store, int Unroll>
struct AccessWords {
  unsigned word[Store ? 1 : Unroll][Width / 4];

  __device__ __forceinline__ AccessWords() {
#pragma unroll
    for (int i = 0; i < (Store ? 1 : Unroll); ++i) {
#pragma unroll
      for (int j = 0; j < Width / 4; ++j) word[i][j] = hash32(threadIdx.x * 4 + j);
    }
  }
  template <int Count>
  __device__ __forceinline__ void access(unsigned address) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      if constexpr (Store)
        store_shared<Width>(address + i * bank_row_bytes, word[0]);
      else
        load_shared<Width>(word[i], address + i * bank_row_bytes);
    }
  }
  __device__ __forceinline__ unsigned sum() const {
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < (Store ? 1 : Unroll); ++i) {
#pragma unroll
      for (int j = 0; j < Width / 4; ++j) sum ^= word[i][j];
    }
    return sum;
  }
};

// SASS: kernel=shared_rate_kernel.*Li4ELb0E LDS.32=32 other<=10 spill=0
// SASS: kernel=shared_rate_kernel.*Li8ELb0E LDS.64=32 other<=10 spill=0
// SASS: kernel=shared_rate_kernel.*Li16ELb0E LDS.128=32 other<=10 spill=0
// SASS: kernel=shared_rate_kernel.*Li4ELb1E STS.32=32 other<=10 spill=0
// SASS: kernel=shared_rate_kernel.*Li8ELb1E STS.64=32 other<=10 spill=0
// SASS: kernel=shared_rate_kernel.*Li16ELb1E STS.128=32 other<=10 spill=0
// SASS: kernel=shared_rate_kernel LDS|STS=32 other<=4 sm>=90
/// cycles[block] = cycles of `longer` trips less those of `shorter`.
template <int Width, bool Store>
__global__ void __launch_bounds__(pattern_threads)
    shared_rate_kernel(long long* cycles, unsigned* sink, LaneOffsets lanes, unsigned warps,
                       int shorter, int longer) {
  extern __shared__ __align__(128) unsigned char arena[];
  const int offset = lanes.byte[threadIdx.x % 32];
  const bool works = offset >= 0 && (warps >> (threadIdx.x / 32) & 1) != 0;
  const unsigned address = shared_address(arena) + offset;
  AccessWords<Width, Store, pattern_unroll> words;
  long long previous = 0, difference = 0;
#pragma unroll 1
  for (int phase = 0; phase < 3; ++phase) {
    const int trips = phase < 2 ? shorter : longer;
    __syncthreads();
    const long long start = cycle_counter();
    if (works) {
#pragma unroll 1
      for (int trip = 0; trip < trips; ++trip) {
        words.template access<pattern_unroll>(address);
        words.template access<pattern_unroll>(address);
      }
    }
    __syncthreads();
    const long long span = cycle_counter() - start;
    difference = span - previous;
    previous = span;
  }
  if (words.sum() == 0x9e3779b9u) *sink = 1;
  if (threadIdx.x == 0) cycles[blockIdx.x] = difference;
}

// SASS: kernel=shared_pace_kernel.*Li4ELb0E LDS.32=24 other<=10 spill=0
// SASS: kernel=shared_pace_kernel.*Li8ELb0E LDS.64=24 other<=10 spill=0
// SASS: kernel=shared_pace_kernel.*Li16ELb0E LDS.128=24 other<=10 spill=0
// SASS: kernel=shared_pace_kernel.*Li4ELb1E STS.32=24 other<=10 spill=0
// SASS: kernel=shared_pace_kernel.*Li8ELb1E STS.64=24 other<=10 spill=0
// SASS: kernel=shared_pace_kernel.*Li16ELb1E STS.128=24 other<=10 spill=0
// SASS: kernel=shared_pace_kernel LDS|STS=24 other<=4 sm>=90
/// One warp; cycles[0] = cycles of `trips` trips of 24 accesses less those of as many of 8.
template <int Width, bool Store>
__global__ void __launch_bounds__(32)
    shared_pace_kernel(long long* cycles, unsigned* sink, LaneOffsets lanes, unsigned toggle,
                       int trips) {
  extern __shared__ __align__(128) unsigned char arena[];
  const int offset = lanes.byte[threadIdx.x];
  unsigned address = shared_address(arena) + offset;
  AccessWords<Width, Store, pace_long> words;
  long long difference = 0;
#pragma unroll 1
  for (int phase = 0; phase < 2; ++phase) {
    __syncthreads();
    const long long start = cycle_counter();
    if (offset >= 0) {
#pragma unroll 1
      for (int trip = 0; trip < trips; ++trip) {
        words.template access<pace_short>(address);
        if (!Store) address ^= words.word[pace_short - 1][0] & toggle;
      }
    }
    __syncthreads();
    const long long middle = cycle_counter();
    if (offset >= 0) {
#pragma unroll 1
      for (int trip = 0; trip < trips; ++trip) {
        words.template access<pace_long>(address);
        if (!Store) address ^= words.word[pace_long - 1][0] & toggle;
      }
    }
    __syncthreads();
    difference = (cycle_counter() - middle) - (middle - start);
  }
  if (words.sum() == 0x9e3779b9u) *sink = 1;
  if (threadIdx.x == 0) cycles[0] = difference;
}

/// Times lane patterns on the device of `context`, on one SM or on all at once.
class PatternTimer {
 public:
  explicit PatternTimer(Context& context, int blocks = 1)
      : context_(context), blocks_(blocks), cycles_(blocks), sink_(1) {}

  /// Cycles an instruction of the warps in `warps` together, the median block.
  Repetitions rate(const LaneAddresses& lanes, int width_bytes, Direction direction,
                   unsigned warps = all_warps) {
    return by_width(width_bytes, direction,
                    [&]<int Width, bool Store>() { return rate_of<Width, Store>(lanes, warps); });
  }
  /// Cycles an instruction of a single warp.
  Repetitions pace(const LaneAddresses& lanes, int width_bytes, Direction direction) {
    return by_width(width_bytes, direction,
                    [&]<int Width, bool Store>() { return pace_of<Width, Store>(lanes); });
  }

 private:
  template <class Call>
  static Repetitions by_width(int width_bytes, Direction direction, Call call) {
    const bool store = direction == Direction::store;
    if (width_bytes == 4)
      return store ? call.template operator()<4, true>() : call.template operator()<4, false>();
    if (width_bytes == 8)
      return store ? call.template operator()<8, true>() : call.template operator()<8, false>();
    return store ? call.template operator()<16, true>() : call.template operator()<16, false>();
  }
  template <int Width, bool Store>
  Repetitions rate_of(const LaneAddresses& lanes, unsigned warps);
  template <int Width, bool Store>
  Repetitions pace_of(const LaneAddresses& lanes);

  /// Shared memory that a pattern of this width reaches with `unroll` rows.
  static std::size_t arena_bytes(const LaneOffsets& offsets, int width_bytes, int unroll) {
    const int last = *std::max_element(std::begin(offsets.byte), std::end(offsets.byte));
    const auto bytes = static_cast<std::size_t>(last + width_bytes + unroll * bank_row_bytes);
    // More would need an opt-in, and no pattern does.
    if (bytes > 48 * 1024) throw std::logic_error("a lane pattern reaches past 48 KiB");
    return bytes;
  }

  Context& context_;
  int blocks_;
  BlockCycles cycles_;
  DeviceBuffer<unsigned> sink_;
};

inline LaneOffsets lane_offsets(const LaneAddresses& lanes) {
  LaneOffsets offsets{};
  for (std::size_t i = 0; i < 32; ++i)
    offsets.byte[i] = lanes.active[i] ? lanes.byte_offset[i] : -1;
  return offsets;
}

/// A length near `cycles` for a pattern, from the modelled wavefronts: it only sets how long a
/// measurement takes.
inline int trips_for(int cycles, int instructions_a_trip, const LaneAddresses& lanes,
                     int width_bytes) {
  const int wavefronts = shared_wavefronts(lanes, width_bytes, Direction::store, MergeRules{});
  return std::max(4, cycles / (instructions_a_trip * wavefronts));
}

/// Entries smem.<op>{32,64,128}.bandwidth: every SM runs one block, lane i accesses element i.
inline void publish_bandwidth(Context& context, Direction direction, std::string_view op) {
  PatternTimer timer(context, context.sm_count());
  for (const int width_bytes : {4, 8, 16}) {
    Repetitions found = timer.rate(strided_lanes(width_bytes), width_bytes, direction);
    for (double& value : found.values) value = 32 * width_bytes / value;
    context.metric(text("smem.{}{}.bandwidth", op, 8 * width_bytes), found, "median of differences",
                   text("{} of {} B, lane i at element i, one block of {} threads on each of {} "
                        "SMs, median SM",
                        op, width_bytes, pattern_threads, context.sm_count()));
  }
}

template <int Width, bool Store>
Repetitions PatternTimer::rate_of(const LaneAddresses& lanes, unsigned warps) {
  const LaneOffsets offsets = lane_offsets(lanes);
  const std::size_t arena = arena_bytes(offsets, Width, pattern_unroll);
  const int warp_count = std::popcount(warps & all_warps);
  const int instructions = pattern_trip * warp_count;
  const int more = trips_for(32768, instructions, lanes, Width);
  const int shorter = std::max(2, more / 8);
  return context_.repeat([&] {
    shared_rate_kernel<Width, Store><<<blocks_, pattern_threads, arena, context_.stream()>>>(
        cycles_.data(), sink_.data(), offsets, warps, shorter, shorter + more);
    check_launch("shared_rate_kernel");
    return median(cycles_.read(context_.stream())) / (1.0 * instructions * more);
  });
}

template <int Width, bool Store>
Repetitions PatternTimer::pace_of(const LaneAddresses& lanes) {
  const LaneOffsets offsets = lane_offsets(lanes);
  const std::size_t arena = arena_bytes(offsets, Width, pace_long);
  constexpr int instructions = pace_long - pace_short;
  const int trips = trips_for(8192, 4 * instructions, lanes, Width);
  return context_.repeat([&] {
    shared_pace_kernel<Width, Store>
        <<<1, 32, arena, context_.stream()>>>(cycles_.data(), sink_.data(), offsets, 0u, trips);
    check_launch("shared_pace_kernel");
    return cycles_.read(context_.stream()).front() / (1.0 * instructions * trips);
  });
}

}  // namespace rooftile::micro
