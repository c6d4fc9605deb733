// Timing: how long the paths of a kernel take under a load. They are decoded once; each load after
// that costs its simulation alone. Schedule (schedule.hpp) says why it takes that long.
#pragma once

#include "model/sass/program.hpp"
#include "model/sass/sub_core.hpp"

namespace rooftile::sass {

/// The parts of a kernel as they run; `to_first_store` is the begin of `epilogue`.
enum class Path : std::size_t { prologue, body, to_first_store, epilogue, count };

class Paths {
 public:
  Paths() = default;
  Paths(const Kernel& kernel, const MainLoop& loop, const Machine& machine);
  const Program& operator[](Path path) const { return paths_[static_cast<std::size_t>(path)]; }

 private:
  std::array<Program, static_cast<std::size_t>(Path::count)> paths_;
};

/// A loop that has reached its steady state.
struct Steady {
  Account account;
  double warps = 0;  ///< of the sub-core
  /// Of one trip of every warp; no less than the shared path needs, whose queue may still grow.
  double cycles() const;
  /// Issue slots of such a trip by cause; they add up to its cycles.
  ByCause slots() const;
};

/// Throws InputError without an instruction, a warp or a block.
Steady steady_state(const Program& body, const Machine& machine, const Load& load,
                    Removed removed = 0);

/// Cycles of a path that all resident warps take once; 0 for an empty one.
double once(const Program& path, const Machine& machine, const Load& load);

}  // namespace rooftile::sass
