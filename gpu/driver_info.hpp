// What the NVIDIA kernel module says of itself in /proc, readable without a GPU library.
#pragma once

#include <map>
#include <string>

namespace rooftile {

/// The driver's release, e.g. "580.159.03", from <proc>/version; "" where no module is loaded.
std::string nvidia_driver_version(const std::string& proc = "/proc/driver/nvidia");

/// The module's options, e.g. "RmProfilingAdminOnly" -> "1", from <proc>/params; empty where they
/// cannot be read. The option NVreg_RestrictProfilingToAdminUsers shows as RmProfilingAdminOnly.
std::map<std::string, std::string> nvidia_driver_options(
    const std::string& proc = "/proc/driver/nvidia");

/// Why hardware counters are refused here and what to do, or "" where this process may read them:
/// the module restricts them to administrators and the process lacks CAP_SYS_ADMIN.
std::string counter_restriction(const std::string& proc = "/proc/driver/nvidia",
                                const std::string& process_status = "/proc/self/status");

/// Whether this process may administer the system (CAP_SYS_ADMIN in CapEff of /proc/self/status).
bool has_cap_sys_admin(const std::string& status_file = "/proc/self/status");

}  // namespace rooftile
