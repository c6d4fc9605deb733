// What the mma.sync microbenchmark does for one kind: checks the numbers, then latency, rate over
// warps, and the sustained rate with its clock and power.
#pragma once

#include <cuda_fp16.h>

#include <cstring>

#include "micro/mma_sync_kernel.cuh"

namespace rooftile::micro {

template <MmaKind Kind>
class MmaSuite {
 public:
  static constexpr MmaShape shape = mma_shape(Kind);

  explicit MmaSuite(Context& context)
      : context_(context),
        name_(text("mma.{}", shape.name)),
        a_(random_operand(shape.format, mma_a_bytes, 3)),
        b_(random_operand(shape.format, mma_b_bytes, 4)),
        device_a_(mma_a_bytes),
        device_negated_(mma_a_bytes),
        device_b_(mma_b_bytes),
        sink_(1) {
    const std::vector<unsigned char> opposite = negated(shape.format, a_);
    device_a_.upload(a_.data(), a_.size());
    device_negated_.upload(opposite.data(), opposite.size());
    device_b_.upload(b_.data(), b_.size());
  }

  /// Why this GPU or this build lacks the instruction; "" where it has it.
  std::string absent() const {
    const cudaDeviceProp& device = context_.device().properties();
    if (device.major * 10 + device.minor < shape.oldest)
      return text("{} needs compute capability {}.{}, this is {}.{}", shape.text, shape.oldest / 10,
                  shape.oldest % 10, device.major, device.minor);
    for (const unsigned word : products())
      if (word != untouched) return "";
    return text("this build has no code for {}: configure with this GPU's architecture",
                shape.text);
  }

  void run() {
    const std::string reason = absent();
    const std::string wrong = reason.empty() ? first_wrong() : "";
    if (!reason.empty() || !wrong.empty()) {
      for (const char* entry :
           {"latency", "throughput", "throughput.over_warps", "rate", "rate.clock", "rate.power"}) {
        const std::string id = text("{}.{}", name_, entry);
        if (wrong.empty())
          context_.skip(id, reason);
        else
          context_.fail(id, wrong);
      }
      return;
    }
    latency();
    const int warps = throughput();
    publish_rate(
        context_, name_ + ".rate", held(warps, HoldOptions::of(context_, 0.15, 0.6)),
        text("mma.sync {}, {} warps on every SM, random data in registers", shape.text, warps));
  }

  HeldLoad held(int warps, const HoldOptions& options) {
    LoadHolder holder(context_, context_.sm_count(),
                      [&](BlockTimes* times, int trips) { launch_rate(warps, times, trips); });
    const double flop = 2 * mma_work(shape.format, shape.m, mma_n, shape.k_bytes) * mma_per_trip;
    return holder.hold(flop * warps * context_.sm_count(), options);
  }

 private:
  static constexpr unsigned untouched = 0xffffffffu;  ///< a NaN, or -1 in int8

  MmaOperands operands() const {
    return {device_a_.data(), device_negated_.data(), device_b_.data(), 0};
  }

  /// Registers of one product, lane by lane.
  std::vector<unsigned> products() const {
    DeviceBuffer<unsigned> result(32 * shape.c);
    result.fill_bytes(0xff);
    mma_check_kernel<Kind><<<1, 32, 0, context_.stream()>>>(result.data(), operands());
    check_launch("mma_check_kernel");
    check(cudaStreamSynchronize(context_.stream()), "mma_check_kernel");
    std::vector<unsigned> found(result.size());
    result.download(found.data(), found.size());
    return found;
  }

  /// Value of element `column` (0 or 1) of the two that a lane has in row g + 8 `half`.
  static double value_of(const unsigned* registers, int half, int column) {
    if constexpr (shape.half) {
      __half_raw raw;
      raw.x = static_cast<unsigned short>(registers[half] >> (16 * column));
      return __half2float(raw);
    } else if constexpr (shape.format == Format::int8) {
      return static_cast<int>(registers[2 * half + column]);
    } else {
      float value;
      std::memcpy(&value, &registers[2 * half + column], sizeof(value));
      return value;
    }
  }

  /// "" when one product agrees with the sums in double.
  std::string first_wrong() const {
    constexpr std::size_t pitch = mma_k_bytes / element_bytes(shape.format);
    constexpr std::size_t length = shape.k_bytes / element_bytes(shape.format);
    const std::vector<double> a = decoded(shape.format, a_), b = decoded(shape.format, b_);
    const std::vector<unsigned> found = products();
    for (int row = 0; row < shape.m; ++row) {
      for (int column = 0; column < mma_n; ++column) {
        const int lane = row % 8 * 4 + column / 2;
        const double value =
            value_of(&found[static_cast<std::size_t>(lane * shape.c)], row / 8, column % 2);
        const DotProduct dot = dot_product(&a[static_cast<std::size_t>(row) * pitch],
                                           &b[static_cast<std::size_t>(column) * pitch], length);
        const double error = std::abs(value - dot.sum);
        if (!(error <= dot.magnitude * tolerance(shape.format, shape.half)))
          return text("wrong number: element {}, {} of {} is {}, not {}", row, column, shape.text,
                      value, dot.sum);
      }
    }
    return "";
  }

  void latency() {
    BlockCycles cycles(1);
    const auto launch = [&](int trips) {
      mma_latency_kernel<Kind>
          <<<1, 32, 0, context_.stream()>>>(cycles.data(), sink_.data(), operands(), trips);
      check_launch("mma_latency_kernel");
    };
    const Repetitions found = context_.repeat(
        [&] { return differenced(cycles, context_.stream(), launch, 8, 40) / mma_per_trip; });
    context_.metric(
        name_ + ".latency", found, "median of differences",
        text("one warp, {}, each adds to the accumulators of the one before", shape.text));
  }

  void launch_rate(int warps, BlockTimes* times, int trips) {
    mma_rate_kernel<Kind><<<context_.sm_count(), 32 * warps, 0, context_.stream()>>>(
        times, sink_.data(), operands(), trips);
    check_launch("mma_rate_kernel");
  }

  Repetitions rate_of(int warps) {
    DeviceBuffer<BlockTimes> times(static_cast<std::size_t>(context_.sm_count()));
    const auto cycles_of = [&](int trips) {
      launch_rate(warps, times.data(), trips);
      check(cudaStreamSynchronize(context_.stream()), "mma_rate_kernel");
      std::vector<BlockTimes> all(times.size());
      times.download(all.data(), all.size());
      long long most = 0;
      for (const BlockTimes& block : all) most = std::max(most, block.cycles);
      return static_cast<double>(most);
    };
    const int shorter = 16, longer = shorter + 1024 / std::max(warps, 4);
    const double instructions = static_cast<double>(mma_per_trip) * warps * (longer - shorter);
    return context_.repeat([&] {
      const double base = cycles_of(shorter);
      return instructions / (cycles_of(longer) - base);
    });
  }

  /// Publishes the curve and its best point; returns that one's warps.
  int throughput() {
    std::vector<CurvePoint> points;
    for (const int warps : {1, 2, 4, 8, 12, mma_max_warps})
      points.push_back({static_cast<double>(warps), rate_of(warps)});
    const CurvePoint* best = &points[2];
    for (const CurvePoint& point : points)
      if (median(point.y.values) > 1.002 * median(best->y.values)) best = &point;
    const std::string how = text("{}, {} independent accumulators a warp, slowest block",
                                 shape.text, mma_rows * mma_columns);
    context_.curve(name_ + ".throughput.over_warps", points, how);
    context_.metric(name_ + ".throughput", best->y, "median of differences",
                    text("{:.0f} warps an SM, the best; ", best->x) + how);
    return static_cast<int>(best->x);
  }

  Context& context_;
  std::string name_;
  std::vector<unsigned char> a_, b_;
  DeviceBuffer<unsigned char> device_a_, device_negated_, device_b_;
  DeviceBuffer<unsigned> sink_;
};

}  // namespace rooftile::micro
