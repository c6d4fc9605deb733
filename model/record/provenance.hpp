// Who made a file and on what machine: the head that every file of ours carries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/record/json_reader.hpp"

namespace rooftile {

/// The program that wrote a file.
struct CreatedBy {
  std::string version;       ///< e.g. "0.1.0"
  std::string git_revision;  ///< short hash, or "unknown"
  std::string build_type;    ///< CMake build type
};

/// State of the GPU at one moment, as NVML tells it. Absent values are 0 with `available == false`.
struct DeviceCondition {
  bool available = false;
  double sm_clock_hz = 0, memory_clock_hz = 0, power_w = 0, temperature_c = 0;
  std::vector<std::string>
      throttle_reasons;  ///< NVML names, e.g. "sw_power_cap"; empty when none is active
};

/// The machine a measurement was taken on.
struct Environment {
  std::string gpu_name, gpu_uuid, pci_bus_id;
  int compute_capability_major = 0, compute_capability_minor = 0;
  int sm_count = 0;
  std::string driver_version, cuda_runtime_version, cublas_version;
  std::string host, cpu;
  double power_limit_w = 0;
  std::string ecc, mig;  ///< "on", "off" or "unknown"
  DeviceCondition start, end;
  std::string command_line;
  std::string utc_time;  ///< ISO 8601, e.g. 2026-11-29T20:15:00Z
};

CreatedBy this_build();  ///< of the running binary

Json to_json(const DeviceCondition& condition);
Json to_json(const CreatedBy& created_by);
Json to_json(const Environment& environment);
DeviceCondition condition_from(const JsonReader& json);
CreatedBy created_by_from(const JsonReader& json);
Environment environment_from(const JsonReader& json);

/// The first members of every file: schema, schema_version, created_by, environment.
Json file_head(std::string_view schema, int version, const CreatedBy& created_by,
               const Environment& environment);

/// Throws InputError unless `json` has this schema and a version of at most `newest` (a newer one
/// is refused with advice). Returns the version.
int check_schema(const JsonReader& json, std::string_view schema, int newest);

/// The same check, and the members of file_head() back into a record. Returns the version.
int read_head(const JsonReader& json, std::string_view schema, int newest, CreatedBy& created_by,
              Environment& environment);

}  // namespace rooftile
