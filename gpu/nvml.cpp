// NVML behind dlopen: every function may be missing and every call may fail, and then a value is
// absent.
#include "gpu/nvml.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <array>
#include <string_view>
#include <utility>

#include "gpu/nvml_api.hpp"

namespace rooftile {

using namespace nvml_api;

struct Nvml::Library {
  void* handle = nullptr;
  Handle device = nullptr;
  bool initialized = false;

  Init* init = nullptr;
  Shutdown* shutdown = nullptr;
  ErrorString* error_string = nullptr;
  DriverVersion* driver_version = nullptr;
  HandleByName *by_uuid = nullptr, *by_pci = nullptr;
  MigParent* mig_parent = nullptr;
  Uuid* uuid = nullptr;
  SelectedValue *clock = nullptr, *temperature = nullptr;
  Value *power = nullptr, *power_limit = nullptr;
  CurrentAndPending *ecc = nullptr, *mig = nullptr;
  Reasons* reasons = nullptr;
  FieldValues* field_values = nullptr;

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (initialized && shutdown != nullptr) shutdown();
    if (handle != nullptr) dlclose(handle);
  }

  template <class Function>
  void load(Function*& function, const char* name) {
    if (function == nullptr) function = reinterpret_cast<Function*>(dlsym(handle, name));
  }

  /// Newer names first; an older driver lacks some of them, and then the value is absent.
  void load_functions() {
    load(init, "nvmlInit_v2");
    load(shutdown, "nvmlShutdown");
    load(error_string, "nvmlErrorString");
    load(driver_version, "nvmlSystemGetDriverVersion");
    load(by_uuid, "nvmlDeviceGetHandleByUUID");
    load(by_pci, "nvmlDeviceGetHandleByPciBusId_v2");
    load(mig_parent, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle");
    load(uuid, "nvmlDeviceGetUUID");
    load(clock, "nvmlDeviceGetClockInfo");
    load(temperature, "nvmlDeviceGetTemperature");
    load(power, "nvmlDeviceGetPowerUsage");
    load(power_limit, "nvmlDeviceGetEnforcedPowerLimit");
    load(ecc, "nvmlDeviceGetEccMode");
    load(mig, "nvmlDeviceGetMigMode");
    load(field_values, "nvmlDeviceGetFieldValues");
    load(reasons, "nvmlDeviceGetCurrentClocksEventReasons");
    load(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  }

  std::string error(const char* call, Return code) const {
    const char* text = error_string != nullptr ? error_string(code) : nullptr;
    return fmt::format("NVML: {}: {} (code {})", call, text != nullptr ? text : "error", code);
  }

  /// Opens the library and finds the device. Returns why not, or "".
  std::string open(const std::string& path, const std::string& name);
  std::string find(const std::string& name);
};

namespace {

std::string loader_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "unknown";
}

/// A value of a call that may be absent or fail.
template <class Function, class... Arguments>
std::optional<double> value_of(Function* function, Arguments... arguments) {
  unsigned value = 0;
  if (function == nullptr || function(arguments..., &value) != success) return std::nullopt;
  return value;
}

std::string mode_of(CurrentAndPending* function, Handle device) {
  unsigned current = 0, pending = 0;
  if (function == nullptr || function(device, &current, &pending) != success) return "unknown";
  return current == 1 ? "on" : current == 0 ? "off" : "unknown";
}

}  // namespace

std::string Nvml::Library::open(const std::string& path, const std::string& name) {
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return fmt::format("NVML: {} cannot be loaded: {}", path, loader_error());
  load_functions();
  if (init == nullptr || by_uuid == nullptr || by_pci == nullptr)
    return fmt::format("NVML: {} lacks nvmlInit_v2 or the device look-ups: driver too old", path);
  if (const auto code = init(); code != success) return error("nvmlInit_v2", code);
  initialized = true;
  return find(name);
}

std::string Nvml::Library::find(const std::string& name) {
  const bool mig = name.rfind("MIG-", 0) == 0;
  const bool by_name = mig || name.rfind("GPU-", 0) == 0;
  const auto code = (by_name ? by_uuid : by_pci)(name.c_str(), &device);
  if (code != success || device == nullptr) {
    device = nullptr;
    return error(by_name ? "nvmlDeviceGetHandleByUUID" : "nvmlDeviceGetHandleByPciBusId_v2", code) +
           " for device \"" + name + "\"";
  }
  Handle parent = nullptr;
  if (mig && mig_parent != nullptr && mig_parent(device, &parent) == success && parent != nullptr)
    device = parent;
  return "";
}

std::vector<std::string> throttle_reason_names(unsigned long long bits) {
  constexpr std::array<std::string_view, 9> names = {"gpu_idle",
                                                     "applications_clocks_setting",
                                                     "sw_power_cap",
                                                     "hw_slowdown",
                                                     "sync_boost",
                                                     "sw_thermal_slowdown",
                                                     "hw_thermal_slowdown",
                                                     "hw_power_brake_slowdown",
                                                     "display_clock_setting"};
  std::vector<std::string> result;
  for (std::size_t bit = 0; bit < 64; ++bit)
    if ((bits >> bit & 1) != 0)
      result.push_back(bit < names.size() ? std::string(names[bit]) : fmt::format("bit_{}", bit));
  return result;
}

Nvml::Nvml(const std::string& device, const std::string& library)
    : library_(std::make_unique<Library>()) {
  reason_ = library_->open(library, device);
}

Nvml::~Nvml() = default;

bool Nvml::available() const { return reason_.empty(); }
const std::string& Nvml::reason() const { return reason_; }

DeviceCondition Nvml::condition() const {
  DeviceCondition condition;
  if (!available()) return condition;
  const auto& nvml = *library_;
  const auto sm = value_of(nvml.clock, nvml.device, clock_sm);
  const auto memory = value_of(nvml.clock, nvml.device, clock_memory);
  const auto power = value_of(nvml.power, nvml.device);
  const auto temperature = value_of(nvml.temperature, nvml.device, temperature_gpu);
  unsigned long long bits = 0;
  const bool reasons = nvml.reasons != nullptr && nvml.reasons(nvml.device, &bits) == success;
  condition.available = sm || memory || power || temperature || reasons;
  condition.sm_clock_hz = sm.value_or(0) * 1e6;          // reported in MHz
  condition.memory_clock_hz = memory.value_or(0) * 1e6;  // reported in MHz
  condition.power_w = power.value_or(0) * 1e-3;          // reported in mW
  condition.temperature_c = temperature.value_or(0);
  if (reasons) condition.throttle_reasons = throttle_reason_names(bits);
  return condition;
}

std::optional<double> Nvml::power_now_w() const {
  if (!available() || library_->field_values == nullptr) return std::nullopt;
  FieldValue power{};
  power.field = field_power_instant;
  power.scope = scope_gpu;
  if (library_->field_values(library_->device, 1, &power) != success || power.result != success ||
      power.type != type_unsigned_int || power.value.integer == 0)
    return std::nullopt;
  return power.value.integer * 1e-3;
}

std::optional<double> Nvml::power_limit_w() const {
  if (!available()) return std::nullopt;
  const auto milliwatts = value_of(library_->power_limit, library_->device);
  return milliwatts ? std::optional(*milliwatts * 1e-3) : std::nullopt;
}

std::string Nvml::ecc() const {
  return available() ? mode_of(library_->ecc, library_->device) : "unknown";
}

std::string Nvml::mig() const {
  return available() ? mode_of(library_->mig, library_->device) : "unknown";
}

std::string Nvml::driver_version() const {
  std::array<char, version_buffer + 1> text{};
  const bool known = library_->initialized && library_->driver_version != nullptr &&
                     library_->driver_version(text.data(), version_buffer) == success;
  return known ? text.data() : "";
}

std::string Nvml::uuid() const {
  std::array<char, uuid_buffer + 1> text{};
  const bool known = available() && library_->uuid != nullptr &&
                     library_->uuid(library_->device, text.data(), uuid_buffer) == success;
  return known ? text.data() : "";
}

}  // namespace rooftile
