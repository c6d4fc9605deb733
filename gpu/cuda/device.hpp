// The GPU in use: selection, environment capture, clock probe and NVML condition.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>

#include "gpu/cuda/handles.hpp"
#include "gpu/sampler.hpp"
#include "model/record/provenance.hpp"

namespace rooftile {

class Nvml;  // gpu/nvml.hpp

class Device {
 public:
  /// `which`: index (after CUDA_VISIBLE_DEVICES) or UUID, "" = first. Makes it current. Throws
  /// NoDeviceError with advice, and InputError when `which` is neither an index nor a UUID.
  explicit Device(const std::string& which);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  int index() const { return index_; }
  const cudaDeviceProp& properties() const { return properties_; }
  int attribute(cudaDeviceAttr attribute) const;
  cudaStream_t stream() const { return stream_; }

  Environment environment() const;    ///< with the present condition as `start`
  DeviceCondition condition() const;  ///< NVML; available == false where NVML is absent
  /// NVML's reading before this opened a context, which keeps the clocks up.
  const DeviceCondition& before_context() const { return before_context_; }
  /// SM clock now: clock64 over globaltimer in a probe kernel of at least 100 us on `stream()`.
  double sm_clock_hz();

 private:
  int index_ = 0;
  cudaDeviceProp properties_{};
  std::unique_ptr<Nvml> nvml_;
  DeviceCondition before_context_;
  Stream stream_;
  DeviceBuffer<unsigned long long> probe_;
};

/// A TimedCase around a launch: events on the device's stream, `repetitions` launches a sample, the
/// mean of them returned.
class EventTimedCase : public TimedCase {
 public:
  template <class Launch>
  EventTimedCase(Device& device, Launch launch, int repetitions = 1,
                 std::function<void()> before = {})
      : device_(device),
        launch_(std::move(launch)),
        before_(std::move(before)),
        repetitions_(repetitions) {}

  double sample() override;
  double sm_clock_hz() override { return device_.sm_clock_hz(); }
  DeviceCondition condition() override { return device_.condition(); }
  double wall_s() override;

 private:
  Device& device_;
  std::function<void(cudaStream_t)> launch_;
  std::function<void()> before_;  ///< untimed, before each sample (cache flush, counters)
  Event start_, stop_;
  int repetitions_;
};

}  // namespace rooftile
