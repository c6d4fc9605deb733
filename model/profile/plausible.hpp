// Values that a profile may hold. Generous by orders of magnitude: they keep slips (a clock of
// 1 Hz, 1e30 SMs, a bandwidth of 0) out of the predictors' arithmetic, where they would overflow,
// divide by 0 or loop without end. They judge no GPU.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/profile/device_profile.hpp"

namespace rooftile {

struct PlausibleRange {
  double lo, hi;       ///< both included
  bool whole = false;  ///< only whole numbers
};

/// By the id where the catalog's meaning bounds it (device.*), else by the unit.
PlausibleRange plausible_range(std::string_view id, std::string_view unit);

/// What `value` should have been ("a whole number from 1 to 65536"), or nullopt when it is that.
std::optional<std::string> implausible(std::string_view id, std::string_view unit, double value);

/// The part of an interval that is plausible: the ends of a noisy metric's interval may lie beyond
/// what the quantity itself can be, e.g. below 0.
Interval plausible_part(std::string_view id, std::string_view unit, Interval interval);

}  // namespace rooftile
