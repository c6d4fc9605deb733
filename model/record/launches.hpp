// How many launches one timed sample of a run holds: events resolve about half a microsecond, so
// that what is shorter than 100 us is launched in a row and the sample divided. Here because the
// predictors have to charge what is measured.
#pragma once

#include <algorithm>
#include <cmath>

namespace rooftile {

/// For launches that take `launch_s` > 0 alone, where nothing has to be done between them.
inline int launches_a_sample(double launch_s) {
  constexpr double shortest_sample_s = 100e-6, most = 50;
  return static_cast<int>(std::clamp(std::ceil(shortest_sample_s / launch_s), 1.0, most));
}

}  // namespace rooftile
