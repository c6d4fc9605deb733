// A microbenchmark: one self-registered file of micro/. Its head says what it measures, by which
// formula, what to expect on a known GPU and the pitfalls.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gpu/sampler.hpp"
#include "model/profile/device_profile.hpp"

namespace rooftile::micro {

class Context;  // micro/context.hpp: device properties, sampling helpers, the profile being filled

struct Microbenchmark {
  std::string name;     ///< the stem of the file
  std::string summary;  ///< one line
  double estimated_s = 1;
  void (*run)(Context&) = nullptr;
  bool once = false;  ///< disturbs the others: runs a single time, after all their rounds
};

/// All registered, ordered so that device_limits and clock come first, then by name, those
/// that run once last.
std::span<const Microbenchmark> microbenchmarks();

struct Register {
  explicit Register(Microbenchmark benchmark);
};

}  // namespace rooftile::micro
