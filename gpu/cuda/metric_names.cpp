// CUPTI's host API knows the metrics of every chip of its time, also on a machine without one.
#include "gpu/cuda/metric_names.hpp"

#include <algorithm>

#include "gpu/cuda/cupti_library.hpp"
#ifdef ROOFTILE_HAS_CUPTI
#include "gpu/cuda/range_profiler.hpp"
#endif

namespace rooftile {

std::vector<std::string> absent_metrics([[maybe_unused]] const std::string& chip,
                                        [[maybe_unused]] const std::vector<std::string>& metrics,
                                        std::string& reason) {
  std::vector<std::string> absent;
#ifdef ROOFTILE_HAS_CUPTI
  const CuptiLibrary cupti;
  reason = cupti.reason();
  if (!cupti.available()) return absent;
  try {
    const auto supported = supported_metrics(cupti, chip, {}, metrics);
    for (const auto& metric : metrics) {
      if (std::find(supported.begin(), supported.end(), metric) == supported.end()) {
        absent.push_back(metric);
      }
    }
  } catch (const CuptiError& error) {
    reason = error.what();
  }
#else
  reason = "built without CUPTI headers";
#endif
  return absent;
}

}  // namespace rooftile
