// The host's half of the environment that every file carries: host name, CPU, time, command line.
// Plain POSIX and /proc; what cannot be read is "unknown", never an error.
#pragma once

#include <string>
#include <vector>

#include "gpu/nvml.hpp"
#include "model/record/provenance.hpp"

namespace rooftile {

std::string host_name();
std::string cpu_model();     ///< "model name" of /proc/cpuinfo
std::string utc_now();       ///< ISO 8601 in UTC, e.g. 2026-11-29T20:15:00Z
std::string command_line();  ///< of this process: the program without its folder, arguments quoted
                             ///< as a shell would need
/// From now on command_line() is of these words: those of the process and what a file added to
/// them.
void tell_command_line(const std::vector<std::string>& words);
/// Host, CPU, command line and time; the GPU's members are left empty.
Environment host_environment();
/// Adds what NVML knows: power limit, ECC, MIG, driver version, the present condition as `start`.
void add_nvml(Environment& environment, const Nvml& nvml);

/// `environment` for what begins now in `condition`: its own time and `start`, no `end` yet.
Environment as_of_now(Environment environment, const DeviceCondition& condition);

/// One argument as a POSIX shell needs it: unchanged where harmless, else in single quotes.
std::string shell_quoted(const std::string& argument);

}  // namespace rooftile
