// Reads the host: gethostname, /proc/cpuinfo, /proc/self/cmdline and the clock.
#include "gpu/environment.hpp"

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string_view>

namespace rooftile {
namespace {

bool is_plain(char c) {
  constexpr std::string_view marks = "_-./=,:@%+";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         marks.find(c) != std::string_view::npos;
}

/// JSON files are UTF-8: a name or argument that is not has its other bytes replaced by '?'.
std::string utf8(std::string text) {
  try {
    static_cast<void>(Json(text).dump());
    return text;
  } catch (const Json::exception&) {
    for (char& c : text)
      if (static_cast<unsigned char>(c) >= 0x80) c = '?';
    return text;
  }
}

/// Kept for the whole process, as the system keeps /proc/self/cmdline, which these words complete:
/// what is measured asks for them floors below the command line, and passed down they would be a
/// parameter of every runner, device and context that none of these has a use for.
std::vector<std::string>& told_words() {
  static std::vector<std::string> words;
  return words;
}

std::vector<std::string> process_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "unknown";
  return utf8(name.data());
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos)
      return utf8(line.substr(colon + 2));
  }
  return "unknown";
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 32> text{};
  if (gmtime_r(&now, &parts) == nullptr) return "unknown";
  const auto length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

std::string shell_quoted(const std::string& argument) {
  if (!argument.empty() && std::all_of(argument.begin(), argument.end(), is_plain)) return argument;
  std::string quoted = "'";
  for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void tell_command_line(const std::vector<std::string>& words) { told_words() = words; }

std::string command_line() {
  std::string line;
  for (std::string word : told_words().empty() ? process_words() : told_words()) {
    // Where the binary lay says nothing of the measurement.
    if (line.empty()) word.erase(0, word.rfind('/') + 1);
    line += (line.empty() ? "" : " ") + shell_quoted(utf8(word));
  }
  return line.empty() ? "unknown" : line;
}

Environment host_environment() {
  Environment environment;
  environment.host = host_name();
  environment.cpu = cpu_model();
  environment.ecc = environment.mig = "unknown";
  environment.command_line = command_line();
  environment.utc_time = utc_now();
  return environment;
}

Environment as_of_now(Environment environment, const DeviceCondition& condition) {
  environment.utc_time = utc_now();
  environment.start = condition;
  environment.end = {};
  return environment;
}

void add_nvml(Environment& environment, const Nvml& nvml) {
  environment.power_limit_w = nvml.power_limit_w().value_or(0);
  environment.ecc = nvml.ecc();
  environment.mig = nvml.mig();
  if (const auto version = nvml.driver_version(); !version.empty())
    environment.driver_version = version;
  environment.start = nvml.condition();
}

}  // namespace rooftile
