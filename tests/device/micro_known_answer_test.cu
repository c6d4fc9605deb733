// Known answers: kernels whose cycles are fixed by construction must be timed within 1 %, by events
// and by differenced cycle counts alike. Skipped without a GPU.
#include <gtest/gtest.h>

#include <optional>

#include "micro/context.hpp"
#include "micro/timing.cuh"
#include "model/error.hpp"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

/// Ends when `cycles` SM cycles have passed since its start.
__global__ void wait_kernel(long long cycles) {
  const long long start = cycle_counter();
  while (cycle_counter() - start < cycles) {
  }
}

/// Each trip waits until its share of the cycles since the start has passed: `trips` x `cycles`.
__global__ void paced_kernel(long long* found, int trips, int cycles) {
  const long long start = cycle_counter();
  long long due = start;
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
    due += cycles;
    while (cycle_counter() < due) {
    }
  }
  found[blockIdx.x] = cycle_counter() - start;
}

class KnownAnswer : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      device.emplace("");
    } catch (const NoDeviceError& error) {
      GTEST_SKIP() << error.what();
    }
    context.emplace(*device, false, profile, "none");
  }

  std::optional<Device> device;
  DeviceProfile profile;
  std::optional<Context> context;
};

TEST_F(KnownAnswer, EventTimeOfAFixedNumberOfCycles) {
  constexpr long long cycles = 2'000'000;
  const Repetitions seconds = context->durations(
      [](cudaStream_t stream) {
        wait_kernel<<<1, 1, 0, stream>>>(cycles);
        check_launch("wait_kernel");
      },
      1);
  const double expected = cycles / device->sm_clock_hz();
  EXPECT_NEAR(median(seconds.values) / expected, 1, 0.01);
  EXPECT_EQ(seconds.state, State::ok) << seconds.reason;
}

TEST_F(KnownAnswer, DifferencedCyclesOfAPacedLoop) {
  for (const int pace : {500, 1000, 5000}) {
    BlockCycles cycles(1);
    const auto launch = [&](int trips) {
      paced_kernel<<<1, 1, 0, device->stream()>>>(cycles.data(), trips, pace);
      check_launch("paced_kernel");
    };
    const Repetitions found =
        context->repeat([&] { return differenced(cycles, device->stream(), launch, 50, 1050); });
    EXPECT_NEAR(median(found.values) / pace, 1, 0.01) << pace;
  }
}

TEST_F(KnownAnswer, RepetitionsOfAllRoundsArePooled) {
  Context first(*device, false, profile, "ffma"), second(*device, false, profile, "ffma");
  first.metric("ffma.latency", {{1, 2, 3, 4, 5}, State::ok, ""}, "median", "synthetic");
  second.metric("ffma.latency", {{3, 4, 5, 6, 7}, State::ok, ""}, "median", "synthetic");
  EXPECT_EQ(profile.metrics["ffma.latency"].n, 10);
  EXPECT_EQ(profile.metrics["ffma.latency"].value, 4);
  second.close(State::failed, "stopped");  // what was measured before stays, what was not fails
  EXPECT_EQ(profile.metrics["ffma.latency"].state, State::ok);
  EXPECT_EQ(profile.metrics["ffma.throughput"].state, State::failed);
  Context third(*device, false, profile, "ffma");
  third.close(State::failed, "stopped");
  EXPECT_EQ(profile.metrics["ffma.latency"].state, State::suspect);
  EXPECT_EQ(profile.metrics["ffma.latency"].value, 4);
}

}  // namespace
}  // namespace rooftile::micro
