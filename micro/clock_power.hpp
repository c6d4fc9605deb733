// The GPU's power at this moment, by NVML's field "power, instant".
//
// nvmlDeviceGetPowerUsage, which DeviceCondition::power_w holds, is an average over the last second
// on most GPUs (NVML API Reference), so that a load of half a second is seen only in part. The
// field NVML_FI_DEV_POWER_INSTANT is not averaged; the driver renews it every 20 to 100 ms.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace rooftile::micro {

class PowerMeter {
 public:
  /// `uuid`: "GPU-...". Without NVML or the field, watts() has no value.
  explicit PowerMeter(const std::string& uuid);
  ~PowerMeter();
  PowerMeter(const PowerMeter&) = delete;
  PowerMeter& operator=(const PowerMeter&) = delete;

  std::optional<double> watts() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace rooftile::micro
