// CUPTI Range Profiling API (docs.nvidia.com/cupti, "Range Profiling API" and "Profiler Host API").
//
// User range and user replay: the range holds all kernels of a launch (split-K and vendor libraries
// use several), and we repeat the launch ourselves for each pass. Kernel replay would save and
// restore memory between passes and so change what the caches hold.
#ifdef ROOFTILE_HAS_CUPTI
#include "gpu/cuda/range_profiler.hpp"

#include <cuda_runtime_api.h>

#include <utility>

namespace rooftile {

namespace {

/// Every parameter structure starts with its size, which tells CUPTI the version of the caller.
template <class Params>
Params sized(std::size_t size) {
  Params params{};
  params.structSize = size;
  return params;
}

}  // namespace

// The function's own type is used, so that a wrong structure does not compile.
#define ROOFTILE_PARAMS(name) sized<name##_Params>(name##_Params_STRUCT_SIZE)
#define ROOFTILE_CUPTI(cupti, function, params) (cupti).call<decltype(&function)>(#function, params)

ProfilerHost::ProfilerHost(const CuptiLibrary& cupti, const std::string& chip,
                           const std::vector<std::uint8_t>& available,
                           std::vector<std::string> metrics)
    : cupti_(cupti), metrics_(std::move(metrics)) {
  auto params = ROOFTILE_PARAMS(CUpti_Profiler_Host_Initialize);
  params.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  params.pChipName = chip.c_str();
  params.pCounterAvailabilityImage = available.empty() ? nullptr : available.data();
  ROOFTILE_CUPTI(cupti_, cuptiProfilerHostInitialize, params);
  host_ = params.pHostObject;
  try {
    add_metrics();
  } catch (...) {
    deinitialize();  // no destructor runs for an object that was not made
    throw;
  }
}

ProfilerHost::~ProfilerHost() { deinitialize(); }

void ProfilerHost::deinitialize() noexcept {
  auto params = ROOFTILE_PARAMS(CUpti_Profiler_Host_Deinitialize);
  params.pHostObject = host_;
  cupti_.try_call<decltype(&cuptiProfilerHostDeinitialize)>("cuptiProfilerHostDeinitialize",
                                                            params);
}

std::vector<const char*> ProfilerHost::metrics() const {
  std::vector<const char*> names;
  for (const auto& metric : metrics_) names.push_back(metric.c_str());
  return names;
}

void ProfilerHost::add_metrics() {
  auto names = metrics();
  auto params = ROOFTILE_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics);
  params.pHostObject = host_;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  ROOFTILE_CUPTI(cupti_, cuptiProfilerHostConfigAddMetrics, params);
}

std::vector<std::string> supported_metrics(const CuptiLibrary& cupti, const std::string& chip,
                                           const std::vector<std::uint8_t>& available,
                                           const std::vector<std::string>& metrics) {
  // A host object that refused one metric refuses all that follow, so each trial has its own.
  const auto accepts = [&](const std::vector<std::string>& some) {
    try {
      ProfilerHost trial(cupti, chip, available, some);
      return true;
    } catch (const CuptiError& error) {
      if (error.code() == CUPTI_ERROR_INVALID_CHIP_NAME) throw;
      return false;
    }
  };
  if (accepts(metrics)) return metrics;
  std::vector<std::string> supported;
  for (const auto& metric : metrics) {
    if (accepts({metric})) supported.push_back(metric);
  }
  return supported;
}

std::vector<std::uint8_t> ProfilerHost::config_image() const {
  auto size = ROOFTILE_PARAMS(CUpti_Profiler_Host_GetConfigImageSize);
  size.pHostObject = host_;
  ROOFTILE_CUPTI(cupti_, cuptiProfilerHostGetConfigImageSize, size);
  std::vector<std::uint8_t> image(size.configImageSize);
  auto params = ROOFTILE_PARAMS(CUpti_Profiler_Host_GetConfigImage);
  params.pHostObject = host_;
  params.configImageSize = image.size();
  params.pConfigImage = image.data();
  ROOFTILE_CUPTI(cupti_, cuptiProfilerHostGetConfigImage, params);
  return image;
}

std::size_t ProfilerHost::passes() const {
  auto image = config_image();
  auto params = ROOFTILE_PARAMS(CUpti_Profiler_Host_GetNumOfPasses);
  params.configImageSize = image.size();
  params.pConfigImage = image.data();
  ROOFTILE_CUPTI(cupti_, cuptiProfilerHostGetNumOfPasses, params);
  return params.numOfPasses;
}

std::map<std::string, double> ProfilerHost::evaluate(
    const std::vector<std::uint8_t>& counter_data) const {
  auto names = metrics();
  std::vector<double> values(names.size());
  auto params = ROOFTILE_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues);
  params.pHostObject = host_;
  params.pCounterDataImage = counter_data.data();
  params.counterDataImageSize = counter_data.size();
  params.rangeIndex = 0;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  params.pMetricValues = values.data();
  ROOFTILE_CUPTI(cupti_, cuptiProfilerHostEvaluateToGpuValues, params);
  std::map<std::string, double> metrics;
  for (std::size_t i = 0; i < names.size(); ++i) metrics[names[i]] = values[i];
  return metrics;
}

std::string chip_name(const CuptiLibrary& cupti, int device_index) {
  auto initialize = ROOFTILE_PARAMS(CUpti_Profiler_Initialize);
  ROOFTILE_CUPTI(cupti, cuptiProfilerInitialize, initialize);
  auto params = ROOFTILE_PARAMS(CUpti_Device_GetChipName);
  params.deviceIndex = static_cast<std::size_t>(device_index);
  ROOFTILE_CUPTI(cupti, cuptiDeviceGetChipName, params);
  return params.pChipName;
}

std::vector<std::uint8_t> counter_availability(const CuptiLibrary& cupti, CUcontext context) {
  auto params = ROOFTILE_PARAMS(CUpti_Profiler_GetCounterAvailability);
  params.ctx = context;
  ROOFTILE_CUPTI(cupti, cuptiProfilerGetCounterAvailability, params);
  std::vector<std::uint8_t> image(params.counterAvailabilityImageSize);
  params.pCounterAvailabilityImage = image.data();
  ROOFTILE_CUPTI(cupti, cuptiProfilerGetCounterAvailability, params);
  return image;
}

RangeProfiler::RangeProfiler(const CuptiLibrary& cupti, CUcontext context) : cupti_(cupti) {
  auto params = ROOFTILE_PARAMS(CUpti_RangeProfiler_Enable);
  params.ctx = context;
  ROOFTILE_CUPTI(cupti_, cuptiRangeProfilerEnable, params);
  profiler_ = params.pRangeProfilerObject;
}

RangeProfiler::~RangeProfiler() {
  auto params = ROOFTILE_PARAMS(CUpti_RangeProfiler_Disable);
  params.pRangeProfilerObject = profiler_;
  cupti_.try_call<decltype(&cuptiRangeProfilerDisable)>("cuptiRangeProfilerDisable", params);
}

std::vector<std::uint8_t> RangeProfiler::counter_data(const ProfilerHost& host) const {
  auto names = host.metrics();
  auto size = ROOFTILE_PARAMS(CUpti_RangeProfiler_GetCounterDataSize);
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = 1;
  size.maxNumRangeTreeNodes = 1;
  ROOFTILE_CUPTI(cupti_, cuptiRangeProfilerGetCounterDataSize, size);
  std::vector<std::uint8_t> data(size.counterDataSize);
  auto params = ROOFTILE_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize);
  params.pRangeProfilerObject = profiler_;
  params.counterDataSize = data.size();
  params.pCounterData = data.data();
  ROOFTILE_CUPTI(cupti_, cuptiRangeProfilerCounterDataImageInitialize, params);
  return data;
}

void RangeProfiler::configure(const std::vector<std::uint8_t>& config,
                              std::vector<std::uint8_t>& data) const {
  auto params = ROOFTILE_PARAMS(CUpti_RangeProfiler_SetConfig);
  params.pRangeProfilerObject = profiler_;
  params.configSize = config.size();
  params.pConfig = config.data();
  params.counterDataImageSize = data.size();
  params.pCounterDataImage = data.data();
  params.range = CUPTI_UserRange;
  params.replayMode = CUPTI_UserReplay;
  params.maxRangesPerPass = 1;
  params.numNestingLevels = 1;
  params.minNestingLevel = 1;
  params.passIndex = 0;
  params.targetNestingLevel = 1;
  ROOFTILE_CUPTI(cupti_, cuptiRangeProfilerSetConfig, params);
}

bool RangeProfiler::run_pass(const std::function<void()>& launch) const {
  auto start = ROOFTILE_PARAMS(CUpti_RangeProfiler_Start);
  start.pRangeProfilerObject = profiler_;
  ROOFTILE_CUPTI(cupti_, cuptiRangeProfilerStart, start);
  auto push = ROOFTILE_PARAMS(CUpti_RangeProfiler_PushRange);
  push.pRangeProfilerObject = profiler_;
  push.pRangeName = "launch";
  ROOFTILE_CUPTI(cupti_, cuptiRangeProfilerPushRange, push);
  launch();
  check(cudaDeviceSynchronize(), "the profiled launch");
  auto pop = ROOFTILE_PARAMS(CUpti_RangeProfiler_PopRange);
  pop.pRangeProfilerObject = profiler_;
  ROOFTILE_CUPTI(cupti_, cuptiRangeProfilerPopRange, pop);
  auto stop = ROOFTILE_PARAMS(CUpti_RangeProfiler_Stop);
  stop.pRangeProfilerObject = profiler_;
  ROOFTILE_CUPTI(cupti_, cuptiRangeProfilerStop, stop);
  return stop.isAllPassSubmitted != 0;
}

std::vector<std::uint8_t> RangeProfiler::profile(const ProfilerHost& host,
                                                 const std::function<void()>& launch) {
  const auto config = host.config_image();
  auto data = counter_data(host);
  configure(config, data);
  // A pass more than CUPTI announced would mean that it never ends.
  const std::size_t most = 2 * host.passes() + 2;
  for (std::size_t pass = 0; !run_pass(launch); ++pass) {
    if (pass == most) {
      throw CuptiError("cuptiRangeProfilerStop", -1, "no end of passes", "",
                       std::source_location::current());
    }
  }
  auto decode = ROOFTILE_PARAMS(CUpti_RangeProfiler_DecodeData);
  decode.pRangeProfilerObject = profiler_;
  ROOFTILE_CUPTI(cupti_, cuptiRangeProfilerDecodeData, decode);
  return data;
}

}  // namespace rooftile
#endif
