// Runs one microbenchmark and merges its entries into a profile: the one function behind
// `rooftile characterize` and rooftile_bench.
#pragma once

#include "gpu/cuda/device.hpp"
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"

namespace rooftile::micro {

/// One round: fills the entries that the catalog gives to `benchmark` from this round and those
/// in `profile.unfinished`, and leaves this round there. A CUDA failure becomes entries with state
/// failed (skipped when it is lack of memory) that carry the error's text. Throws Interrupted
/// alone.
void measure(const Microbenchmark& benchmark, Device& device, bool quick, DeviceProfile& profile);

}  // namespace rooftile::micro
