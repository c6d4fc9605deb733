// Nvml against an imitation of the library that fails in every way the real one can.
#include "gpu/nvml.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

namespace rooftile::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const char* fake = ROOFTILE_FAKE_NVML;

/// Makes calls of the imitation fail while it lives.
class Failing {
 public:
  explicit Failing(const std::string& list) { setenv("FAKE_NVML_FAIL", list.c_str(), 1); }
  ~Failing() { unsetenv("FAKE_NVML_FAIL"); }
};

void expect_nothing(const Nvml& nvml) {
  EXPECT_FALSE(nvml.available());
  EXPECT_FALSE(nvml.condition().available);
  EXPECT_EQ(nvml.power_limit_w(), std::nullopt);
  EXPECT_EQ(nvml.power_now_w(), std::nullopt);
  EXPECT_EQ(nvml.ecc(), "unknown");
  EXPECT_EQ(nvml.mig(), "unknown");
  EXPECT_EQ(nvml.uuid(), "");
}

TEST(Nvml, ReadsAllInSiUnits) {
  for (const char* device : {"GPU-1", "0000:19:00.0", "MIG-1"}) {
    const Nvml nvml(device, fake);
    ASSERT_TRUE(nvml.available()) << device << ": " << nvml.reason();
    const auto condition = nvml.condition();
    EXPECT_TRUE(condition.available);
    EXPECT_EQ(condition.sm_clock_hz, 1965e6);
    EXPECT_EQ(condition.memory_clock_hz, 3201e6);
    EXPECT_DOUBLE_EQ(condition.power_w, 640.25);
    EXPECT_EQ(condition.temperature_c, 51);
    EXPECT_THAT(condition.throttle_reasons, ElementsAre("sw_power_cap", "sw_thermal_slowdown"));
    EXPECT_EQ(nvml.power_limit_w(), 700.0);
    EXPECT_EQ(nvml.power_now_w(), 655.125);
    EXPECT_EQ(nvml.ecc(), "on");
    EXPECT_EQ(nvml.mig(), "off") << "the pending mode is not the current one";
    EXPECT_EQ(nvml.driver_version(), "580.10");
    EXPECT_EQ(nvml.uuid(), "GPU-1");
  }
}

TEST(Nvml, AbsentLibraryIsAReason) {
  const Nvml nvml("GPU-1", "/no/such/library.so");
  expect_nothing(nvml);
  EXPECT_THAT(nvml.reason(), HasSubstr("/no/such/library.so cannot be loaded"));
  EXPECT_EQ(nvml.driver_version(), "");
}

TEST(Nvml, OtherLibraryIsAReason) {
  const Nvml nvml("GPU-1", "libm.so.6");
  expect_nothing(nvml);
  EXPECT_THAT(nvml.reason(), HasSubstr("lacks nvmlInit_v2"));
}

TEST(Nvml, UnknownDeviceIsAReason) {
  for (const char* device : {"GPU-2", "MIG-2", "0000:ff:00.0", "", "0"}) {
    const Nvml nvml(device, fake);
    expect_nothing(nvml);
    EXPECT_THAT(nvml.reason(), HasSubstr("(code 6) for device \"" + std::string(device) + "\""));
  }
}

TEST(Nvml, EveryErrorCodeOfEveryCallIsSurvived) {
  for (int code = 1; code <= 30; ++code)
    for (const char* function :
         {"*", "nvmlInit_v2", "nvmlDeviceGetHandleByUUID",
          "nvmlDeviceGetDeviceHandleFromMigDeviceHandle", "nvmlDeviceGetClockInfo",
          "nvmlDeviceGetTemperature", "nvmlDeviceGetPowerUsage", "nvmlDeviceGetEnforcedPowerLimit",
          "nvmlDeviceGetEccMode", "nvmlDeviceGetMigMode", "nvmlSystemGetDriverVersion",
          "nvmlDeviceGetUUID", "nvmlDeviceGetCurrentClocksEventReasons"}) {
      const Failing failing(std::string(function) + "=" + std::to_string(code));
      for (const char* device : {"GPU-1", "MIG-1", "0000:19:00.0"}) {
        const Nvml nvml(device, fake);
        EXPECT_EQ(nvml.available(), nvml.reason().empty());
        if (!nvml.available()) expect_nothing(nvml);
        nvml.condition();
        nvml.driver_version();
      }
    }
}

TEST(Nvml, PartialAnswersAreKept) {
  const Failing failing("nvmlDeviceGetPowerUsage=3,nvmlDeviceGetCurrentClocksEventReasons=4");
  const auto condition = Nvml("GPU-1", fake).condition();
  EXPECT_TRUE(condition.available);
  EXPECT_EQ(condition.power_w, 0);
  EXPECT_EQ(condition.sm_clock_hz, 1965e6);
  EXPECT_TRUE(condition.throttle_reasons.empty());
}

TEST(Nvml, NoAnswerAtAllIsNotAvailable) {
  const Failing failing(
      "nvmlDeviceGetPowerUsage=15,nvmlDeviceGetCurrentClocksEventReasons=15,"
      "nvmlDeviceGetClockInfo=15,nvmlDeviceGetTemperature=15");
  EXPECT_FALSE(Nvml("GPU-1", fake).condition().available);
}

TEST(Nvml, ErrorTextOrCodeIsGiven) {
  const Failing denied("nvmlInit_v2=4");
  EXPECT_EQ(Nvml("GPU-1", fake).reason(), "NVML: nvmlInit_v2: Insufficient Permissions (code 4)");
  const Failing other("nvmlInit_v2=9");
  EXPECT_EQ(Nvml("GPU-1", fake).reason(), "NVML: nvmlInit_v2: error (code 9)");
}

TEST(Nvml, ReasonsAreNamed) {
  EXPECT_TRUE(throttle_reason_names(0).empty());
  EXPECT_THAT(throttle_reason_names(0x1ff),
              ElementsAre("gpu_idle", "applications_clocks_setting", "sw_power_cap", "hw_slowdown",
                          "sync_boost", "sw_thermal_slowdown", "hw_thermal_slowdown",
                          "hw_power_brake_slowdown", "display_clock_setting"));
  EXPECT_THAT(throttle_reason_names(1ULL << 63), ElementsAre("bit_63"));
}

}  // namespace
}  // namespace rooftile::test
