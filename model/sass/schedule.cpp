#include "model/sass/schedule.hpp"

#include <algorithm>
#include <numeric>

#include "model/kernel/architecture.hpp"
#include "model/sass/ports.hpp"
#include "model/sass/timing.hpp"

namespace rooftile::sass {

namespace {

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
  const Paths paths(kernel, loop, machine);
  const Steady steady = steady_state(paths[Path::body], machine, load);
  const Account& account = steady.account;
  const Census counts = census(kernel, loop);
  Schedule result;
  result.cycles_per_iteration = steady.cycles();
  result.fma_per_thread = counts.ffma;
  result.prologue_cycles = once(paths[Path::prologue], machine, load);
  result.tail_cycles = once(paths[Path::to_first_store], machine, load);
  result.stores_cycles =
      std::max(0.0, once(paths[Path::epilogue], machine, load) - result.tail_cycles);
  result.ffma_share = counts.ffma_share();
  result.port_ratio = port_ratio(kernel, loop.body, machine.banks, machine.window_cycles);
  result.issue_utilization =
      account.slot[static_cast<std::size_t>(Cause::selected)] / account.cycles;
  result.fma_per_cycle_per_sm =
      counts.ffma * lanes_per_warp * load.warps() / result.cycles_per_iteration;
  result.path_utilization = account.path_cycles / account.cycles;
  result.warp_cycles = scaled(account.warp, 1 / account.trips);
  result.slot_cycles = steady.slots();
  result.lines = costliest_first(loop, account);
  result.periodic = account.periodic;
  return result;
}

std::vector<Ceiling> ceilings(const Kernel& kernel, const MainLoop& loop, const Machine& machine,
                              const Load& load) {
  const Program body = decode(kernel, loop.body, true, machine);
  const double all = steady_state(body, machine, load).cycles();
  std::vector<Ceiling> result;
  for (const Cause cause : {Cause::ports, Cause::lds_wait, Cause::global_wait, Cause::barrier,
                            Cause::queue_full, Cause::pipe_busy, Cause::branch}) {
    const double without = steady_state(body, machine, load, bit(cause)).cycles();
    const bool known = without <= all;
    result.push_back({cause, known ? std::optional(without) : std::nullopt});
  }
  return result;
}

}  // namespace rooftile::sass
