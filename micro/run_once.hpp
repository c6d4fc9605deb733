// Runs one microbenchmark and merges its entries into a profile: the one function behind
// `rooftile characterize` and rooftile_bench.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gpu/cuda/device.hpp"
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"

namespace rooftile::micro {

/// One round: fills the entries that the catalog gives to `benchmark` from this round and those
/// that `pool` holds, and leaves this round there. A CUDA failure becomes entries with state failed
/// (skipped when it is lack of memory) that carry the error's text. Throws Interrupted alone.
void measure(const Microbenchmark& benchmark, Device& device, bool quick, DeviceProfile& profile,
             Pool& pool);

/// One quick run as Google Benchmark wants it: manual time and counters.
struct OnceResult {
  double seconds = 0;  ///< wall time of the whole run, in s
  /// Every metric found (by id, in its own unit) and, of each curve, the first and last point as
  /// "<id>[x]".
  std::vector<std::pair<std::string, double>> counters;
  std::string error;  ///< of the first failed entry; empty when all went well
};
OnceResult run_once(const Microbenchmark& benchmark, Device& device);

}  // namespace rooftile::micro
