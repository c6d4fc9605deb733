// The roofline predictor: time >= the busiest resource at its peak, plus the launch.
//
//   T = launch + max(FMA, issue, shared path, L2, DRAM)
//
// An admissible lower bound: every work is the least the description allows and every rate the
// highest known (architectural, or the upper end of the measured interval), so no finer predictor
// says less. Blocks are indivisible: the fullest SM runs ceil(T / S) of them.
#pragma once

#include "model/predict/predictor.hpp"

namespace rooftile {

std::unique_ptr<Predictor> make_roofline(const DeviceProfile& profile);

}  // namespace rooftile
