// Each pattern asks the environment variables of the launchers in turn; the first that is set wins.
// The innermost launcher comes first: the ranks of an mpirun in a batch script of Slurm inherit the
// SLURM_PROCID=0 of the script.
#include "cli/name_pattern.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <initializer_list>
#include <memory>

#include "cli/device_options.hpp"
#include "gpu/environment.hpp"
#include "model/error.hpp"

namespace rooftile::cli {
namespace {

std::string first_set(std::initializer_list<const char*> variables) {
  for (const char* variable : variables) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return value;
  }
  return "";
}

/// A task of a Slurm array has a SLURM_JOB_ID of its own; people know it as array and task.
std::string job() {
  const std::string array = first_set({"SLURM_ARRAY_JOB_ID"});
  const std::string task = first_set({"SLURM_ARRAY_TASK_ID"});
  if (!array.empty() && !task.empty()) return array + "_" + task;
  // An LSF array has one LSB_JOBID; outside of an array the index is 0.
  const std::string element = first_set({"LSB_JOBINDEX"});
  std::string id = first_set({"SLURM_JOB_ID", "PBS_JOBID"});
  if (id.empty()) {
    id = first_set({"LSB_JOBID"});
    if (!id.empty() && !element.empty() && element != "0") id += "_" + element;
  }
  if (id.empty())
    throw InputError(
        "%j: this process belongs to no job (SLURM_JOB_ID, PBS_JOBID and LSB_JOBID are not set); "
        "leave %j out");
  return id;
}

std::string rank() {
  std::string rank = first_set({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"});
  return rank.empty() ? "0" : rank;
}

std::string known_uuid(std::string uuid) {
  if (uuid.empty()) throw InputError("%u: the driver does not tell this GPU's UUID; leave %u out");
  return uuid;
}

std::string value_of(char pattern, const std::string& name,
                     const std::function<std::string()>& gpu_uuid) {
  switch (pattern) {
    case 'h':
      return host_name();
    case 'p':
      return std::to_string(getpid());
    case 'j':
      return job();
    case 'r':
      return rank();
    case 'u':
      return known_uuid(gpu_uuid());
    case '%':
      return "%";
    default:
      throw InputError(
          fmt::format("'{}': % is followed by none of h, p, j, r, u; write %% for a "
                      "percent sign",
                      name));
  }
}

/// Options are validated after all were read, so --device is known wherever it stands.
std::string chosen_gpu_uuid(const CLI::App& app) {
  if (app.get_option_no_throw("--device") == nullptr)
    throw InputError(fmt::format("%u: `{}` uses no GPU; leave %u out", app.get_name()));
  const auto value = [&](const char* option) {
    const CLI::Option* found = app.get_option_no_throw(option);
    return found == nullptr || found->count() == 0 ? std::string() : found->results().back();
  };
  DeviceOptions device;
  device.device = value("--device");
  device.replay = value("--replay");
  return device.micro_runner()->environment().gpu_uuid;
}

}  // namespace

std::string expanded_name(const std::string& name, const std::function<std::string()>& gpu_uuid) {
  std::string expanded;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '%')
      expanded += name[i];
    else
      expanded += value_of(++i < name.size() ? name[i] : '\0', name, gpu_uuid);
  }
  return expanded;
}

void add_name_patterns(CLI::App& app) {
  // Asked once, however many options name it.
  const auto uuid = std::make_shared<std::string>();
  const auto gpu_uuid = [&app, uuid] {
    if (uuid->empty()) *uuid = chosen_gpu_uuid(app);
    return *uuid;
  };
  for (const char* name : {"--output", "--json", "--csv", "--md"})
    if (CLI::Option* option = app.get_option_no_throw(name))
      option->transform(
          [gpu_uuid](const std::string& value) { return expanded_name(value, gpu_uuid); });
}

}  // namespace rooftile::cli
