#include "model/sass/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "model/error.hpp"

namespace rooftile::sass {

Paths::Paths(const Kernel& kernel, const MainLoop& loop, const Machine& machine) {
  const auto set = [&](Path path, std::span<const std::size_t> instructions) {
    paths_[static_cast<std::size_t>(path)] =
        decode(kernel, instructions, path == Path::body, machine);
  };
  set(Path::prologue, loop.prologue);
  set(Path::body, loop.body);
  set(Path::to_first_store, std::span(loop.epilogue).first(loop.stores_from));
  set(Path::epilogue, loop.epilogue);
}

double Steady::cycles() const {
  return std::max(account.cycles, account.path_cycles) * warps / account.trips;
}

ByCause Steady::slots() const {
  ByCause slots = account.slot;
  // What the path takes beyond the simulated stretch: its queue was still
  // filling.
  slots[static_cast<std::size_t>(Cause::queue_full)] +=
      std::max(0.0, account.path_cycles - account.cycles);
  for (double& cycles : slots) cycles *= warps / account.trips;
  return slots;
}

Steady steady_state(const Program& body, const Machine& machine, const Load& load,
                    Removed removed) {
  if (body.steps.empty()) throw InputError("the main loop holds no instruction");
  if (load.warps_per_block < 1 || load.blocks_per_sm < 1) {
    throw InputError(fmt::format("{} blocks of {} warps an SM: at least one of each is needed",
                                 load.blocks_per_sm, load.warps_per_block));
  }
  const Program program = loaded(body, machine, load, removed);
  SubCore sub_core(program, machine, load);
  return {sub_core.run_to_steady_state(), static_cast<double>(sub_core.warps())};
}

double once(const Program& path, const Machine& machine, const Load& load) {
  if (path.steps.empty()) return 0;
  const Program program = loaded(path, machine, load, 0);
  return SubCore(program, machine, load).run_once();
}

}  // namespace rooftile::sass
