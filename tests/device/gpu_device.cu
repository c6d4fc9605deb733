// The device layer against what is known from outside: NVML's clock, a kernel that lasts as long as
// it is told, a copy of known bytes, a kernel whose shared-memory wavefronts can be counted by
// hand.
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <optional>
#include <regex>
#include <vector>

#include "gpu/cuda/counters.hpp"
#include "gpu/cuda/device.hpp"
#include "gpu/cuda/probe.hpp"
#include "gpu/doctor.hpp"
#include "model/error.hpp"

namespace rooftile {
namespace {

/// The first GPU, or none and a skipped test.
class GpuDevice : public testing::Test {
 protected:
  void SetUp() override {
    try {
      device_.emplace("");
    } catch (const NoDeviceError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  std::optional<Device> device_;
};

__global__ void multiply_add(float* result, int steps) {
  float a = static_cast<float>(threadIdx.x), b = a + 1, c = a + 2, d = a + 3;
  for (int i = 0; i < steps; ++i) {
    a = fmaf(a, 0.999f, 0.5f);
    b = fmaf(b, 0.999f, 0.5f);
    c = fmaf(c, 0.999f, 0.5f);
    d = fmaf(d, 0.999f, 0.5f);
  }
  result[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}

TEST_F(GpuDevice, EnvironmentIsComplete) {
  const Environment environment = device_->environment();
  EXPECT_NE(environment.gpu_name, "");
  EXPECT_TRUE(std::regex_match(
      environment.gpu_uuid,
      std::regex("GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")))
      << environment.gpu_uuid;
  EXPECT_TRUE(std::regex_match(
      environment.pci_bus_id, std::regex("[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\\.[0-9]")))
      << environment.pci_bus_id;
  EXPECT_GE(environment.compute_capability_major, 7);
  EXPECT_GT(environment.sm_count, 0);
  EXPECT_NE(environment.driver_version, "");
  EXPECT_TRUE(std::regex_match(environment.cuda_runtime_version, std::regex("[0-9]+\\.[0-9]+")));
  EXPECT_TRUE(std::regex_match(environment.cublas_version, std::regex("[0-9]+\\.[0-9]+\\.[0-9]+")));
  EXPECT_NE(environment.host, "");
  EXPECT_THAT(environment.ecc, testing::AnyOf("on", "off"));
  if (environment.start.available) EXPECT_GT(environment.power_limit_w, 0);
}

TEST_F(GpuDevice, IsFoundByUuidAndByItsStart) {
  const std::string uuid = device_->environment().gpu_uuid;
  EXPECT_EQ(Device(uuid).index(), device_->index());
  EXPECT_EQ(Device(uuid.substr(0, 16)).index(), device_->index());
  EXPECT_EQ(Device("0").index(), 0);
}

TEST_F(GpuDevice, UnknownNamesAreRefusedWithAdvice) {
  EXPECT_THROW(Device("9999"), NoDeviceError);
  EXPECT_THROW(Device("GPU-00000000-dead"), NoDeviceError);
  EXPECT_THROW(Device("-1"), InputError);
  EXPECT_THROW(Device("0x0"), InputError);
  try {
    Device("12abc");
    FAIL() << "12abc was accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("12abc"), testing::HasSubstr("nvidia-smi -L")));
  }
}

/// NVML reads the clock of the last 100 ms, so the load lasts half a second.
TEST_F(GpuDevice, ClockProbeAgreesWithNvmlUnderLoad) {
  if (!device_->condition().available) GTEST_SKIP() << "no NVML";
  const int blocks = 4 * device_->properties().multiProcessorCount, threads = 256;
  DeviceBuffer<float> result(static_cast<std::size_t>(blocks) * threads);
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::milliseconds(500);
  while (Clock::now() < end) {
    multiply_add<<<blocks, threads, 0, device_->stream()>>>(result.data(), 100'000);
    check_launch("multiply_add");
    check(cudaStreamSynchronize(device_->stream()), "multiply_add");
  }
  multiply_add<<<blocks, threads, 0, device_->stream()>>>(result.data(), 100'000);
  const double nvml_hz = device_->condition().sm_clock_hz;
  const double probe_hz = device_->sm_clock_hz();
  EXPECT_NEAR(probe_hz / nvml_hz, 1.0, 0.05) << probe_hz << " " << nvml_hz;
}

TEST_F(GpuDevice, ClockProbeRepeats) {
  for (int i = 0; i < 50; ++i) device_->sm_clock_hz();
  const double first_hz = device_->sm_clock_hz(), second_hz = device_->sm_clock_hz();
  EXPECT_NEAR(first_hz / second_hz, 1.0, 0.01);
}

TEST_F(GpuDevice, EventsReadTheLengthOfAKernelOfKnownLength) {
  constexpr unsigned span_ns = 200'000;
  EventTimedCase timed(*device_, [](cudaStream_t stream) { launch_delay(span_ns, stream); });
  timed.sample();
  std::vector<double> samples;
  for (int i = 0; i < 11; ++i) samples.push_back(timed.sample());
  std::sort(samples.begin(), samples.end());
  EXPECT_NEAR(samples[5], span_ns * 1e-9, 0.03 * span_ns * 1e-9);
}

TEST_F(GpuDevice, RepetitionsAreAveragedAndPreparationIsNotTimed) {
  constexpr unsigned span_ns = 100'000;
  int prepared = 0;
  EventTimedCase timed(
      *device_, [](cudaStream_t stream) { launch_delay(span_ns, stream); }, 8,
      [&] {
        ++prepared;
        launch_delay(5'000'000, nullptr);  // on another stream, and 50 times as long
      });
  timed.sample();
  EXPECT_NEAR(timed.sample(), span_ns * 1e-9, 0.06 * span_ns * 1e-9);
  EXPECT_EQ(prepared, 2);
}

TEST_F(GpuDevice, AFailedLaunchThrowsAndLeavesTheDeviceUsable) {
  EventTimedCase timed(*device_, [](cudaStream_t stream) {
    multiply_add<<<1, 4096, 0, stream>>>(nullptr, 1);  // a block has at most 1024 threads
  });
  EXPECT_THROW(timed.sample(), GpuError);
  EXPECT_GT(device_->sm_clock_hz(), 0);
}

using Values = std::map<std::string, double>;

/// Counters of `launch`, or none where the machine refuses them, with a reason that says what to
/// do.
std::optional<Values> counters_of(const Device& device, const std::function<void()>& launch) {
  const CounterSet set = make_counters(device.index())->collect(launch);
  if (!set.reason.empty()) {
    EXPECT_TRUE(set.values.empty());
    return std::nullopt;
  }
  EXPECT_FALSE(set.values.empty());
  return Values(set.values.begin(), set.values.end());
}

__global__ void copy_words(const float4* from, float4* to, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    to[i] = from[i];
  }
}

TEST_F(GpuDevice, CountersReadTheBytesOfACopy) {
  constexpr std::size_t bytes = std::size_t{1} << 30;  // well beyond every L2
  DeviceBuffer<float4> from(bytes / sizeof(float4)), to(bytes / sizeof(float4));
  from.fill_bytes(1);
  const auto values = counters_of(*device_, [&] {
    copy_words<<<4096, 256, 0, device_->stream()>>>(from.data(), to.data(), from.size());
  });
  if (!values) GTEST_SKIP() << make_counters(device_->index())->collect([] {}).reason;
  EXPECT_NEAR(values->at("dram.read_bytes") / bytes, 1.0, 0.05);
  EXPECT_NEAR(values->at("dram.write_bytes") / bytes, 1.0, 0.05);
  EXPECT_NEAR(values->at("l2.read_bytes") / bytes, 1.0, 0.01);
  EXPECT_NEAR(values->at("l2.write_bytes") / bytes, 1.0, 0.01);
}

constexpr int loads = 64;

/// One store and `loads` loads a thread. The loads of a warp are `stride` words apart: they take as
/// many wavefronts as lanes share a bank, gcd(stride, 32).
__global__ void strided_loads(float* result, int stride) {
  __shared__ volatile float words[32 * 33];
  words[threadIdx.x] = 1.0f;
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < loads; ++i) sum += words[threadIdx.x * stride];
  result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

TEST_F(GpuDevice, CountersReadSharedWavefrontsExactly) {
  constexpr int blocks = 8;
  DeviceBuffer<float> result(blocks * 32);
  for (const int stride : {1, 2, 4, 8, 32, 33}) {
    const auto values = counters_of(*device_, [&] {
      strided_loads<<<blocks, 32, 0, device_->stream()>>>(result.data(), stride);
    });
    if (!values) GTEST_SKIP() << make_counters(device_->index())->collect([] {}).reason;
    const int conflict = std::gcd(stride, 32);
    EXPECT_EQ(values->at("smem.wavefronts_load"), blocks * loads * conflict) << "stride " << stride;
    EXPECT_EQ(values->at("smem.wavefronts_store"), blocks) << "stride " << stride;
  }
}

TEST_F(GpuDevice, CountersReadFfmaInstructionsExactly) {
  constexpr int blocks = 16, threads = 256, steps = 1024;
  DeviceBuffer<float> result(blocks * threads);
  const auto values = counters_of(*device_, [&] {
    multiply_add<<<blocks, threads, 0, device_->stream()>>>(result.data(), steps);
  });
  if (!values) GTEST_SKIP() << make_counters(device_->index())->collect([] {}).reason;
  EXPECT_EQ(values->at("instructions.ffma"), blocks * (threads / 32) * 4 * steps);
  EXPECT_GT(values->at("instructions.executed"), values->at("instructions.ffma"));
}

TEST_F(GpuDevice, DoctorLooksAtTheGpu) {
  const auto checks = device_checks("");
  ASSERT_GE(checks.size(), 9u);
  EXPECT_THAT(checks.front().finding, testing::HasSubstr(device_->properties().name));
  for (const auto& entry : checks) {
    EXPECT_NE(entry.finding, "") << entry.title;
    EXPECT_EQ(entry.advice.empty(), entry.state == CheckState::ok) << entry.title;
  }
}

}  // namespace
}  // namespace rooftile
