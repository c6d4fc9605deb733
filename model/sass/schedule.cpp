#include "model/sass/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "model/error.hpp"
#include "model/kernel/architecture.hpp"
#include "model/sass/ports.hpp"
#include "model/sass/program.hpp"
#include "model/sass/sub_core.hpp"

namespace rooftile::sass {

namespace {

struct Steady {
  Account account;
  double warps = 0;  ///< of the sub-core
  /// Of one trip of every warp; no less than the shared path needs, whose queue may still grow.
  double cycles() const {
    return std::max(account.cycles, account.path_cycles) * warps / account.trips;
  }
};

void check(const MainLoop& loop, const Load& load) {
  if (loop.body.empty()) throw InputError("the main loop holds no instruction");
  if (load.warps_per_block < 1 || load.blocks_per_sm < 1) {
    throw InputError(fmt::format("{} blocks of {} warps an SM: at least one of each is needed",
                                 load.blocks_per_sm, load.warps_per_block));
  }
}

Steady steady_state(const Kernel& kernel, const MainLoop& loop, const Machine& machine,
                    const Load& load, Removed removed) {
  check(loop, load);
  const Program program = make_program(kernel, loop.body, true, machine, load, removed);
  SubCore sub_core(program, machine, load);
  Steady steady;
  steady.account = sub_core.run_to_steady_state();
  steady.warps = static_cast<double>(sub_core.warps());
  // What the path takes beyond the simulated stretch: its queue was still filling.
  Account& account = steady.account;
  account.slot[static_cast<std::size_t>(Cause::queue_full)] +=
      std::max(0.0, account.path_cycles - account.cycles);
  return steady;
}

double once(const Kernel& kernel, std::span<const std::size_t> path, const Machine& machine,
            const Load& load) {
  if (path.empty()) return 0;
  const Program program = make_program(kernel, path, false, machine, load, 0);
  return SubCore(program, machine, load).run_once();
}

ByCause scaled(ByCause causes, double factor) {
  for (double& cycles : causes) cycles *= factor;
  return causes;
}

std::vector<Line> costliest_first(const MainLoop& loop, const Account& account) {
  std::vector<Line> lines(loop.body.size());
  for (std::size_t at = 0; at < lines.size(); ++at) {
    lines[at] = {loop.body[at], scaled(account.steps[at], 1 / account.trips)};
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.total() > b.total(); });
  return lines;
}

}  // namespace

std::string_view to_string(Cause cause) {
  constexpr std::array<std::string_view, cause_count> names{
      "selected",       "not selected",  "stall count",   "branch",
      "register ports", "shared memory", "global memory", "scoreboard",
      "barrier",        "queue full",    "pipe busy"};
  return names.at(static_cast<std::size_t>(cause));
}

double Line::total() const {
  return std::accumulate(cycles.begin(), cycles.end(), 0.0) -
         cycles[static_cast<std::size_t>(Cause::selected)] -
         cycles[static_cast<std::size_t>(Cause::not_selected)];
}

Schedule schedule(const Kernel& kernel, const MainLoop& loop, const Machine& machine,
                  const Load& load) {
  const Steady steady = steady_state(kernel, loop, machine, load, 0);
  const Account& account = steady.account;
  const Census counts = census(kernel, loop);
  Schedule result;
  result.cycles_per_iteration = steady.cycles();
  result.fma_per_thread = counts.ffma;
  result.prologue_cycles = once(kernel, loop.prologue, machine, load);
  result.tail_cycles =
      once(kernel, std::span(loop.epilogue).first(loop.stores_from), machine, load);
  result.stores_cycles =
      std::max(0.0, once(kernel, loop.epilogue, machine, load) - result.tail_cycles);
  result.ffma_share = counts.ffma_share();
  result.port_ratio = port_ratio(kernel, loop.body, machine.banks, machine.window_cycles);
  result.issue_utilization =
      account.slot[static_cast<std::size_t>(Cause::selected)] / account.cycles;
  result.fma_per_cycle_per_sm =
      counts.ffma * lanes_per_warp * load.warps() / result.cycles_per_iteration;
  result.path_utilization = account.path_cycles / account.cycles;
  result.warp_cycles = scaled(account.warp, 1 / account.trips);
  result.slot_cycles = scaled(account.slot, steady.warps / account.trips);
  result.lines = costliest_first(loop, account);
  result.periodic = account.periodic;
  return result;
}

std::vector<Ceiling> ceilings(const Kernel& kernel, const MainLoop& loop, const Machine& machine,
                              const Load& load) {
  const double all = steady_state(kernel, loop, machine, load, 0).cycles();
  std::vector<Ceiling> result;
  for (const Cause cause : {Cause::ports, Cause::lds_wait, Cause::global_wait, Cause::barrier,
                            Cause::queue_full, Cause::pipe_busy, Cause::branch}) {
    const double without = steady_state(kernel, loop, machine, load, bit(cause)).cycles();
    const bool known = without <= all;
    result.push_back({cause, known ? std::optional(without) : std::nullopt});
  }
  return result;
}

}  // namespace rooftile::sass
