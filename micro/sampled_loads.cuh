// Which loads missed L2, told by how long each took: kernels that time every load of a line, and
// the rule that reads hits and misses from the times.
//
// A warp loads one 128-byte line (4 bytes a lane, L1 bypassed), waits for it, and counts the cycles
// into a histogram; then the next. 8 warps on each SM, so that 132 KiB are in flight on 132 SMs: a
// tenth of the bandwidth of L2 or DRAM, and times stay near those of an idle GPU.
//
// The rule is calibrated on the same kernel: P(t <= T | hit) from a footprint of an eighth of L2,
// P(t <= T | miss) from one of many times L2, T = the time that 2 % of all misses stay below. For
// any other histogram the share of hits is (P(t <= T) - P(T | miss)) / (P(T | hit) - P(T | miss)),
// the usual correction of a test with known error rates (Rogan and Gladen, American Journal of
// Epidemiology 107, 1978), cut to 0 to 1.
//
// Pitfalls: a load that finds its line on the way from DRAM for another SM waits like a miss,
// though DRAM delivers once; hits in the other partition of a partitioned L2 take longer than the
// hits of the calibration: they count as hits if they stay below T, which lies at the edge of the
// misses.
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "micro/context.hpp"
#include "micro/global_access.cuh"
#include "micro/pointer_chase.cuh"

namespace rooftile::micro {
// Each file that includes this has its own kernels and classes; see window_read.cuh.
namespace {

constexpr int sample_threads = 256;
constexpr int sample_warps = sample_threads / 32;
constexpr int time_bins = 512;
constexpr int bin_cycles = 4;
constexpr unsigned chunk_lines = 64;  ///< that a block reads between two tickets: 8 a warp

struct TimeHistogram {
  std::array<unsigned long long, time_bins> count{};
  double share_below(int bin) const {
    const double all = static_cast<double>(std::accumulate(count.begin(), count.end(), 0ull));
    const double below =
        static_cast<double>(std::accumulate(count.begin(), count.begin() + bin, 0ull));
    return all == 0 ? 0 : below / all;
  }
};

/// Loads a line and adds the time that it took. The store to shared memory waits for the load.
__device__ __forceinline__ void timed_line(unsigned long long line, unsigned* bins,
                                           volatile unsigned* arrived) {
  const unsigned lane = threadIdx.x % 32;
  unsigned word[1];
  const long long start = cycle_counter();
  load_global<4, LoadPath::l2>(word, line + 4 * lane);
  arrived[threadIdx.x] = word[0];
  const long long stop = cycle_counter();
  if (lane == 0)
    atomicAdd(&bins[min(static_cast<unsigned>(stop - start) / bin_cycles, time_bins - 1u)], 1u);
}

__device__ __forceinline__ void clear_bins(unsigned* bins) {
  for (int i = threadIdx.x; i < time_bins; i += blockDim.x) bins[i] = 0;
  __syncthreads();
}
__device__ __forceinline__ void add_bins(const unsigned* bins, unsigned long long* histogram) {
  __syncthreads();
  for (int i = threadIdx.x; i < time_bins; i += blockDim.x)
    if (bins[i] != 0) atomicAdd(&histogram[i], static_cast<unsigned long long>(bins[i]));
}

/// SMs of a group go round the chunks [first, first + chunks) together, chunk by ticket.
struct SampleGroups {
  unsigned first[2], chunks[2];
  const unsigned char* group_of_sm;  ///< 0 or 1; other: idle; null: all in 0
  unsigned sms;
};

// SASS: kernel=round_kernel LDG.32=8 STS.32>=8 spill=0 nested=1 sm>=90
static __global__ void __launch_bounds__(sample_threads)
    round_kernel(const unsigned char* buffer, SampleGroups groups, unsigned* tickets,
                 unsigned rounds, unsigned long long* histogram) {
  __shared__ unsigned bins[time_bins];
  __shared__ volatile unsigned arrived[sample_threads];
  __shared__ unsigned ticket;
  clear_bins(bins);
  const unsigned sm = sm_id();
  unsigned group = 0;
  if (groups.group_of_sm != nullptr) group = sm < groups.sms ? groups.group_of_sm[sm] : 2u;
  if (group > 1) return;
  const unsigned first = group == 0 ? groups.first[0] : groups.first[1];
  const unsigned chunks = group == 0 ? groups.chunks[0] : groups.chunks[1];
  const unsigned last = chunks * rounds;
  while (true) {
    if (threadIdx.x == 0) ticket = atomicAdd(&tickets[group], 1u);
    __syncthreads();
    const unsigned mine = ticket;
    __syncthreads();
    if (mine >= last) break;
    const unsigned chunk = first + mine % chunks;
    const unsigned long long base =
        reinterpret_cast<unsigned long long>(buffer) +
        static_cast<unsigned long long>(chunk) * chunk_lines * line_bytes +
        threadIdx.x / 32 * line_bytes;
#pragma unroll
    for (unsigned i = 0; i < chunk_lines / sample_warps; ++i)
      timed_line(base + i * sample_warps * line_bytes, bins, arrived);
  }
  if (histogram != nullptr) add_bins(bins, histogram);
}

/// Blocks (i, j) of a wave walk through the k pieces of A panel i and B panel j in step: block
/// (i, j) is j pieces behind in A and i pieces behind in B, so that no two read a piece at a time.
struct PanelWave {
  const unsigned char* buffer;
  unsigned rows, columns;  ///< of blocks
  unsigned pieces;         ///< of chunk_lines lines, in each panel
};

// SASS: kernel=panel_kernel LDG.32>=16 STS.32>=16 spill=0 nested=1 sm>=90
static __global__ void __launch_bounds__(sample_threads)
    panel_kernel(PanelWave wave, unsigned steps, unsigned long long* histogram) {
  __shared__ unsigned bins[time_bins];
  __shared__ volatile unsigned arrived[sample_threads];
  clear_bins(bins);
  const unsigned i = blockIdx.x / wave.columns, j = blockIdx.x % wave.columns;
  const unsigned long long base =
      reinterpret_cast<unsigned long long>(wave.buffer) + threadIdx.x / 32 * line_bytes;
  constexpr unsigned piece_bytes = chunk_lines * line_bytes;
  const auto grid = cooperative_groups::this_grid();
#pragma unroll 1
  for (unsigned step = 0; step < steps; ++step) {
    const unsigned k = step % wave.pieces + wave.pieces;
    const unsigned long long a = base + (static_cast<unsigned long long>(i) * wave.pieces +
                                         (k - j % wave.pieces) % wave.pieces) *
                                            piece_bytes;
    const unsigned long long b =
        base + (static_cast<unsigned long long>(wave.rows + j) * wave.pieces +
                (k - i % wave.pieces) % wave.pieces) *
                   piece_bytes;
#pragma unroll
    for (unsigned n = 0; n < chunk_lines / sample_warps; ++n) {
      timed_line(a + n * sample_warps * line_bytes, bins, arrived);
      timed_line(b + n * sample_warps * line_bytes, bins, arrived);
    }
    grid.sync();
  }
  if (histogram != nullptr) add_bins(bins, histogram);
}

/// Launches the two kernels on one buffer and reads their histograms.
class LoadSampler {
 public:
  LoadSampler(Context& context, const DeviceBuffer<unsigned char>& buffer)
      : context_(context), buffer_(buffer), histogram_(time_bins), tickets_(2) {
    // More than half of an SM's shared memory: one block an SM.
    arena_ = context.device().properties().sharedMemPerMultiprocessor / 2;
    for (const void* kernel :
         {reinterpret_cast<const void*>(round_kernel), reinterpret_cast<const void*>(panel_kernel)})
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(arena_)),
            "cudaFuncSetAttribute");
  }

  /// Times of the loads of one or more rounds, after `warm_rounds`.
  TimeHistogram rounds(const SampleGroups& groups, unsigned warm_rounds, unsigned counted_rounds) {
    round_trip(groups, warm_rounds, nullptr);
    clear();
    round_trip(groups, counted_rounds, histogram_.data());
    return read();
  }
  /// All SMs, `bytes` from the buffer's start.
  TimeHistogram all_sms(std::size_t bytes, unsigned warm_rounds) {
    return rounds(
        {{0, 0}, {static_cast<unsigned>(bytes / chunk_lines / line_bytes), 0}, nullptr, 0},
        warm_rounds, 1);
  }
  /// Times of the second pass of a wave over its panels.
  TimeHistogram panels(const PanelWave& wave) {
    panel_pass(wave, nullptr);
    clear();
    panel_pass(wave, histogram_.data());
    return read();
  }

 private:
  void round_trip(const SampleGroups& groups, unsigned rounds, unsigned long long* histogram) {
    check(cudaMemsetAsync(tickets_.data(), 0, tickets_.size_bytes(), context_.stream()),
          "cudaMemsetAsync");
    round_kernel<<<context_.sm_count(), sample_threads, arena_, context_.stream()>>>(
        buffer_.data(), groups, tickets_.data(), rounds, histogram);
    check_launch("round_kernel");
  }
  void panel_pass(PanelWave wave, unsigned long long* histogram) {
    unsigned steps = wave.pieces;
    void* arguments[] = {&wave, &steps, &histogram};
    check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(panel_kernel),
                                      wave.rows * wave.columns, sample_threads, arguments, arena_,
                                      context_.stream()),
          "panel_kernel");
  }
  void clear() {
    check(cudaMemsetAsync(histogram_.data(), 0, histogram_.size_bytes(), context_.stream()),
          "cudaMemsetAsync");
  }
  TimeHistogram read() {
    check(cudaStreamSynchronize(context_.stream()), "sampled loads");
    TimeHistogram result;
    histogram_.download(result.count.data(), time_bins);
    return result;
  }

  Context& context_;
  const DeviceBuffer<unsigned char>& buffer_;
  std::size_t arena_ = 0;
  DeviceBuffer<unsigned long long> histogram_;
  DeviceBuffer<unsigned> tickets_;
};

/// Share of hits from a histogram, by the times of known hits and known misses.
class HitRule {
 public:
  HitRule(const TimeHistogram& hits, const TimeHistogram& misses) {
    while (bin_ < time_bins && misses.share_below(bin_ + 1) < 0.02) ++bin_;
    below_if_hit_ = hits.share_below(bin_);
    below_if_miss_ = misses.share_below(bin_);
  }
  /// Whether the two kinds of times differ enough: at most a tenth is told wrongly.
  bool decides() const { return below_if_hit_ - below_if_miss_ >= 0.9; }
  int threshold_cycles() const { return bin_ * bin_cycles; }
  double below_if_hit() const { return below_if_hit_; }
  double below_if_miss() const { return below_if_miss_; }
  double hits(const TimeHistogram& times) const {
    const double share =
        (times.share_below(bin_) - below_if_miss_) / (below_if_hit_ - below_if_miss_);
    return std::clamp(share, 0.0, 1.0);
  }

 private:
  int bin_ = 0;
  double below_if_hit_ = 0, below_if_miss_ = 0;
};

}  // namespace
}  // namespace rooftile::micro
