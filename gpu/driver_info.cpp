// Reads /proc/driver/nvidia.
//
// version: "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep ..." or, for the
// open modules, "... Open Kernel Module for x86_64  580.95.05  Release Build ...": the release is
// the first word of digits and dots with at least one dot. params: "Name: value" a line.
#include "gpu/driver_info.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace rooftile {

namespace {

bool is_release(const std::string& word) {
  const bool digits = std::all_of(
      word.begin(), word.end(), [](unsigned char c) { return c == '.' || (c >= '0' && c <= '9'); });
  return digits && word.find('.') != std::string::npos && word.front() != '.';
}

constexpr int cap_sys_admin = 21;  // linux/capability.h

}  // namespace

std::string nvidia_driver_version(const std::string& proc) {
  std::ifstream file(proc + "/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (is_release(word)) return word;
  }
  return "";
}

std::map<std::string, std::string> nvidia_driver_options(const std::string& proc) {
  std::map<std::string, std::string> options;
  std::ifstream file(proc + "/params");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (colon != std::string::npos) options[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return options;
}

bool has_cap_sys_admin(const std::string& status_file) {
  std::ifstream file(status_file);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("CapEff:")) continue;
    std::istringstream hex(line.substr(7));
    unsigned long long bits = 0;
    return (hex >> std::hex >> bits) && ((bits >> cap_sys_admin) & 1);
  }
  return false;
}

std::string counter_restriction(const std::string& proc, const std::string& process_status) {
  const auto options = nvidia_driver_options(proc);
  // Drivers print the option under its internal name; accept the documented one too.
  const bool restricted = std::any_of(options.begin(), options.end(), [](const auto& option) {
    const bool named =
        option.first == "RmProfilingAdminOnly" || option.first == "RestrictProfilingToAdminUsers";
    return named && option.second != "0";
  });
  if (!restricted || has_cap_sys_admin(process_status)) return "";
  return "the driver restricts hardware counters to administrators: an administrator sets the "
         "module option NVreg_RestrictProfilingToAdminUsers=0 (in a file of /etc/modprobe.d) and "
         "reloads the driver, or the command runs with CAP_SYS_ADMIN (container: --cap-add "
         "SYS_ADMIN)";
}

}  // namespace rooftile
