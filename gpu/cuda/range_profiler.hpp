// CUPTI's range profiler as RAII objects: the host side that turns metric names into hardware
// configurations and back, and one profiling session. Included only where CUPTI's headers exist.
#pragma once

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gpu/cuda/cupti_library.hpp"

namespace rooftile {

/// A configuration of metrics of one chip. Needs no GPU: chip "GH100" can be asked about anywhere.
/// `available` is the image of counter_availability(), or empty. Throws CuptiError when the chip
/// lacks one of `metrics` (see supported_metrics).
class ProfilerHost {
 public:
  ProfilerHost(const CuptiLibrary& cupti, const std::string& chip,
               const std::vector<std::uint8_t>& available, std::vector<std::string> metrics);
  ~ProfilerHost();
  ProfilerHost(const ProfilerHost&) = delete;
  ProfilerHost& operator=(const ProfilerHost&) = delete;

  std::vector<const char*> metrics() const;
  std::vector<std::uint8_t> config_image() const;  ///< of the metrics added
  std::size_t passes() const;                      ///< launches needed to collect them
  /// Values of range 0, by NVIDIA's name.
  std::map<std::string, double> evaluate(const std::vector<std::uint8_t>& counter_data) const;

 private:
  void add_metrics();
  void deinitialize() noexcept;

  const CuptiLibrary& cupti_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::vector<std::string> metrics_;
};

/// Those of `metrics` that `chip` has, in their order. Throws CuptiError for an unknown chip.
std::vector<std::string> supported_metrics(const CuptiLibrary& cupti, const std::string& chip,
                                           const std::vector<std::uint8_t>& available,
                                           const std::vector<std::string>& metrics);

std::string chip_name(const CuptiLibrary& cupti, int device_index);
std::vector<std::uint8_t> counter_availability(const CuptiLibrary& cupti, CUcontext context);

/// Profiling is switched on for `context` as long as this lives.
class RangeProfiler {
 public:
  RangeProfiler(const CuptiLibrary& cupti, CUcontext context);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// Runs `launch` once a pass as one range and returns the decoded counter data.
  std::vector<std::uint8_t> profile(const ProfilerHost& host, const std::function<void()>& launch);

 private:
  std::vector<std::uint8_t> counter_data(const ProfilerHost& host) const;
  void configure(const std::vector<std::uint8_t>& config, std::vector<std::uint8_t>& data) const;
  bool run_pass(const std::function<void()>& launch) const;  ///< true after the last pass

  const CuptiLibrary& cupti_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
};

}  // namespace rooftile
