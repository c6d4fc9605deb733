// The sass predictor: the compiled main loop, scheduled. The time of a launch (launch_time.hpp)
// with a block model that simulates a sub-core on the kernel's own machine code (model/sass):
// cycles of a trip, of what stands before the loop and after it. L2, DRAM, waves, tail and clock
// are those of the analytic predictor; so are the wavefronts, from the description's lane maps.
//
// A trip's cycles become terms by why issue slots are lost: FFMA; other instructions, ports, stall
// counts, branches and pipes (issue); shared memory and its queue (smem); global loads, barriers
// and the rest (latency).
#pragma once

#include "model/predict/predictor.hpp"

namespace rooftile {

/// Each kernel is read and parsed once, each loop scheduled once a load. `kernels` may be null.
/// Predictions throw NoSass for a kernel whose code is not at hand, InputError for damaged code.
std::unique_ptr<Predictor> make_sass(const DeviceProfile& profile, const Kernels& kernels,
                                     const Parts& without = {});

}  // namespace rooftile
