// Where CUPTI is, and what its refusals mean (cupti_result.h).
#include "gpu/cuda/cupti_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "gpu/driver_info.hpp"
#include "gpu/program.hpp"

namespace rooftile {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> file_names() {
  return {fmt::format("libcupti.so.{}", CUDART_VERSION / 1000), "libcupti.so.13", "libcupti.so.12",
          "libcupti.so"};
}

std::vector<fs::path> folders() {
  std::vector<fs::path> found{""};  // the loader's own search
  std::vector<fs::path> homes;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* value = std::getenv(name)) homes.emplace_back(value);
  }
  homes.emplace_back("/usr/local/cuda");
  fs::path root = executable_folder();
  for (int level = 0; level <= 3; ++level, root = root.parent_path()) {
    homes.push_back(root / "cuda/nvidia/cu13");
  }
  for (const auto& home : homes) {
    for (const char* below : {"extras/CUPTI/lib64", "lib64", "lib"}) found.push_back(home / below);
  }
  return found;
}

constexpr const char* install_advice =
    "libcupti was not found: install CUPTI (package cuda-cupti-13-0 or the like, or pip install "
    "nvidia-cuda-cupti) and set CUDA_HOME to its toolkit, or add its folder to LD_LIBRARY_PATH";

/// Codes of CUptiResult (cupti_result.h), by number: this file compiles without CUPTI's headers.
std::string advice_for(int result) {
  switch (result) {
    case 35: {  // CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
      const auto restriction = counter_restriction();
      return restriction.empty()
                 ? "the driver refuses hardware counters to this process: an administrator sets "
                   "NVreg_RestrictProfilingToAdminUsers=0 and reloads the driver, or the command "
                   "runs with CAP_SYS_ADMIN (container: --cap-add SYS_ADMIN)"
                 : restriction;
    }
    case 26:  // CUPTI_ERROR_HARDWARE_BUSY
      return "another profiler or monitor (DCGM, Nsight) holds the counters: stop it, e.g. dcgmi "
             "profile --pause";
    case 33:
    case 40:  // CUPTI_ERROR_VIRTUALIZED_DEVICE_...
      return "a virtual GPU: the hypervisor's administrator must allow profiling of it";
    case 41:
      return "counters are not available in confidential computing mode";
    case 43:
      return "counters are not available on this MIG slice";
    case 45:
      return "counters are not available under WSL here: allow them in the NVIDIA control panel";
    default:
      return "";
  }
}

}  // namespace

CuptiLibrary::CuptiLibrary() {
  for (const auto& folder : folders()) {
    for (const auto& name : file_names()) {
      const auto file = folder.empty() ? name : (folder / name).string();
      handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_) {
        path_ = file;
        return;
      }
    }
  }
  reason_ = install_advice;
}

CuptiLibrary::~CuptiLibrary() {
  // Not closed: CUPTI registers callbacks with the driver, which outlive this object.
}

void* CuptiLibrary::find_symbol(const char* name) const noexcept {
  return handle_ ? dlsym(handle_, name) : nullptr;
}

void* CuptiLibrary::symbol(const char* name) const {
  void* found = find_symbol(name);
  if (!found) {
    throw CuptiError(name, -1, "missing function",
                     fmt::format("{} has no such function: CUPTI 12.6 or newer is needed", path_),
                     std::source_location::current());
  }
  return found;
}

void CuptiLibrary::require(const char* name, int result) const {
  if (result == 0) return;
  const char* text = nullptr;
  using Describe = int (*)(int, const char**);
  if (void* describe = dlsym(handle_, "cuptiGetResultString")) {
    reinterpret_cast<Describe>(describe)(result, &text);
  }
  throw CuptiError(name, result, text ? text : "unknown error", advice_for(result),
                   std::source_location::current());
}

}  // namespace rooftile
