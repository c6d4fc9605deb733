// Lookup: a curve as a search reads it, thousands of times. It says what interpolate() says of the
// curve, to the last bit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "model/profile/device_profile.hpp"

namespace rooftile {

class Lookup {
 public:
  /// The curve has a point.
  explicit Lookup(Curve curve) : curve_(std::move(curve)) { tabulate(); }

  const Curve& curve() const { return curve_; }
  /// As many as before, at the same places.
  void set_values(std::vector<double> y) {
    curve_.y = std::move(y);
    tabulate();
  }

  double operator()(double x) const {
    if (x >= 0 && x < static_cast<double>(whole_.size())) {
      const auto whole = static_cast<std::size_t>(x);
      if (static_cast<double>(whole) == x) return whole_[whole];
    }
    return interpolate(curve_, x);
  }

 private:
  /// Curves over bytes begin far beyond what is counted.
  void tabulate() {
    constexpr double most_whole = 256;
    const double last = curve_.x.back();
    const bool counted = curve_.x.front() < most_whole && last >= 1;
    whole_.resize(counted ? static_cast<std::size_t>(std::min(last, most_whole)) + 1 : 0);
    for (std::size_t i = 0; i < whole_.size(); ++i)
      whole_[i] = interpolate(curve_, static_cast<double>(i));
  }

  Curve curve_;
  std::vector<double> whole_;  ///< at 0, 1, ...: counts of warps and SMs
};

}  // namespace rooftile
