// Compiled kernels for the sass predictor: found, parsed and scheduled, each once.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "model/kernel/kernel_description.hpp"
#include "model/predict/predictor.hpp"
#include "model/sass/timing.hpp"

namespace rooftile {

struct CompiledLoop {
  std::string kernel_id;
  sass::Kernel kernel;
  sass::MainLoop loop;
  sass::Census census;
  int ffma_outside = 0;  ///< of one thread: peeled slices
  sass::Paths paths;
};

/// Cycles, as in sass::Schedule.
struct LoopTiming {
  double trip = 0, prologue = 0, epilogue = 0, stores = 0;
  sass::ByCause slots{};  ///< of the trip
};

/// Safe to use from several threads.
class CompiledLoops {
 public:
  CompiledLoops(Kernels kernels, const sass::Machine& machine)
      : kernels_(std::move(kernels)), machine_(machine) {}

  const sass::Machine& machine() const { return machine_; }

  /// Sets the kernel's id, and the resources where they were estimated. Throws NoSass when its code
  /// is not known, or is not that of the kernel that was measured.
  void identify(KernelDescription& kernel, const GemmProblem& problem) const;
  /// Throws NoSass for an id without a listing, InputError for a damaged one or one without a loop.
  const CompiledLoop& loop(const KernelDescription& identified, sass::Slices slices) const;
  /// Of `loop`, one of this object's.
  LoopTiming timing(const CompiledLoop& loop, const sass::Load& load) const;

 private:
  Kernels kernels_;
  sass::Machine machine_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::string, sass::Slices>, CompiledLoop> loops_;
  /// Cycles of one path, and where they go (of the body).
  struct PathTime {
    double cycles = 0;
    sass::ByCause slots{};
  };
  /// A program and all that its time depends on.
  using PathKey = std::pair<const sass::Program*, std::vector<double>>;
  PathTime path_time(const sass::Program& path, const sass::Load& load) const;
  mutable std::map<PathKey, PathTime> times_;
};

}  // namespace rooftile
