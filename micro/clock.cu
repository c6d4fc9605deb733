// The real SM clock when idle, under light load, and under memory, FFMA and tensor load; the
// board's power and temperature beside it, and how long the clock takes to settle.
//
// SM clock = clock64 over globaltimer, both read by the kernel that makes the load: no sampling
// race with a host-side reading. Light load: a one-thread probe. The loads are held on every SM
// without gaps, and what falls into the first tenths of a second does not count (clock_load.cuh):
// reads of a buffer far larger than L2; outer products of random numbers in FFMA; wgmma m64n256k16
// BF16 on random numbers, or mma.sync f16 on GPUs without wgmma. Time to steady: from the start of
// a load to the last launch whose clock differs from the steady one by more than 0.5 %, in steps of
// a launch (10 ms), the longest of the rounds; 0 when none did.
//
// Idle: NVML's reading before this process opens its context, since the driver keeps the clocks up
// while one exists, and some seconds after. `suspect` unless NVML itself says that the GPU idles.
//
// Expect on an H200: idle 345 MHz and some 75 to 120 W; 1980 MHz light and under memory load, 1968
// to 1980 MHz under FFMA (568 W), less under tensor load, which runs into the limit of 700 W.
// Temperatures: no public value.
//
// Pitfalls: the driver lowers the clock with power and temperature over seconds, so short loads
// flatter: what is steady here is steady over a second, not over minutes. Zeros as operands draw
// less power than random data (wgmma.bf16.rate.zeros).
//
// ENTRY: clock.idle | metric | Hz | SM clock that NVML reports before a context exists
// ENTRY: clock.idle.power | metric | W | board power before a context exists
// ENTRY: clock.idle.temperature | metric | degC | GPU temperature before a context exists
// ENTRY: clock.light | metric | Hz | SM clock under light load
// ENTRY: clock.memory | metric | Hz | SM clock while all SMs read DRAM
// ENTRY: clock.memory.power | metric | W | board power while all SMs read DRAM
// ENTRY: clock.memory.temperature | metric | degC | GPU temperature while all SMs read DRAM
// ENTRY: clock.memory.time_to_steady | metric | s | from the start of the memory load to its steady clock
// ENTRY: clock.ffma | metric | Hz | SM clock under full FFMA load
// ENTRY: clock.ffma.power | metric | W | board power under full FFMA load
// ENTRY: clock.ffma.temperature | metric | degC | GPU temperature under full FFMA load
// ENTRY: clock.ffma.time_to_steady | metric | s | from the start of the FFMA load to its steady clock
// ENTRY: clock.tensor | metric | Hz | SM clock under full tensor load on random data
// ENTRY: clock.tensor.power | metric | W | board power under full tensor load on random data
// ENTRY: clock.tensor.temperature | metric | degC | GPU temperature under full tensor load
// ENTRY: clock.tensor.time_to_steady | metric | s | from the start of the tensor load to its steady clock
// ENTRY: clock.time_to_steady | metric | s | the longest of the three
#include "micro/clock_load.cuh"
#include "micro/clock_memory.cuh"
#include "micro/ffma_kernel.cuh"
#include "micro/microbenchmark.hpp"
#include "micro/mma_sync_kernel.cuh"
#include "micro/mma_sync_suite.cuh"
#include "micro/wgmma_kernel.cuh"
#include "micro/wgmma_suite.cuh"

namespace rooftile::micro {
namespace {

constexpr int load_warps = 8;

void idle(Context& context) {
  const DeviceCondition& now = context.device().before_context();
  if (!now.available) {
    for (const char* id : {"clock.idle", "clock.idle.power", "clock.idle.temperature"})
      context.skip(id, "NVML is not available");
    return;
  }
  const auto& reasons = now.throttle_reasons;
  const bool idle = std::find(reasons.begin(), reasons.end(), "gpu_idle") != reasons.end();
  const State state = idle ? State::ok : State::suspect;
  const std::string reason =
      idle ? ""
           : text(
                 "NVML does not say that the GPU idled: {:.0f} MHz, {:.0f} W; another process's "
                 "context or recent work keeps clocks up",
                 now.sm_clock_hz / 1e6, now.power_w);
  const std::string method = "NVML, one reading before this process opened its context";
  const auto publish = [&](const char* id, double value) {
    if (value > 0)
      context.exact(id, value, "reading", method, state, reason);
    else
      context.skip(id, "NVML does not report it here");
  };
  publish("clock.idle", now.sm_clock_hz);
  publish("clock.idle.power", now.power_w);
  publish("clock.idle.temperature", now.temperature_c);
}

/// Reads the probe for at least 0.1 s, then until two reads agree to 0.1 %, at most half a second.
void settle(Context& context) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  const auto earliest = end - std::chrono::milliseconds(400);
  double previous = context.device().sm_clock_hz();
  while (std::chrono::steady_clock::now() < end) {
    const double clock = context.device().sm_clock_hz();
    if (std::abs(clock - previous) < 1e-3 * clock && std::chrono::steady_clock::now() > earliest)
      return;
    previous = clock;
  }
}

void light(Context& context) {
  settle(context);
  const Repetitions found = context.repeat([&] { return context.device().sm_clock_hz(); });
  context.metric("clock.light", found, "median",
                 "probe kernel of one thread: clock64 over globaltimer");
}

HeldLoad hold_ffma(Context& context, const HoldOptions& options) {
  static_assert(sizeof(LoadTimes) == sizeof(BlockTimes));
  DeviceBuffer<float> sink(1);
  LoadHolder holder(context, context.sm_count(), [&](BlockTimes* times, int trips) {
    ffma_throughput_kernel<<<context.sm_count(), 32 * load_warps, 0, context.stream()>>>(
        reinterpret_cast<LoadTimes*>(times), sink.data(), 7u, trips);
  });
  return holder.hold(2.0 * ffma_per_trip * 32 * load_warps * context.sm_count(), options);
}

/// Holds the heaviest tensor load that this GPU and this build have; `what` says which. Nothing
/// where they have none.
std::optional<HeldLoad> hold_tensor(Context& context, const HoldOptions& options,
                                    std::string& what) {
  if (no_wgmma(context).empty()) {
    what = "wgmma m64n256k16 BF16, random data";
    return WgmmaSuite<Format::bf16>(context, "bf16").held(options);
  }
  if (MmaSuite<MmaKind::f16> load(context); load.absent().empty()) {
    what = text("mma.sync {}, random data", mma_shape(MmaKind::f16).text);
    return load.held(load_warps, options);
  }
  if (MmaSuite<MmaKind::f16_k8> load(context); load.absent().empty()) {
    what = text("mma.sync {}, random data", mma_shape(MmaKind::f16_k8).text);
    return load.held(load_warps, options);
  }
  return std::nullopt;
}

/// The longer of this round's and the earlier rounds' time.
double longest(const Context& context, const std::string& id, double seconds) {
  return std::max(seconds, context.profile().find(id).value_or(0));
}

/// Returns the time to steady.
double publish_load(Context& context, const std::string& id, const HeldLoad& load,
                    const std::string& what, const char* rate_unit) {
  const std::string method =
      what + text(", {:.4g} {}; ", median(load.rate.values), rate_unit) + load.method;
  context.metric(id, load.clock_hz, "median of launches",
                 "clock64 over globaltimer inside the load: " + method);
  publish_reading(context, id + ".power", load.power_w, method);
  publish_reading(context, id + ".temperature", load.temperature_c, method);
  const std::string steady = id + ".time_to_steady";
  const double seconds = longest(context, steady, load.steady_after_s);
  context.exact(steady, seconds, "longest of the rounds",
                "last launch whose clock is off the steady one by more than 0.5 %: " + method,
                load.clock_hz.state, load.clock_hz.reason);
  return seconds;
}

void run(Context& context) {
  idle(context);
  light(context);
  const HoldOptions options = HoldOptions::of(context, 0.3, 1.2);
  double steady_s = publish_load(context, "clock.memory", hold_memory_load(context, options),
                                 "reads of a buffer far larger than L2", "byte/s");
  steady_s = std::max(
      steady_s,
      publish_load(context, "clock.ffma", hold_ffma(context, options),
                   text("8x16 outer products on random data, {} warps", load_warps), "flop/s"));
  std::string what;
  if (const std::optional<HeldLoad> tensor = hold_tensor(context, options, what)) {
    steady_s = std::max(steady_s, publish_load(context, "clock.tensor", *tensor, what, "flop/s"));
  } else {
    for (const char* id : {"clock.tensor", "clock.tensor.power", "clock.tensor.temperature",
                           "clock.tensor.time_to_steady"})
      context.skip(id, "neither this GPU nor this build has a tensor instruction in common");
  }
  context.exact("clock.time_to_steady", steady_s, "longest of the loads",
                "see clock.memory, clock.ffma and clock.tensor .time_to_steady");
}

const Register registered{
    {"clock", "SM clock, power and temperature: idle, light, memory, FFMA, tensor", 7, run}};

}  // namespace
}  // namespace rooftile::micro
