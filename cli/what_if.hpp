// What-if edits of a profile: --set ffma.throughput=2x, --set l2.bandwidth.read=8e12.
#pragma once

#include <string>
#include <vector>

#include "model/profile/device_profile.hpp"

namespace rooftile::cli {

/// Applies edits "id=2x" (multiply value and intervals; curves too) and "id=value" (in the metric's
/// unit; metrics only). A replaced value has no interval. Throws InputError for an unknown id (with
/// the nearest), a metric without a value to scale, and numbers that are not positive.
void apply_what_if(DeviceProfile& profile, const std::vector<std::string>& edits);

}  // namespace rooftile::cli
