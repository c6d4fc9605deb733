// What the wgmma microbenchmark of one format does: checks the numbers, then latency and rate over
// N with A from shared memory and from registers, then the sustained rate of m64n256.
#pragma once

#include <cmath>

#include "micro/clock_load.cuh"
#include "micro/microbenchmark.hpp"
#include "micro/wgmma_kernel.cuh"

namespace rooftile::micro {

template <Format F>
class WgmmaSuite {
 public:
  using Type = typename WgmmaAccumulator<F>::Type;

  /// `name`: of the format in the ids.
  WgmmaSuite(Context& context, std::string name)
      : context_(context),
        name_("wgmma." + std::move(name)),
        b_(random_operand(F, wgmma_largest_n * wgmma_pitch_bytes, 1)),
        a_(random_operand(F, 4 * wgmma_m * wgmma_pitch_bytes, 2)),
        device_b_(b_.size()),
        device_a_(a_.size()) {
    device_b_.upload(b_.data(), b_.size());
    device_a_.upload(a_.data(), a_.size());
  }

  /// m64n256 on the whole GPU, A and B from shared memory.
  HeldLoad held(const HoldOptions& options) {
    const int groups = wgmma_groups(wgmma_largest_n);
    LoadHolder holder(context_, context_.sm_count(), [&](BlockTimes* times, int trips) {
      launch_rate<wgmma_largest_n, Source::shared>(context_.sm_count(), groups, times, nullptr,
                                                   trips);
    });
    const double flop = 2 * mma_work(F, wgmma_m, wgmma_largest_n) * wgmma_per_trip * groups;
    return holder.hold(flop * context_.sm_count(), options);
  }

  /// `zeros`: also the sustained rate on zeros, as `<...>.rate.zeros`.
  void run(bool zeros) {
    sources<8, 16, 32, 64, 96, 128, 192, 256>();
    if (wrong_.empty())
      sustained(zeros);
    else
      context_.close(State::failed, "wrong numbers: " + wrong_);
  }

 private:
  template <int... N>
  void sources() {
    curves<Source::shared, N...>("shared");
    curves<Source::registers, N...>("registers");
  }

  template <Source A, int... N>
  void curves(const std::string& source) {
    std::vector<CurvePoint> latency, rate, alone;
    (check_numbers<N, A>(), ...);
    if (!wrong_.empty()) return;
    (latency.push_back({N, latency_of<N, A>()}), ...);
    (rate.push_back({N, rate_of<N, A>(wgmma_groups(N))}), ...);
    (alone.push_back({N, rate_of<N, A>(1)}), ...);
    const std::string id = name_ + "." + source;
    const std::string how = text(", A from {}, B from shared memory, 128-byte swizzle, random data",
                                 A == Source::shared ? "shared memory" : "registers");
    context_.curve(id + ".latency", latency, "one warpgroup, each instruction waited for" + how);
    context_.curve(id + ".throughput", rate,
                   "4 warpgroups an SM (2 from N = 192 on), slowest block" + how);
    context_.curve(id + ".throughput.one_group", alone, "one warpgroup an SM, slowest block" + how);
  }

  template <int N, Source A>
  void launch_rate(int blocks, int groups, BlockTimes* times, Type* results, int trips) {
    const auto kernel = wgmma_rate_kernel<F, N, A>;
    const std::size_t shared = wgmma_shared_bytes(N);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared)),
          "cudaFuncSetAttribute");
    kernel<<<blocks, groups * wgmma_threads, shared, context_.stream()>>>(
        times, results, device_b_.data(), device_a_.data(), trips);
    check_launch("wgmma_rate_kernel");
  }

  template <int N, Source A>
  void launch_latency(long long* cycles, Type* results, int trips) {
    const auto kernel = wgmma_latency_kernel<F, N, A>;
    const std::size_t shared = wgmma_shared_bytes(N);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared)),
          "cudaFuncSetAttribute");
    kernel<<<1, wgmma_threads, shared, context_.stream()>>>(cycles, results, device_b_.data(),
                                                            device_a_.data(), trips);
    check_launch("wgmma_latency_kernel");
  }

  template <int N, Source A>
  Repetitions latency_of() {
    BlockCycles cycles(1);
    const auto launch = [&](int trips) { launch_latency<N, A>(cycles.data(), nullptr, trips); };
    return context_.repeat([&] {
      return differenced(cycles, context_.stream(), launch, 4, 36) / wgmma_latency_per_trip(N);
    });
  }

  /// FMA an SM and cycle.
  template <int N, Source A>
  Repetitions rate_of(int groups) {
    DeviceBuffer<BlockTimes> times(static_cast<std::size_t>(context_.sm_count()));
    const auto cycles_of = [&](int trips) {
      launch_rate<N, A>(context_.sm_count(), groups, times.data(), nullptr, trips);
      check(cudaStreamSynchronize(context_.stream()), "wgmma_rate_kernel");
      std::vector<BlockTimes> all(times.size());
      times.download(all.data(), all.size());
      long long most = 0;
      for (const BlockTimes& block : all) most = std::max(most, block.cycles);
      return static_cast<double>(most);
    };
    const int shorter = 4, longer = shorter + 2048 / (groups * std::max(N, 64) / 16);
    const double work = mma_work(F, wgmma_m, N) * wgmma_per_trip * groups * (longer - shorter);
    return context_.repeat([&] {
      const double base = cycles_of(shorter);
      return work / (cycles_of(longer) - base);
    });
  }

  /// Both kernels' accumulators after one trip against the sums in double.
  template <int N, Source A>
  void check_numbers() {
    const int groups = wgmma_groups(N);
    const auto count = static_cast<std::size_t>(groups * wgmma_m * N);
    DeviceBuffer<BlockTimes> times(1);
    DeviceBuffer<long long> cycles(1);
    DeviceBuffer<Type> results(count);
    results.fill_bytes(0xff);  // NaN, or -1
    launch_rate<N, A>(1, groups, times.data(), results.data(), 1);
    compare<N>(results, groups, wgmma_per_trip / wgmma_slices, "rate kernel", A);
    results.fill_bytes(0xff);
    launch_latency<N, A>(cycles.data(), results.data(), 1);
    compare<N>(results, 1, wgmma_latency_per_trip(N) / wgmma_slices, "latency kernel", A);
  }

  template <int N>
  void compare(const DeviceBuffer<Type>& results, int groups, int passes, const char* kernel,
               Source source) {
    check(cudaStreamSynchronize(context_.stream()), kernel);
    std::vector<Type> found(results.size());
    results.download(found.data(), found.size());
    const int threads = groups * wgmma_threads;
    for (int thread = 0; thread < threads && wrong_.empty(); ++thread) {
      for (int i = 0; i < N / 2; ++i) {
        // PTX ISA, accumulator of wgmma: a warp has 16 rows, i / 4 picks 8 columns.
        const int lane = thread % 32;
        const int row = thread / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
        const int column = i / 4 * 8 + lane % 4 * 2 + i % 2;
        const DotProduct& dot = product(row, column);
        const double value = found[static_cast<std::size_t>(i * threads + thread)];
        const double error = std::abs(value - passes * dot.sum);
        if (error <= passes * dot.magnitude * tolerance(F, false)) continue;
        wrong_ = text("{} of m64n{}, A from {}: element {}, {} is {}, not {}", kernel, N,
                      source == Source::shared ? "shared memory" : "registers", row, column, value,
                      passes * dot.sum);
        return;
      }
    }
  }

  /// Of row `row` of A and row `column` of B over all slices; computed once.
  const DotProduct& product(int row, int column) {
    if (products_.empty()) {
      constexpr std::size_t length = wgmma_pitch_bytes / element_bytes(F);
      const std::vector<double> a = decoded(F, a_), b = decoded(F, b_);
      for (std::size_t i = 0; i < a.size(); i += length)
        for (std::size_t j = 0; j < b.size(); j += length)
          products_.push_back(dot_product(&a[i], &b[j], length));
    }
    return products_[static_cast<std::size_t>(row * wgmma_largest_n + column)];
  }

  void sustained(bool zeros) {
    const HoldOptions options = HoldOptions::of(context_, 0.15, 0.6);
    const std::string what =
        text("m64n256, {} warpgroups on every SM, A and B from shared memory", wgmma_groups(256));
    publish_rate(context_, name_ + ".rate", held(options), what + ", random data");
    if (!zeros) return;
    device_a_.fill_bytes(0);
    device_b_.fill_bytes(0);
    publish_rate(context_, name_ + ".rate.zeros", held(options), what + ", all zeros");
  }

  Context& context_;
  std::string name_;
  std::vector<unsigned char> b_, a_;
  DeviceBuffer<unsigned char> device_b_, device_a_;
  std::vector<DotProduct> products_;
  std::string wrong_;  ///< the first wrong number
};

/// Stores 1 where this build has code with Hopper's own instructions for this GPU.
static __global__ void wgmma_code_kernel(int* present) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  *present = 1;
#else
  *present = 0;
#endif
}

/// Why this GPU or this build has no wgmma; "" where it has.
inline std::string no_wgmma(Context& context) {
  const cudaDeviceProp& device = context.device().properties();
  if (device.major != 9)
    return text("wgmma exists on compute capability 9.0 alone, this is {}.{}{}", device.major,
                device.minor,
                device.major >= 10 ? "; its tcgen05 instructions are not measured" : "");
  DeviceBuffer<int> present(1);
  wgmma_code_kernel<<<1, 1, 0, context.stream()>>>(present.data());
  check_launch("wgmma_code_kernel");
  check(cudaStreamSynchronize(context.stream()), "wgmma_code_kernel");
  int value = 0;
  present.download(&value, 1);
  return value == 1 ? "" : "this build has no sm_90a code: configure with architecture 90a";
}

template <Format F>
void run_wgmma(Context& context, const char* name, bool zeros) {
  const std::string reason = no_wgmma(context);
  if (reason.empty())
    WgmmaSuite<F>(context, name).run(zeros);
  else
    context.close(State::skipped, reason);
}

}  // namespace rooftile::micro
