// The GPU in use, and event timing on it.
//
// EventTimedCase: t = (event after the last launch - event before the first) / repetitions.
// Pitfall: on an idle GPU the first event is reached before the host has queued the launch, and the
// time then holds the host's delay (several us). So a delay kernel runs first, long enough for the
// host to queue everything behind it. Events resolve about 0.5 us (CUDA Runtime API,
// cudaEventElapsedTime): repeat what is shorter than 100 us.
#include "gpu/cuda/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "gpu/cuda/probe.hpp"
#include "gpu/cuda/select.hpp"
#include "gpu/driver_info.hpp"
#include "gpu/environment.hpp"
#include "gpu/nvml.hpp"

namespace rooftile {

namespace {

constexpr std::size_t clock_probes = 3;
constexpr unsigned probe_span_ns = 100'000;

std::string runtime_version() {
  int version = 0;
  check(cudaRuntimeGetVersion(&version), "cudaRuntimeGetVersion");
  return version_text(version);
}

/// cuBLAS's own number, e.g. 13.1.0; its major and minor differ from the toolkit's.
std::string cublas_version() {
  std::array<int, 3> part{};
  check(cublasGetProperty(MAJOR_VERSION, &part[0]), "cublasGetProperty");
  check(cublasGetProperty(MINOR_VERSION, &part[1]), "cublasGetProperty");
  check(cublasGetProperty(PATCH_LEVEL, &part[2]), "cublasGetProperty");
  return fmt::format("{}.{}.{}", part[0], part[1], part[2]);
}

std::string pci_bus_id(int index) {
  std::array<char, 32> text{};
  check(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), index),
        "cudaDeviceGetPCIBusId");
  return text.data();
}

/// The driver's release (580.159.03) where the kernel module shows it, else the CUDA version it
/// supports.
std::string driver_version() {
  if (auto release = nvidia_driver_version(); !release.empty()) return release;
  int version = 0;
  check(cudaDriverGetVersion(&version), "cudaDriverGetVersion");
  return "CUDA " + version_text(version);
}

/// Opens the context and returns what the GPU was like before.
DeviceCondition condition_before_context(const Nvml& nvml, int index) {
  DeviceCondition before = nvml.condition();
  use_device(index);
  return before;
}

/// The host needs about 4 us a launch, and some for the first.
unsigned delay_ns(int repetitions) {
  return static_cast<unsigned>(std::min(30'000 + 4'000LL * repetitions, 2'000'000LL));
}

}  // namespace

Device::Device(const std::string& which)
    : index_(find_device(which)),
      properties_(properties_of(index_)),
      nvml_(std::make_unique<Nvml>(device_uuid(properties_))),
      before_context_(condition_before_context(*nvml_, index_)),
      probe_(2 * clock_probes) {}

Device::~Device() = default;

int Device::attribute(cudaDeviceAttr attribute) const {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, attribute, index_), "cudaDeviceGetAttribute");
  return value;
}

Environment Device::environment() const {
  Environment environment = host_environment();
  environment.gpu_name = properties_.name;
  environment.gpu_uuid = device_uuid(properties_);
  environment.pci_bus_id = pci_bus_id(index_);
  environment.compute_capability_major = properties_.major;
  environment.compute_capability_minor = properties_.minor;
  environment.sm_count = properties_.multiProcessorCount;
  environment.cuda_runtime_version = runtime_version();
  environment.cublas_version = cublas_version();
  add_nvml(environment, *nvml_);
  // CUDA itself knows ECC, and /proc the driver: recorded without NVML too.
  if (environment.ecc != "on" && environment.ecc != "off") {
    environment.ecc = properties_.ECCEnabled ? "on" : "off";
  }
  if (environment.driver_version.empty()) environment.driver_version = driver_version();
  return environment;
}

DeviceCondition Device::condition() const { return nvml_->condition(); }

double Device::sm_clock_hz() {
  // Three probes in a row and their median: the driver may step globaltimer inside one of them,
  // which then reads some percent off.
  std::array<double, clock_probes> clocks_hz{};
  for (std::size_t i = 0; i < clocks_hz.size(); ++i)
    launch_clock_probe(probe_.data() + 2 * i, probe_span_ns, stream_);
  check_launch("clock_probe");
  std::array<unsigned long long, 2 * clock_probes> result{};
  check(cudaMemcpyAsync(result.data(), probe_.data(), sizeof(result), cudaMemcpyDeviceToHost,
                        stream_),
        "cudaMemcpyAsync");
  stream_.synchronize();
  for (std::size_t i = 0; i < clocks_hz.size(); ++i)
    clocks_hz[i] =
        static_cast<double>(result[2 * i]) / static_cast<double>(result[2 * i + 1]) * 1e9;
  std::sort(clocks_hz.begin(), clocks_hz.end());
  return clocks_hz[clocks_hz.size() / 2];
}

double EventTimedCase::sample() {
  const cudaStream_t stream = device_.stream();
  if (before_) {
    before_();
    // What it queued may be on another stream, which ours does not wait for.
    check(cudaDeviceSynchronize(), "work before a sample");
  }
  launch_delay(delay_ns(repetitions_), stream);
  check_launch("delay");
  start_.record(stream);
  for (int i = 0; i < repetitions_; ++i) launch_(stream);
  check_launch("the timed kernel");
  stop_.record(stream);
  stop_.synchronize();
  return stop_.seconds_since(start_) / repetitions_;
}

double EventTimedCase::wall_s() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

}  // namespace rooftile
