// Counters of one launch: libcupti by dlopen, the metrics of counter_catalog.cpp that the chip has,
// one range, as many repetitions of the launch as the hardware needs passes (3 on GH100).
//
// Pitfall: between passes nothing is flushed, so hit rates and DRAM bytes are those of a launch
// that follows itself (hot); one launch before the first pass makes all passes alike.
#include "gpu/cuda/counters.hpp"

#include "gpu/cuda/counter_catalog.hpp"
#include "gpu/cuda/cupti_library.hpp"
#include "gpu/cuda/error.hpp"
#ifdef ROOFTILE_HAS_CUPTI
#include "gpu/cuda/range_profiler.hpp"
#endif

namespace rooftile {

namespace {

/// Answers every launch with the same reason, without running it.
class NoCounters : public Counters {
 public:
  explicit NoCounters(std::string reason) : reason_(std::move(reason)) {}
  CounterSet collect(const std::function<void()>&) override { return {{}, reason_}; }

 private:
  std::string reason_;
};

#ifdef ROOFTILE_HAS_CUPTI

/// The context that the runtime made current. libcuda is not linked: its entry comes by the
/// runtime.
CUcontext current_context() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(
      cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &entry, 4000, cudaEnableDefault, &found),
      "cudaGetDriverEntryPointByVersion");
  CUcontext context = nullptr;
  using Get = CUresult (*)(CUcontext*);
  if (found != cudaDriverEntryPointSuccess ||
      reinterpret_cast<Get>(entry)(&context) != CUDA_SUCCESS || context == nullptr) {
    throw GpuError("cuCtxGetCurrent", -1, "no context", "", std::source_location::current());
  }
  return context;
}

class CuptiCounters : public Counters {
 public:
  CuptiCounters(std::unique_ptr<CuptiLibrary> cupti, CUcontext context, const std::string& chip,
                const std::vector<std::uint8_t>& available, std::vector<std::string> metrics)
      : cupti_(std::move(cupti)),
        context_(context),
        host_(*cupti_, chip, available, std::move(metrics)) {}

  CounterSet collect(const std::function<void()>& launch) override {
    if (!refused_.empty()) return {{}, refused_};
    launch();
    check(cudaDeviceSynchronize(), "the launch before the profiled ones");
    try {
      RangeProfiler profiler(*cupti_, context_);
      return {counter_values(host_.evaluate(profiler.profile(host_, launch))), ""};
    } catch (const CuptiError& error) {
      refused_ = error.what();  // asking again costs time and gives the same answer
      return {{}, refused_};
    }
  }

 private:
  std::unique_ptr<CuptiLibrary> cupti_;
  CUcontext context_;
  ProfilerHost host_;
  std::string refused_;
};

std::unique_ptr<Counters> make_cupti_counters(int device_index) {
  auto cupti = std::make_unique<CuptiLibrary>();
  if (!cupti->available()) return std::make_unique<NoCounters>(cupti->reason());
  check(cudaSetDevice(device_index), "cudaSetDevice");
  check(cudaFree(nullptr), "creation of the context");
  const CUcontext context = current_context();
  const auto chip = chip_name(*cupti, device_index);
  const auto available = counter_availability(*cupti, context);
  auto metrics = supported_metrics(*cupti, chip, available, counter_metrics());
  if (metrics.empty()) {
    return std::make_unique<NoCounters>(chip + " has none of the counters that rooftile knows");
  }
  return std::make_unique<CuptiCounters>(std::move(cupti), context, chip, available,
                                         std::move(metrics));
}

#else

std::unique_ptr<Counters> make_cupti_counters(int) {
  return std::make_unique<NoCounters>(
      "built without CUPTI headers: install CUPTI (cuda-cupti-dev-13-0 or the like) and configure "
      "again");
}

#endif

}  // namespace

std::unique_ptr<Counters> make_counters(int device_index) {
  try {
    return make_cupti_counters(device_index);
  } catch (const GpuError& error) {
    return std::make_unique<NoCounters>(error.what());
  }
}

}  // namespace rooftile
