// Machines on which parts of the model cost nothing.
#pragma once

#include "model/predict/machine.hpp"
#include "model/predict/parts.hpp"
#include "model/sass/schedule.hpp"

namespace rooftile {

/// `machine` without these parts. Rates may be infinite, latencies and costs 0.
Machine take_out(const Parts& parts, Machine machine);
sass::Machine take_out(const Parts& parts, sass::Machine machine);

}  // namespace rooftile
