// Texts only; gpu/cuda/select.cpp asks CUDA.
#include "gpu/device_choice.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "model/error.hpp"

namespace rooftile {
namespace {

/// "GPU-<uuid>" of "MIG-GPU-<uuid>/1/0", else "".
std::string parent_of(const std::string& mig) {
  const auto slash = mig.find('/');
  return mig.starts_with("MIG-GPU-") && slash != std::string::npos ? mig.substr(4, slash - 4) : "";
}

}  // namespace

DeviceChoice parse_device_choice(const std::string& which) {
  using Kind = DeviceChoice::Kind;
  if (which.empty()) return {};
  if (which.starts_with("GPU-")) return {Kind::gpu, 0, which};
  if (which.starts_with("MIG-") && which.size() > 4 && which.find(',') == std::string::npos)
    return {Kind::mig, 0, which};
  DeviceChoice choice{Kind::index, 0, ""};
  const char* end = which.data() + which.size();
  const auto [stop, error] = std::from_chars(which.data(), end, choice.index);
  if (error != std::errc() || stop != end || choice.index < 0)
    throw InputError(
        fmt::format("device '{}' is neither an index nor a UUID: write e.g. 0, or GPU-3f2a... or "
                    "MIG-5d1c... as nvidia-smi -L prints it",
                    which));
  return choice;
}

bool leaves_visible(const char* visible, const std::string& uuid) {
  if (visible == nullptr) return true;
  const std::string parent = parent_of(uuid);
  std::istringstream names(visible);
  for (std::string name; std::getline(names, name, ',');)
    if (name == uuid || (!parent.empty() && name == parent)) return true;
  return false;
}

std::string visible_mig(const char* visible) {
  const std::string names = visible == nullptr ? "" : visible;
  return names.starts_with("MIG-") ? names.substr(0, names.find(',')) : "";
}

}  // namespace rooftile
