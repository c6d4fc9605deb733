// What this machine can do for rooftile, what will not work, and how to fix it. `rooftile doctor`
// prints these checks; nothing here throws because something is missing, that is a finding.
#pragma once

#include <string>
#include <vector>

namespace rooftile {

enum class CheckState { ok, warning, problem };

struct DoctorCheck {
  std::string title;  ///< e.g. "NVIDIA driver"
  CheckState state = CheckState::ok;
  std::string finding;  ///< what is the case, e.g. "580.159.03"
  std::string advice;   ///< how to fix it; empty when ok
};

/// Where the host's checks look; tests point these at folders of their own.
struct DoctorPlaces {
  std::string proc = "/proc/driver/nvidia";
  std::string process_status = "/proc/self/status";
  std::string cuda_library = "libcuda.so.1";
  std::string nvml_library = "libnvidia-ml.so.1";
};

/// Driver, its libraries, toolkit, disassembler, cache, gnuplot and the permission for counters;
/// needs no GPU and no CUDA build.
std::vector<DoctorCheck> host_checks(const DoctorPlaces& places = {});

/// The GPU `which` ("" = first; index or UUID): can it be used, compute mode, free memory, MIG,
/// ECC, clocks, throttling, persistence, counters. In a build without CUDA one warning that says
/// so.
std::vector<DoctorCheck> device_checks(const std::string& which);

/// "ok", "warning" or "problem".
std::string to_string(CheckState state);

}  // namespace rooftile
