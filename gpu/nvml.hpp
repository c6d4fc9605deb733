// NVML, the driver's management library: clocks, power, temperature, throttle reasons, ECC and MIG
// of one GPU.
//
// Loaded with dlopen, so that nothing of ours needs a driver to start, and declared here by its
// documented C interface (NVML API Reference, docs.nvidia.com/deploy/nvml-api), so that no header
// is needed to build. The GPU is found by UUID or PCI bus id, never by index: NVML ignores
// CUDA_VISIBLE_DEVICES and numbers by PCI order.
//
// Nothing here throws or crashes when something is missing: available() is false, or a value is
// absent, and reason() says why. Pitfalls: NVML's SM clock is sampled about every 100 ms and power
// is averaged over up to a second, so short kernels need the probe clock; a MIG slice answers few
// of these questions, so the parent GPU is asked.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/record/provenance.hpp"

namespace rooftile {

/// Names of the set bits, lowest first: "gpu_idle", "applications_clocks_setting", "sw_power_cap",
/// "hw_slowdown", "sync_boost", "sw_thermal_slowdown", "hw_thermal_slowdown",
/// "hw_power_brake_slowdown", "display_clock_setting", else "bit_<n>".
std::vector<std::string> throttle_reason_names(unsigned long long bits);

class Nvml {
 public:
  static constexpr const char* default_library = "libnvidia-ml.so.1";

  /// `device`: "GPU-..." or "MIG-..." UUID, or a PCI bus id such as "0000:19:00.0".
  explicit Nvml(const std::string& device, const std::string& library = default_library);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  bool available() const;
  const std::string& reason() const;  ///< why not available; empty when it is

  /// Clocks, power, temperature and throttle reasons now. A value that the GPU does not report is
  /// 0; when none is, `available` is false.
  DeviceCondition condition() const;
  /// Power at this moment, which the driver renews every 20 to 100 ms: condition() holds an average
  /// over up to a second, too slow for a load of half a second. Absent where the GPU lacks it.
  std::optional<double> power_now_w() const;
  std::optional<double> power_limit_w() const;  ///< the limit in force
  std::string ecc() const;                      ///< "on", "off" or "unknown"
  std::string mig() const;                      ///< "on", "off" or "unknown"
  std::string driver_version() const;           ///< "" when unknown
  std::string uuid() const;                     ///< "" when unknown

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  std::string reason_;
};

}  // namespace rooftile
