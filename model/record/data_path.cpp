// The search for the recorded data.
#include "model/record/data_path.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "model/error.hpp"

namespace rooftile {
namespace {

namespace fs = std::filesystem;

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

}  // namespace

std::vector<std::string> data_directory_candidates() {
  const char* chosen = std::getenv("ROOFTILE_DATA_DIR");
  if (chosen != nullptr && *chosen != '\0') return {chosen};
  std::vector<std::string> candidates;
  std::error_code error;
  const auto executable = fs::read_symlink("/proc/self/exe", error);
  if (!error)
    candidates.push_back(
        (executable.parent_path() / "../share/rooftile/data").lexically_normal().string());
#ifdef ROOFTILE_SOURCE_DATA_DIR
  candidates.emplace_back(ROOFTILE_SOURCE_DATA_DIR);
#endif
  return candidates;
}

std::string data_directory() {
  const auto candidates = data_directory_candidates();
  for (const auto& candidate : candidates) {
    std::error_code error;
    if (fs::is_directory(candidate, error)) return candidate;
  }
  throw InputError(fmt::format(
      "recorded data not found; tried {}: set ROOFTILE_DATA_DIR to the data folder of rooftile",
      joined(candidates)));
}

std::string data_path(const std::string& relative) {
  auto path = (fs::path(data_directory()) / relative).string();
  std::error_code error;
  if (fs::exists(path, error)) return path;
  throw InputError(fmt::format("{}: no such recorded data; recorded GPUs: {}", path,
                               recorded_gpus().empty() ? "none" : joined(recorded_gpus())));
}

std::vector<std::string> recorded_gpus() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(data_directory(), error))
    if (fs::exists(entry.path() / "profile.json", error))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace rooftile
