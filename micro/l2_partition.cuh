// Which part of a partitioned L2 an SM is near to, and which lines have their home in the other
// part: timing of single loads by chosen SMs.
//
// On GPUs whose L2 has two partitions each line has a home in one of them, and an SM reads through
// its own: a line whose home is the other partition comes over the link between them and leaves a
// copy in the reader's, so that the second read is near (NVIDIA A100 Tensor Core GPU Architecture,
// 2020, section "A100 L2 cache": each partition caches data for the SMs directly connected to it).
// Hence the method. Flush L2. SM r reads a set of lines, each homed somewhere. Then SM s reads each
// once (pass 1) and again (pass 2). Lines that took longer the first time by more than half of the
// typical excess had their home far from s and no copy near it: r is in the other partition. If no
// line took longer, r and s share a partition.
//
// Each SM s has its own lines, so that all SMs are measured in one launch: one thread each, far too
// few requests to disturb each other. Differences of the same line by the same SM leave out what a
// slice's distance and the clock reads add.
//
// Pitfalls: one block on each SM (shared memory sees to it), else two chains share an SM; %smid
// must stay below the number of SMs; a load that missed L2 would look far too, so that all lines
// together take a quarter of L2.
#pragma once

#include <algorithm>
#include <optional>

#include "micro/pointer_chase.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {

constexpr unsigned any_sm = 0xffffffffu;
constexpr unsigned most_lines_an_sm = 1024;

/// Lines of SM s are numbers s x lines_an_sm to (s + 1) x lines_an_sm - 1 of a random order.
struct SmLines {
  unsigned char* base;
  Permutation order;
  unsigned lines_an_sm, sms;

  __device__ unsigned long long address(unsigned sm, unsigned k) const {
    return reinterpret_cast<unsigned long long>(base) +
           static_cast<unsigned long long>(order(sm * lines_an_sm + k)) * line_bytes;
  }
};

static __global__ void link_sm_lines_kernel(SmLines lines) {
  const unsigned sm = blockIdx.x;
  for (unsigned k = threadIdx.x; k < lines.lines_an_sm; k += blockDim.x)
    *reinterpret_cast<unsigned long long*>(lines.address(sm, k)) =
        lines.address(sm, k + 1 == lines.lines_an_sm ? 0 : k + 1);
}

/// All lines of all SMs are read by SM `reader`, once, in parallel.
static __global__ void __launch_bounds__(1024)
    touch_by_kernel(SmLines lines, unsigned reader, unsigned* sink) {
  if (sm_id() != reader) return;
  unsigned long long seen = 0;
  for (unsigned k = threadIdx.x; k < lines.sms * lines.lines_an_sm; k += blockDim.x)
    seen ^= follow<true>(lines.address(0, k));
  if (seen == 1) *sink = 1;
}

/// Each SM (or `only` one) follows the lines of its own (or of `owner`) and stores what each load
/// took. The store to shared memory waits for the load, the clock read after it waits for the
/// store's issue.
// SASS: kernel=single_loads_kernel LDG.64>=1 STS.64>=1 spill=0
static __global__ void __launch_bounds__(1024)
    single_loads_kernel(SmLines lines, unsigned only, unsigned owner, unsigned short* cycles) {
  __shared__ volatile unsigned long long arrived;
  __shared__ unsigned short took[most_lines_an_sm];
  const unsigned sm = sm_id();
  if (sm >= lines.sms || (only != any_sm && sm != only)) return;
  const unsigned of = owner == any_sm ? sm : owner;
  if (threadIdx.x == 0) {
    unsigned long long line = lines.address(of, 0);
#pragma unroll 1
    for (unsigned k = 0; k < lines.lines_an_sm; ++k) {
      const long long start = cycle_counter();
      line = follow<true>(line);
      arrived = line;
      const long long stop = cycle_counter();
      took[k] = static_cast<unsigned short>(min(stop - start, 65535ll));
    }
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < lines.lines_an_sm; k += blockDim.x)
    cycles[of * lines.lines_an_sm + k] = took[k];
}

/// The same chain with nothing between the loads, `rounds` times round; cycles by SM.
// SASS: kernel=sm_chain_kernel LDG.64=32 other<=8 spill=0
static __global__ void __launch_bounds__(1024)
    sm_chain_kernel(SmLines lines, int rounds, long long* cycles, unsigned* sink) {
  const unsigned sm = sm_id();
  if (sm >= lines.sms || threadIdx.x != 0) return;
  unsigned long long line = lines.address(sm, 0);
  const int trips = rounds * static_cast<int>(lines.lines_an_sm) / chase_unroll;
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < chase_unroll; ++i) line = follow<true>(line);
  }
  cycles[sm] = cycle_counter() - start;
  if (line == 0) *sink = 1;
}

// Each file that includes this has its own kernels, hence must have its own class: an inline member
// shared by two files would set the attributes of one file's kernels and launch the other's.
namespace {

/// What one SM saw after another had read its lines.
struct SmView {
  double far_share = 0;    ///< of its lines
  double far_penalty = 0;  ///< cycles that a far line takes longer, mean
};

class PartitionProbe {
 public:
  explicit PartitionProbe(Context& context)
      : context_(context), sms_(static_cast<unsigned>(context.sm_count())), flush_(context) {
    const auto l2_bytes = static_cast<std::size_t>(context.device().properties().l2CacheSize);
    const auto fitting = static_cast<unsigned>(l2_bytes / 4 / line_bytes / sms_);
    lines_an_sm_ = std::max(std::min(fitting, most_lines_an_sm) / chase_unroll, 2u) * chase_unroll;
    const std::size_t lines = std::size_t{sms_} * lines_an_sm_;
    memory_ = DeviceBuffer<unsigned char>(lines * line_bytes);
    took_ = DeviceBuffer<unsigned short>(lines);
    chain_ = DeviceBuffer<long long>(sms_);
    sink_ = DeviceBuffer<unsigned>(1);
    // More than half of an SM's shared memory: one block an SM.
    arena_ = context.device().properties().sharedMemPerMultiprocessor / 2;
    for (const void* kernel : {reinterpret_cast<const void*>(single_loads_kernel),
                               reinterpret_cast<const void*>(sm_chain_kernel),
                               reinterpret_cast<const void*>(touch_by_kernel)})
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(arena_)),
            "cudaFuncSetAttribute");
    relink();
  }

  unsigned sms() const { return sms_; }
  unsigned lines_an_sm() const { return lines_an_sm_; }
  /// Another random order of the lines.
  void relink() {
    lines_ = {memory_.data(), Permutation::of(sms_ * lines_an_sm_, ++seed_), lines_an_sm_, sms_};
    link_sm_lines_kernel<<<sms_, 256, 0, context_.stream()>>>(lines_);
    check_launch("link_sm_lines_kernel");
  }
  /// L2 emptied, then every line read by `reader`.
  void touch_by(unsigned reader) {
    flush_();
    touch_by_kernel<<<sms_, 1024, arena_, context_.stream()>>>(lines_, reader, sink_.data());
    check_launch("touch_by_kernel");
  }
  /// What each load took; by SM, then by line. Lines that nobody followed keep what they had.
  std::vector<unsigned short> single_loads(unsigned only = any_sm, unsigned owner = any_sm) {
    single_loads_kernel<<<sms_, 64, arena_, context_.stream()>>>(lines_, only, owner, took_.data());
    check_launch("single_loads_kernel");
    check(cudaStreamSynchronize(context_.stream()), "single_loads_kernel");
    std::vector<unsigned short> took(took_.size());
    took_.download(took.data(), took.size());
    return took;
  }
  /// Cycles a load of each SM's own chain, all lines near; NaN for an SM that no block ran on.
  std::vector<double> near_chains();
  /// Each SM's view after `reader` touched all; empty when no line took longer for anyone.
  std::vector<SmView> views(unsigned reader);

 private:
  Context& context_;
  unsigned sms_, lines_an_sm_ = 0, seed_ = 0;
  std::size_t arena_ = 0;
  L2Flush flush_;
  SmLines lines_{};
  DeviceBuffer<unsigned char> memory_;
  DeviceBuffer<unsigned short> took_;
  DeviceBuffer<long long> chain_;
  DeviceBuffer<unsigned> sink_;
};

inline std::vector<double> PartitionProbe::near_chains() {
  constexpr int rounds = 2;
  std::vector<double> result;
  std::vector<long long> cycles(sms_, -1);
  chain_.upload(cycles.data(), cycles.size());
  for (int i = 0; i < 2; ++i) {  // the first makes all lines near
    sm_chain_kernel<<<sms_, 32, arena_, context_.stream()>>>(lines_, rounds, chain_.data(),
                                                             sink_.data());
    check_launch("sm_chain_kernel");
  }
  check(cudaStreamSynchronize(context_.stream()), "sm_chain_kernel");
  chain_.download(cycles.data(), cycles.size());
  for (const long long total : cycles)
    result.push_back(total < 0 ? std::nan("") : total / (1.0 * rounds * lines_an_sm_));
  return result;
}

inline std::vector<SmView> PartitionProbe::views(unsigned reader) {
  touch_by(reader);
  const std::vector<unsigned short> first = single_loads(), second = single_loads();
  std::vector<double> excess(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) excess[i] = 1.0 * first[i] - second[i];
  // With two partitions a quarter of all loads are far: half of the lines for half of the SMs.
  const double typical = quantile(excess, 0.9);
  std::vector<double> near(second.begin(), second.end());
  if (typical < 0.1 * median(near)) return {};
  std::vector<SmView> result(sms_);
  for (unsigned sm = 0; sm < sms_; ++sm) {
    double sum = 0;
    int far = 0;
    for (unsigned k = 0; k < lines_an_sm_; ++k) {
      const double more = excess[sm * lines_an_sm_ + k];
      if (more <= typical / 2) continue;
      sum += more;
      ++far;
    }
    result[sm] = {1.0 * far / lines_an_sm_, far > 0 ? sum / far : 0};
  }
  return result;
}

/// Partition of each SM (0: that of SM 0) by the view after SM 0 touched all; nothing where L2 is
/// not seen to be partitioned.
inline std::optional<std::vector<int>> partition_of_sms(const std::vector<SmView>& views) {
  if (views.empty()) return std::nullopt;
  std::vector<int> result;
  for (const SmView& view : views) result.push_back(view.far_share > 0.1 ? 1 : 0);
  const auto others = std::count(result.begin(), result.end(), 1);
  if (others == 0 || others == static_cast<std::ptrdiff_t>(result.size())) return std::nullopt;
  return result;
}

}  // namespace

}  // namespace rooftile::micro
