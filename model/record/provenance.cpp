// The head of every file: writing and checking; absent members of the environment are tolerated.
#include "model/record/provenance.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <charconv>

#include "model/error.hpp"
#include "model/record/json_checks.hpp"

namespace rooftile {
namespace {

Json condition_json(const DeviceCondition& condition) {
  return {{"available", condition.available},
          {"sm_clock_hz", number_or_null(condition.sm_clock_hz)},
          {"memory_clock_hz", number_or_null(condition.memory_clock_hz)},
          {"power_w", number_or_null(condition.power_w)},
          {"temperature_c", number_or_null(condition.temperature_c)},
          {"throttle_reasons", condition.throttle_reasons}};
}

DeviceCondition condition_of(const JsonReader& json) {
  DeviceCondition condition;
  condition.available = json.at("available").boolean();
  condition.sm_clock_hz = not_negative_or_0(json, "sm_clock_hz");
  condition.memory_clock_hz = not_negative_or_0(json, "memory_clock_hz");
  condition.power_w = not_negative_or_0(json, "power_w");
  condition.temperature_c = json.optional_number("temperature_c").value_or(0);
  if (json.has("throttle_reasons"))
    condition.throttle_reasons = json.at("throttle_reasons").texts();
  return condition;
}

DeviceCondition optional_condition(const JsonReader& json, std::string_view key) {
  return json.has(key) ? condition_of(json.at(key)) : DeviceCondition{};
}

/// "9.0" into (9, 0); null or "" where there is no GPU.
void read_capability(const JsonReader& json, Environment& environment) {
  const auto text = json.text_or("compute_capability", "");
  if (text.empty()) return;
  const char* end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, environment.compute_capability_major);
  const bool dotted = major.ec == std::errc{} && major.ptr != end && *major.ptr == '.';
  const auto minor =
      dotted ? std::from_chars(major.ptr + 1, end, environment.compute_capability_minor) : major;
  const bool legal = environment.compute_capability_major >= 0 &&
                     environment.compute_capability_minor >= 0 && minor.ec == std::errc{};
  if (!dotted || !legal || minor.ptr != end)
    json.at("compute_capability").fail("a version such as \"9.0\"");
}

Json capability_json(const Environment& environment) {
  if (environment.compute_capability_major == 0) return nullptr;
  return fmt::format("{}.{}", environment.compute_capability_major,
                     environment.compute_capability_minor);
}

}  // namespace

Json to_json(const DeviceCondition& condition) { return condition_json(condition); }
DeviceCondition condition_from(const JsonReader& json) { return condition_of(json); }

Json to_json(const CreatedBy& created_by) {
  return {{"version", created_by.version},
          {"git_revision", created_by.git_revision},
          {"build_type", created_by.build_type}};
}

CreatedBy created_by_from(const JsonReader& json) {
  return {json.at("version").text(), json.at("git_revision").text(),
          json.text_or("build_type", "")};
}

Json to_json(const Environment& environment) {
  return {{"gpu_name", environment.gpu_name},
          {"gpu_uuid", environment.gpu_uuid},
          {"pci_bus_id", environment.pci_bus_id},
          {"compute_capability", capability_json(environment)},
          {"sm_count", environment.sm_count},
          {"driver_version", environment.driver_version},
          {"cuda_runtime_version", environment.cuda_runtime_version},
          {"cublas_version", environment.cublas_version},
          {"host", environment.host},
          {"cpu", environment.cpu},
          {"power_limit_w", number_or_null(environment.power_limit_w)},
          {"ecc", environment.ecc.empty() ? "unknown" : environment.ecc},
          {"mig", environment.mig.empty() ? "unknown" : environment.mig},
          {"start", condition_json(environment.start)},
          {"end", condition_json(environment.end)},
          {"command_line", environment.command_line},
          {"utc_time", environment.utc_time}};
}

Environment environment_from(const JsonReader& json) {
  Environment environment;
  environment.gpu_name = json.at("gpu_name").text();
  environment.gpu_uuid = json.text_or("gpu_uuid", "");
  environment.pci_bus_id = json.text_or("pci_bus_id", "");
  read_capability(json, environment);
  if (json.has("sm_count")) environment.sm_count = json.at("sm_count").count();
  environment.driver_version = json.text_or("driver_version", "");
  environment.cuda_runtime_version = json.text_or("cuda_runtime_version", "");
  environment.cublas_version = json.text_or("cublas_version", "");
  environment.host = json.text_or("host", "");
  environment.cpu = json.text_or("cpu", "");
  environment.power_limit_w = not_negative_or_0(json, "power_limit_w");
  environment.ecc = json.text_or("ecc", "unknown");
  environment.mig = json.text_or("mig", "unknown");
  environment.start = optional_condition(json, "start");
  environment.end = optional_condition(json, "end");
  environment.command_line = json.text_or("command_line", "");
  environment.utc_time = json.text_or("utc_time", "");
  return environment;
}

Json file_head(std::string_view schema, int version, const CreatedBy& created_by,
               const Environment& environment) {
  return {{"schema", schema},
          {"schema_version", version},
          {"created_by", to_json(created_by)},
          {"environment", to_json(environment)}};
}

int check_schema(const JsonReader& json, std::string_view schema, int newest) {
  const auto found = json.at("schema");
  if (found.text() != schema) found.fail(fmt::format("\"{}\"", schema));
  const auto version = json.at("schema_version").integer();
  if (version < 1) json.at("schema_version").fail("a version of at least 1");
  if (version > newest)
    throw InputError(fmt::format(
        "{}: {} version {} is newer than this rooftile reads (up to {}): update rooftile, or write "
        "the file again with this one",
        json.where(), schema, version, newest));
  return static_cast<int>(version);
}

int read_head(const JsonReader& json, std::string_view schema, int newest, CreatedBy& created_by,
              Environment& environment) {
  const int version = check_schema(json, schema, newest);
  created_by = created_by_from(json.at("created_by"));
  environment = environment_from(json.at("environment"));
  return version;
}

}  // namespace rooftile
