// The sampler on a synthetic device whose times, clock and throttle reasons are given functions.
#include "gpu/sampler.hpp"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <random>

namespace rooftile::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Synthetic : TimedCase {
  std::function<double(int)> duration = [](int) { return 1e-3; };       ///< of the i-th sample
  std::function<double(double)> clock = [](double) { return 1.98e9; };  ///< over wall time
  std::function<std::vector<std::string>(double)> reasons = [](double) {
    return std::vector<std::string>{};
  };
  double now = 0;
  std::vector<double> taken;

  double sample() override {
    taken.push_back(duration(static_cast<int>(taken.size())));
    now += taken.back();
    return taken.back();
  }
  double sm_clock_hz() override { return clock(now += 100e-6); }
  DeviceCondition condition() override { return {true, clock(now), 3e9, 500, 40, reasons(now)}; }
  double wall_s() override { return now; }
};

TEST(Sampler, ASteadyCaseConvergesWithTheMinimum) {
  Synthetic device;
  const auto result = sample(device, {});
  EXPECT_EQ(result.samples_s.size(), 7U);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.state(), State::ok);
  EXPECT_EQ(result.reason(), "");
  EXPECT_EQ(result.clock_hz(), 1.98e9);
  EXPECT_EQ(result.clocks_hz.size(), 2U);
  const auto summary = result.summary();
  EXPECT_EQ(summary.median, 1e-3);
  EXPECT_EQ(summary.mad, 0);
  EXPECT_EQ(summary.n, 7);
  EXPECT_TRUE(summary.converged);
}

TEST(Sampler, NoiseIsAveragedUntilTheTargetIsReached) {
  Synthetic device;
  std::mt19937_64 engine(7);
  std::normal_distribution<double> noise(1e-3, 1.5e-5);
  device.duration = [&](int) { return noise(engine); };
  const auto result = sample(device, {});
  const auto summary = result.summary();
  EXPECT_TRUE(result.converged);
  EXPECT_GT(summary.n, 7);
  EXPECT_LE((summary.ci95.hi - summary.ci95.lo) / 2, 0.005 * summary.median);
  EXPECT_NEAR(summary.median, 1e-3, 1e-5);
}

TEST(Sampler, WarmsUpUntilTheClockIsSteady) {
  Synthetic device;
  device.clock = [](double t) { return t < 0.05 ? 345e6 + t / 0.05 * 1635e6 : 1.98e9; };
  const auto result = sample(device, {});
  EXPECT_GE(result.warmup_samples, 40);
  EXPECT_EQ(result.state(), State::ok);
  EXPECT_GT(*std::min_element(result.clocks_hz.begin(), result.clocks_hz.end()), 1.97e9);
}

TEST(Sampler, WarmUpEndsAtItsCap) {
  Synthetic device;
  device.clock = [](double t) { return 1e9 * (1 + t); };
  const auto result = sample(device, {});
  EXPECT_LE(result.warmup_samples * 1e-3, 0.31);
  EXPECT_FALSE(result.samples_s.empty());
}

TEST(Sampler, ADriftingClockIsSuspect) {
  Synthetic device;
  device.duration = [](int i) { return i % 2 == 0 ? 1e-3 : 1.2e-3; };
  device.clock = [](double t) { return t < 0.1 ? 1.98e9 : 1.88e9; };
  const auto result = sample(device, {});
  EXPECT_EQ(result.state(), State::suspect);
  EXPECT_THAT(result.reason(), HasSubstr("the SM clock moved by 5.3 %"));
}

TEST(Sampler, ThrottlingIsSuspectAndIdlingIsNot) {
  Synthetic device;
  device.reasons = [](double t) {
    return t < 0.005 ? std::vector<std::string>{"gpu_idle"}
                     : std::vector<std::string>{"applications_clocks_setting"};
  };
  const auto calm = sample(device, {});
  EXPECT_EQ(calm.state(), State::ok);
  EXPECT_THAT(calm.throttle_reasons, ElementsAre("gpu_idle", "applications_clocks_setting"));

  Synthetic hot;
  hot.reasons = [](double t) {
    return t > 0.005 ? std::vector<std::string>{"sw_power_cap"} : std::vector<std::string>{};
  };
  const auto result = sample(hot, {});
  EXPECT_EQ(result.state(), State::suspect);
  EXPECT_EQ(result.reason(), "throttled: sw_power_cap");
  EXPECT_TRUE(result.start.throttle_reasons.empty());
  EXPECT_THAT(result.end.throttle_reasons, ElementsAre("sw_power_cap"));
}

TEST(Sampler, OutliersAreNeverDropped) {
  Synthetic device;
  device.duration = [](int i) { return i % 5 == 4 ? 1e-2 : 1e-3; };
  SampleOptions options;
  options.min_samples = 50;
  const auto result = sample(device, options);
  const std::vector<double> kept(device.taken.begin() + result.warmup_samples, device.taken.end());
  EXPECT_EQ(result.samples_s, kept) << "order and number as taken";
  EXPECT_EQ(result.summary().p95, 1e-2);
  EXPECT_EQ(result.summary().median, 1e-3);
}

TEST(Sampler, WhatNeverConvergesStopsAtTheWallCap) {
  Synthetic device;
  std::mt19937_64 engine(3);
  device.duration = [&](int) { return engine() % 2 == 0 ? 1e-2 : 2e-2; };
  const auto result = sample(device, {});
  EXPECT_FALSE(result.converged);
  EXPECT_FALSE(result.summary().converged);
  EXPECT_GE(device.now, 1.0);
  EXPECT_LT(device.now, 1.05);
  EXPECT_EQ(result.state(), State::suspect);
  EXPECT_THAT(result.reason(), HasSubstr("noisy"));
}

TEST(Sampler, SlowCasesStillGetThreeSamples) {
  Synthetic device;
  device.duration = [](int i) { return 2.0 + 1e-3 * i; };
  const auto result = sample(device, {});
  EXPECT_EQ(result.samples_s.size(), 3U);
  EXPECT_EQ(result.warmup_samples, 1);
  EXPECT_FALSE(result.converged) << "three samples do not make a 95 % interval";
  EXPECT_EQ(result.state(), State::ok);
  const auto summary = result.summary();
  EXPECT_EQ(summary.ci95.lo, result.samples_s.front());
  EXPECT_EQ(summary.ci95.hi, result.samples_s.back());
}

TEST(Sampler, MaxSamplesHolds) {
  Synthetic device;
  device.duration = [](int i) { return i % 2 == 0 ? 1e-6 : 3e-6; };
  SampleOptions options;
  options.max_samples = 20;
  EXPECT_EQ(sample(device, options).samples_s.size(), 20U);
  options.max_samples = 1;
  EXPECT_EQ(sample(device, options).samples_s.size(), 1U);
}

TEST(Sampler, AnUnknownClockIsNoFault) {
  Synthetic device;
  device.clock = [](double) { return 0.0; };
  const auto result = sample(device, {});
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.clock_hz(), 0);
  EXPECT_EQ(result.state(), State::ok);
}

TEST(Sampler, EndsInTimeWhateverTheCase) {
  EXPECT_TRUE(rc::check("bounded time, enough samples, none lost", [] {
    Synthetic device;
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    const double scale = *rc::gen::element(1e-6, 1e-4, 1e-2, 0.7, 5.0);
    std::mt19937_64 engine(seed);
    std::lognormal_distribution<double> spread(0, *rc::gen::element(0.0, 0.01, 1.0));
    std::uniform_real_distribution<double> clock(1e9, 2e9);
    device.duration = [&](int) { return std::min(10.0, scale * spread(engine)); };
    if (*rc::gen::arbitrary<bool>()) device.clock = [&](double) { return clock(engine); };
    SampleOptions options;
    options.min_samples = *rc::gen::inRange(0, 50);
    options.max_samples = *rc::gen::inRange(1, 200);
    options.block = *rc::gen::inRange(0, 20);
    options.wall_cap_s = *rc::gen::element(0.0, 0.1, 1.0);
    const auto result = sample(device, options);
    const double longest = *std::max_element(device.taken.begin(), device.taken.end());
    RC_ASSERT(result.samples_s.size() >=
              std::min<std::size_t>(3, static_cast<std::size_t>(options.max_samples)));
    RC_ASSERT(result.samples_s.size() <= static_cast<std::size_t>(options.max_samples));
    RC_ASSERT(result.samples_s.size() + static_cast<std::size_t>(result.warmup_samples) ==
              device.taken.size());
    RC_ASSERT(device.now <= options.wall_cap_s + 5 * longest + 2e-3);
    RC_ASSERT(result.summary().ci95.lo <= result.summary().median);
  }));
}

}  // namespace
}  // namespace rooftile::test
