// An imitation of libnvidia-ml.so.1 with one GPU and one MIG slice of it. FAKE_NVML_FAIL holds
// "<function>=<code>" pairs separated by commas, "*" meaning every function but nvmlInit_v2, and
// makes those return the code.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "gpu/nvml_api.hpp"

using namespace rooftile::nvml_api;

namespace rooftile::nvml_api {
struct OpaqueDevice {
  bool mig;
};
}  // namespace rooftile::nvml_api

namespace {

OpaqueDevice gpu{false}, slice{true};

Return outcome(const char* function) {
  const char* text = std::getenv("FAKE_NVML_FAIL");
  const std::string list = text != nullptr ? "," + std::string(text) : "";
  auto found = list.find("," + std::string(function) + "=");
  if (found == std::string::npos && std::strcmp(function, "nvmlInit_v2") != 0)
    found = list.find(",*=");
  return found == std::string::npos ? success : std::atoi(list.c_str() + list.find('=', found) + 1);
}

/// As the real library: the output is written only on success.
template <class Value>
Return answer(const char* function, Handle device, Value* output, Value value) {
  if (device != &gpu && std::strcmp(function, "nvmlDeviceGetUUID") != 0) return 3;  // not supported
  const auto code = outcome(function);
  if (code == success) *output = value;
  return code;
}

Return text_answer(const char* function, char* output, unsigned length, const char* text) {
  if (std::strlen(text) >= length) return 7;  // insufficient size
  const auto code = outcome(function);
  if (code == success) std::strcpy(output, text);
  return code;
}

}  // namespace

extern "C" {

Return nvmlInit_v2() { return outcome("nvmlInit_v2"); }
Return nvmlShutdown() { return success; }
const char* nvmlErrorString(Return code) {
  return code == 4 ? "Insufficient Permissions" : nullptr;
}

Return nvmlSystemGetDriverVersion(char* text, unsigned length) {
  return text_answer("nvmlSystemGetDriverVersion", text, length, "580.10");
}
Return nvmlDeviceGetHandleByUUID(const char* uuid, Handle* device) {
  const bool known = std::strcmp(uuid, "GPU-1") == 0 || std::strcmp(uuid, "MIG-1") == 0;
  if (!known) return 6;  // not found
  *device = uuid[0] == 'M' ? &slice : &gpu;
  return outcome("nvmlDeviceGetHandleByUUID");
}
Return nvmlDeviceGetHandleByPciBusId_v2(const char* id, Handle* device) {
  if (std::strcmp(id, "0000:19:00.0") != 0) return 6;
  *device = &gpu;
  return outcome("nvmlDeviceGetHandleByPciBusId_v2");
}
Return nvmlDeviceGetDeviceHandleFromMigDeviceHandle(Handle device, Handle* parent) {
  if (device != &slice) return 2;  // invalid argument
  *parent = &gpu;
  return outcome("nvmlDeviceGetDeviceHandleFromMigDeviceHandle");
}
Return nvmlDeviceGetUUID(Handle, char* text, unsigned length) {
  return text_answer("nvmlDeviceGetUUID", text, length, "GPU-1");
}
Return nvmlDeviceGetClockInfo(Handle device, unsigned kind, unsigned* mhz) {
  return answer("nvmlDeviceGetClockInfo", device, mhz, kind == clock_sm ? 1965U : 3201U);
}
Return nvmlDeviceGetTemperature(Handle device, unsigned, unsigned* celsius) {
  return answer("nvmlDeviceGetTemperature", device, celsius, 51U);
}
Return nvmlDeviceGetPowerUsage(Handle device, unsigned* milliwatts) {
  return answer("nvmlDeviceGetPowerUsage", device, milliwatts, 640250U);
}
Return nvmlDeviceGetFieldValues(Handle device, int count, FieldValue* values) {
  for (int i = 0; i < count; ++i) {
    values[i].type = type_unsigned_int;
    values[i].result = values[i].field == field_power_instant ? success : 3;  // not supported
    const auto code = answer("nvmlDeviceGetFieldValues", device, &values[i].value.integer, 655125U);
    if (code != success) return code;
  }
  return success;
}
Return nvmlDeviceGetEnforcedPowerLimit(Handle device, unsigned* milliwatts) {
  return answer("nvmlDeviceGetEnforcedPowerLimit", device, milliwatts, 700000U);
}
Return nvmlDeviceGetEccMode(Handle device, unsigned* current, unsigned* pending) {
  *pending = 0;
  return answer("nvmlDeviceGetEccMode", device, current, 1U);
}
Return nvmlDeviceGetMigMode(Handle device, unsigned* current, unsigned* pending) {
  *pending = 1;
  return answer("nvmlDeviceGetMigMode", device, current, 0U);
}
Return nvmlDeviceGetCurrentClocksEventReasons(Handle device, unsigned long long* bits) {
  return answer("nvmlDeviceGetCurrentClocksEventReasons", device, bits, 0x24ULL);
}

}  // extern "C"
