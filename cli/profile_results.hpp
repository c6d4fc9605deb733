// What characterize prints: the metrics with their uncertainty, and what went wrong.
#pragma once

#include <string>

#include "cli/characterize_stage.hpp"
#include "cli/output.hpp"
#include "model/profile/device_profile.hpp"

namespace rooftile::cli {

Results profile_results(const DeviceProfile& profile, const std::string& path,
                        const std::string& notice);

/// The microbenchmarks of a plan with their estimated time.
Results characterize_plan_results(const CharacterizePlan& plan, const std::string& notice);

/// Failed entries: 1, said on stderr. No value at all: 1. Suspect ones under --strict: 5.
int profile_exit_code(const DeviceProfile& profile, bool strict);

}  // namespace rooftile::cli
