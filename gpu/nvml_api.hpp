// The part of NVML's C interface that rooftile calls (NVML API Reference,
// docs.nvidia.com/deploy/nvml-api): return codes, enumerators and function types. Private to
// nvml.cpp and the tests' imitation of the library.
#pragma once

namespace rooftile::nvml_api {

using Return = int;  ///< nvmlReturn_t
using Handle = struct OpaqueDevice*;

inline constexpr Return success = 0;
inline constexpr unsigned clock_sm = 1;         ///< NVML_CLOCK_SM
inline constexpr unsigned clock_memory = 2;     ///< NVML_CLOCK_MEM
inline constexpr unsigned temperature_gpu = 0;  ///< NVML_TEMPERATURE_GPU
inline constexpr unsigned version_buffer = 80;  ///< NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE
inline constexpr unsigned uuid_buffer = 96;     ///< NVML_DEVICE_UUID_V2_BUFFER_SIZE

using Init = Return();                              ///< nvmlInit_v2
using Shutdown = Return();                          ///< nvmlShutdown
using ErrorString = const char*(Return);            ///< nvmlErrorString
using DriverVersion = Return(char*, unsigned);      ///< nvmlSystemGetDriverVersion
using HandleByName = Return(const char*, Handle*);  ///< ...GetHandleByUUID, ...ByPciBusId_v2
using MigParent = Return(Handle, Handle*);          ///< ...GetDeviceHandleFromMigDeviceHandle
using Uuid = Return(Handle, char*, unsigned);       ///< nvmlDeviceGetUUID
using SelectedValue = Return(Handle, unsigned, unsigned*);  ///< ...GetClockInfo, ...GetTemperature
using Value = Return(Handle, unsigned*);  ///< ...GetPowerUsage, ...GetEnforcedPowerLimit
using CurrentAndPending = Return(Handle, unsigned*, unsigned*);  ///< ...GetEccMode, ...GetMigMode
inline constexpr unsigned field_power_instant = 186;  ///< NVML_FI_DEV_POWER_INSTANT, in mW
inline constexpr unsigned scope_gpu = 0;              ///< NVML_POWER_SCOPE_GPU: not the module
inline constexpr unsigned type_unsigned_int = 1;      ///< NVML_VALUE_TYPE_UNSIGNED_INT

/// nvmlFieldValue_t.
struct FieldValue {
  unsigned field, scope;
  long long timestamp_us, latency_us;
  unsigned type;
  Return result;
  union {
    double real;
    unsigned integer;
    unsigned long long wide;
  } value;
};

using FieldValues = Return(Handle, int, FieldValue*);  ///< ...GetFieldValues
using Reasons = Return(Handle, unsigned long long*);   ///< ...GetCurrentClocksEventReasons

}  // namespace rooftile::nvml_api
