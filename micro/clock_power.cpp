// PowerMeter: nvmlDeviceGetFieldValues behind dlopen; whatever is missing leaves it without a
// value.
#include "micro/clock_power.hpp"

#include <dlfcn.h>

#include "gpu/nvml.hpp"
#include "gpu/nvml_api.hpp"

namespace rooftile::micro {
namespace {

constexpr unsigned power_instant = 186;    ///< NVML_FI_DEV_POWER_INSTANT, milliwatts
constexpr unsigned type_unsigned_int = 1;  ///< NVML_VALUE_TYPE_UNSIGNED_INT
constexpr unsigned scope_board = 0;        ///< NVML_POWER_SCOPE_GPU: the GPU, not its module

/// nvmlFieldValue_t.
struct FieldValue {
  unsigned field, scope;
  long long timestamp_us, latency_us;
  unsigned type;
  nvml_api::Return result;
  union {
    double real;
    unsigned integer;
    unsigned long long wide;
  } value;
};

using FieldValues = nvml_api::Return(nvml_api::Handle, int, FieldValue*);

template <class Function>
Function* symbol(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

struct PowerMeter::Library {
  void* handle = nullptr;
  nvml_api::Shutdown* shutdown = nullptr;
  FieldValues* field_values = nullptr;
  nvml_api::Handle device = nullptr;

  explicit Library(const std::string& uuid) {
    handle = dlopen(Nvml::default_library, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return;
    auto* init = symbol<nvml_api::Init>(handle, "nvmlInit_v2");
    auto* find = symbol<nvml_api::HandleByName>(handle, "nvmlDeviceGetHandleByUUID");
    field_values = symbol<FieldValues>(handle, "nvmlDeviceGetFieldValues");
    if (init == nullptr || find == nullptr || init() != nvml_api::success) return;
    shutdown = symbol<nvml_api::Shutdown>(handle, "nvmlShutdown");
    if (find(uuid.c_str(), &device) != nvml_api::success) device = nullptr;
  }
  ~Library() {
    if (shutdown != nullptr) shutdown();
    if (handle != nullptr) dlclose(handle);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

PowerMeter::PowerMeter(const std::string& uuid) : library_(std::make_unique<Library>(uuid)) {}
PowerMeter::~PowerMeter() = default;

std::optional<double> PowerMeter::watts() const {
  if (library_->device == nullptr || library_->field_values == nullptr) return std::nullopt;
  FieldValue value{};
  value.field = power_instant;
  value.scope = scope_board;
  if (library_->field_values(library_->device, 1, &value) != nvml_api::success ||
      value.result != nvml_api::success || value.type != type_unsigned_int ||
      value.value.integer == 0)
    return std::nullopt;
  return value.value.integer * 1e-3;
}

}  // namespace rooftile::micro
