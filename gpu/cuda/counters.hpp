// Hardware counters of one launch through CUPTI's range profiler, or the reason why there are none.
#pragma once

#include <functional>
#include <memory>

#include "model/record/run.hpp"

namespace rooftile {

class Counters {
 public:
  virtual ~Counters() = default;
  /// Runs `launch` (several times where one pass does not suffice) and returns values by our names,
  /// or a reason.
  virtual CounterSet collect(const std::function<void()>& launch) = 0;
};

/// Never throws for a missing library or permission: the returned object's sets then hold only the
/// reason.
std::unique_ptr<Counters> make_counters(int device_index);

}  // namespace rooftile
