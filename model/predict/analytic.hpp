// The analytic predictor: closed forms from description and profile, no simulation, no SASS. The
// time of a launch (launch_time.hpp) with the block model of closed_forms.hpp.
#pragma once

#include "model/predict/predictor.hpp"

namespace rooftile {

std::unique_ptr<Predictor> make_analytic(const DeviceProfile& profile, const Parts& without = {});

}  // namespace rooftile
