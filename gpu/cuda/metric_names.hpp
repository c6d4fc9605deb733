// Which of some NVIDIA metrics a chip lacks; needs CUPTI's library and no GPU.
#pragma once

#include <string>
#include <vector>

namespace rooftile {

/// Those of `metrics` that `chip` (e.g. "GH100") does not have. When that cannot be told (no CUPTI,
/// unknown chip), `reason` says why and the list is empty.
std::vector<std::string> absent_metrics(const std::string& chip,
                                        const std::vector<std::string>& metrics,
                                        std::string& reason);

}  // namespace rooftile
