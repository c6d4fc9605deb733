// The host's half of the doctor: what is installed and what is permitted.
#include "gpu/doctor.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "gpu/disassembler.hpp"
#include "gpu/driver_info.hpp"
#include "gpu/file_cache.hpp"
#include "gpu/program.hpp"

namespace rooftile {

namespace {

bool can_open(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle) dlclose(handle);
  return handle != nullptr;
}

DoctorCheck driver_check(const DoctorPlaces& places) {
  const auto version = nvidia_driver_version(places.proc);
  if (!version.empty()) return {"NVIDIA driver", CheckState::ok, version, ""};
  return {"NVIDIA driver", CheckState::problem, "no kernel module is loaded",
          "to measure here, install NVIDIA's driver (Debian, Ubuntu: nvidia-driver) and reboot; "
          "predict, validate and report work without one, on recorded data"};
}

DoctorCheck library_check(const std::string& title, const std::string& library, CheckState absent,
                          const std::string& loss) {
  if (can_open(library)) return {title, CheckState::ok, library, ""};
  return {title, absent, library + " cannot be opened",
          "it comes with the driver; in a container start it with --gpus all (NVIDIA Container "
          "Toolkit). " +
              loss};
}

std::string find_nvcc() {
  std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  if (const char* home = std::getenv("CUDA_HOME")) path += fmt::format(":{}/bin", home);
  return find_program("nvcc", path + ":/usr/local/cuda/bin");
}

/// "13.0" from "... release 13.0, V13.0.88"; "" when the text has no release.
std::string release_of(const std::string& text) {
  const std::string mark = "release ";
  const auto start = text.find(mark);
  if (start == std::string::npos) return "";
  const auto from = start + mark.size();
  return text.substr(from, text.find_first_not_of("0123456789.", from) - from);
}

bool older_than_12_8(const std::string& release) {
  char* rest = nullptr;
  const long major = std::strtol(release.c_str(), &rest, 10);
  const long minor = *rest == '.' ? std::strtol(rest + 1, nullptr, 10) : 0;
  return major < 12 || (major == 12 && minor < 8);
}

DoctorCheck toolkit_check() {
  const std::string title = "CUDA toolkit", need = "only building the CUDA parts needs it: ";
  const auto nvcc = find_nvcc();
  if (nvcc.empty()) {
    return {title, CheckState::warning, "no nvcc on PATH, in CUDA_HOME or /usr/local/cuda",
            need + "install CUDA 12.8 or newer and put nvcc on PATH"};
  }
  const auto release = release_of(run_program({nvcc, "--version"}).output);
  if (release.empty()) {
    return {title, CheckState::warning, nvcc + " does not tell its release",
            need + "see what nvcc --version prints"};
  }
  const auto finding = fmt::format("{} ({})", release, nvcc);
  if (older_than_12_8(release)) {
    return {title, CheckState::warning, finding, need + "install CUDA 12.8 or newer"};
  }
  return {title, CheckState::ok, finding, ""};
}

DoctorCheck disassembler_check() {
  const auto tool = find_cuobjdump();
  if (!tool.empty()) return {"disassembler", CheckState::ok, tool, ""};
  return {"disassembler", CheckState::warning, "no cuobjdump",
          "without it new runs carry no SASS and the sass predictor skips them: " +
              disassembler_advice()};
}

DoctorCheck gnuplot_check() {
  const auto tool = find_program("gnuplot");
  if (tool.empty()) {
    return {"gnuplot", CheckState::warning, "not on PATH",
            "reports then hold tables in place of plots: install gnuplot (Debian, Ubuntu: "
            "gnuplot-nox)"};
  }
  auto version = run_program({tool, "--version"}).output;
  while (!version.empty() && version.back() == '\n') version.pop_back();
  return {"gnuplot", CheckState::ok, fmt::format("{} ({})", version, tool), ""};
}

/// Why no file can be made in the folder, or in the nearest one above it that is there; "" where
/// one can. It is tried: permissions do not tell of file systems that hold no files of ours
/// (/proc), are read-only or full.
std::string no_file_below(std::filesystem::path folder) {
  std::error_code ignored;
  // A link that leads nowhere is there: no folder can be made in its place.
  while (folder.has_relative_path() &&
         !std::filesystem::exists(std::filesystem::symlink_status(folder, ignored)))
    folder = folder.parent_path();
  std::string name = (folder / "rooftile-doctor-XXXXXX").string();
  const int file = mkstemp(name.data());
  if (file < 0) return std::strerror(errno);
  close(file);
  unlink(name.c_str());
  return "";
}

DoctorCheck cache_check() {
  const std::string folder = cache_folder();
  const std::string obstacle = folder.empty() ? "" : no_file_below(folder);
  if (!folder.empty() && obstacle.empty()) return {"cache", CheckState::ok, folder, ""};
  return {"cache", CheckState::warning,
          folder.empty() ? "no folder" : fmt::format("{} cannot hold files: {}", folder, obstacle),
          "tiles that are compiled at run time are compiled anew each time: let ROOFTILE_CACHE_DIR "
          "name a folder that you may write to"};
}

DoctorCheck permission_check(const DoctorPlaces& places) {
  const std::string title = "counter permission";
  const bool administrator = has_cap_sys_admin(places.process_status);
  if (nvidia_driver_options(places.proc).empty()) {
    return {title, administrator ? CheckState::ok : CheckState::warning,
            fmt::format("{}/params cannot be read; this process {} CAP_SYS_ADMIN", places.proc,
                        administrator ? "has" : "lacks"),
            administrator ? ""
                          : "if counters are refused: NVreg_RestrictProfilingToAdminUsers=0, "
                            "or CAP_SYS_ADMIN"};
  }
  const auto restriction = counter_restriction(places.proc, places.process_status);
  if (restriction.empty()) return {title, CheckState::ok, "granted", ""};
  return {title, CheckState::warning, "administrators only", restriction};
}

}  // namespace

std::vector<DoctorCheck> host_checks(const DoctorPlaces& places) {
  return {driver_check(places),
          library_check("libcuda", places.cuda_library, CheckState::problem,
                        "Without it nothing can be measured."),
          library_check("NVML", places.nvml_library, CheckState::warning,
                        "Without it records lack power, temperature and throttle reasons."),
          toolkit_check(),
          disassembler_check(),
          cache_check(),
          gnuplot_check(),
          permission_check(places)};
}

std::string to_string(CheckState state) {
  switch (state) {
    case CheckState::ok:
      return "ok";
    case CheckState::warning:
      return "warning";
    case CheckState::problem:
      break;
  }
  return "problem";
}

}  // namespace rooftile
