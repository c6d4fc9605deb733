#include "model/sass/sub_core.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rooftile::sass {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Trips within which a period is looked for, its greatest length, and trips averaged without one.
constexpr std::size_t most_trips = 6, most_period = 3, averaged_trips = 8;

/// Smallest number of trips after which the lengths repeat: of the last 3 for 1, twice for more; 0
/// if there is none.
std::size_t period_of(const std::vector<double>& lengths) {
  for (std::size_t period = 1; period <= most_period; ++period) {
    const std::size_t needed = std::max<std::size_t>(3, 2 * period);
    if (lengths.size() < needed) break;
    bool repeats = true;
    for (std::size_t at = lengths.size() - needed + period; at < lengths.size(); ++at) {
      repeats &= lengths[at] == lengths[at - period];
    }
    if (repeats) return period;
  }
  return 0;
}

std::size_t index(Cause cause) { return static_cast<std::size_t>(cause); }

/// The next whole cycle; what std::ceil says of such times, in two instructions.
double whole_cycle(double time) {
  const auto whole = static_cast<double>(static_cast<std::int64_t>(time));
  return whole < time ? whole + 1 : whole;
}

}  // namespace

SubCore::SubCore(const Program& program, const Machine& machine, const Load& load)
    : program_(program),
      machine_(machine),
      warps_(static_cast<std::size_t>(load.warps_of_one(machine.sub_cores))),
      next_(warps_.size()),
      ready_(warps_.size()),
      blocks_(static_cast<std::size_t>(load.blocks_per_sm)),
      ports_(machine.window_cycles),
      queue_(static_cast<std::size_t>(std::max(1.0, machine.queue_depth))) {
  account_.steps.resize(program.steps.size());
  deal(load);
  for (std::size_t at = 0; at < warps_.size(); ++at) {
    Warp& warp = warps_[at];
    if (program.cyclic) {
      warp.stalled_until = machine.block_offset_cycles * static_cast<double>(warp.block);
      warp.last_issue = warp.stalled_until - 1;
    }
    find_next(at);
  }
}

/// The SM's warps go to its sub-cores in turn; this is the first one.
void SubCore::deal(const Load& load) {
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    warps_[w].block = w * static_cast<std::size_t>(machine_.sub_cores) /
                      static_cast<std::size_t>(load.warps_per_block);
    Block& block = blocks_[warps_[w].block];
    if (block.warps++ == 0) block.first = w;
  }
  for (Block& block : blocks_)
    if (block.warps > 0) block.sharing = load.warps_per_block / static_cast<double>(block.warps);
}
/// Of the last group that a wait needs; groups arrive in order.
double SubCore::group_arrival(const Warp& warp, const Step& step) {
  const auto allowed = std::min(static_cast<std::size_t>(step.groups), most_groups - 1);
  if (warp.group_count <= allowed) return 0;
  return warp.groups[(warp.group_count - allowed - 1) % most_groups];
}

/// The warp's own conditions, which its own issues and its block's barrier alone can change.
double SubCore::own_conditions(Warp& warp, const Step& step) const {
  double latest = 0;
  warp.waits_for = Cause::not_selected;
  for (unsigned b = 0; step.wait_mask >> b != 0; ++b) {
    if ((step.wait_mask >> b & 1U) == 0 || warp.board[b] <= latest) continue;
    latest = warp.board[b];
    warp.waits_for = warp.board_cause[b];
  }
  if (step.action == Action::wait_groups) {
    const double arrival = group_arrival(warp, step);
    if (arrival > latest) {
      latest = arrival;
      warp.waits_for = Cause::global_wait;
    }
  }
  return whole_cycle(std::max({warp.stalled_until, warp.fetched, warp.released, latest}));
}

void SubCore::find_next(std::size_t at) {
  Warp& warp = warps_[at];
  if (warp.at_barrier || warp.pc == program_.steps.size()) {
    next_[at] = {&program_.steps.front(), never};
    return;
  }
  const Step& step = program_.steps[warp.pc];
  next_[at] = {&step, own_conditions(warp, step), static_cast<std::size_t>(step.pipe), step.queued};
}

/// When the queue has a place for another memory instruction: when its oldest has been served.
double SubCore::queue_opens() const { return queue_[queue_next_]; }

inline double SubCore::ready(std::size_t warp, double queue_opens) const {
  const Next& next = next_[warp];
  return std::max({next.eligible, pipe_free_[next.pipe], next.queued ? queue_opens : 0});
}

/// The next warp to issue, greedy, then the youngest: stays with the last one unless that yields or
/// waits. Moves now_ to its time.
std::size_t SubCore::choose() {
  const double opens = queue_opens();
  const bool stays = any_ && ready(last_, opens) <= now_;
  if (stays && !yields_) return last_;
  double first = never;
  for (std::size_t w = 0; w < ready_.size(); ++w) {
    ready_[w] = ready(w, opens);
    first = std::min(first, ready_[w]);
  }
  now_ = std::max(now_, first);
  for (std::size_t w = ready_.size(); w-- > 0;) {
    if ((w != last_ || !stays) && ready_[w] <= now_) return w;
  }
  return last_;
}

void SubCore::issue_next() {
  const std::size_t chosen = choose();
  Warp& warp = warps_[chosen];
  const Step& step = *next_[chosen].step;
  const double now = now_;
  if (recording_) account(chosen, now);
  const double stall = put_off(step, chosen, now);
  now_ = now + 1 + stall;
  last_issue_ = now;
  last_ = chosen;
  any_ = true;
  yields_ = step.yield;
  pipe_free_[static_cast<std::size_t>(step.pipe)] = now + step.pipe_cycles;
  warp.last_issue = now;
  warp.ports_until = now + 1 + stall;
  warp.stalled_until = now + stall + step.stall_cycles;
  warp.fetched = now + step.fetch_cycles;
  if (++warp.pc == program_.steps.size()) {
    ++trips_;
    if (program_.cyclic) warp.pc = 0;
  }
  execute(warp, step, now);
  find_next(chosen);
}

/// Cycles by which this instruction puts off the next issue of the sub-core: its register reads,
/// and whole slots of what the words of loads take when they arrive (taken here at once).
double SubCore::put_off(const Step& step, std::size_t warp, double now) {
  double whole = 0;
  if (step.stolen_cycles > 0) {
    stolen_ += step.stolen_cycles;
    whole = std::floor(stolen_);
    stolen_ -= whole;
  }
  return ports_.stall(step.reads, warp, now) + whole;
}

void SubCore::release(Warp& warp, int scoreboard, double time, Cause cause) {
  if (scoreboard == Control::no_scoreboard) return;
  const auto b = static_cast<std::size_t>(scoreboard);
  if (b >= scoreboards || time <= warp.board[b]) return;
  warp.board[b] = time;
  warp.board_cause[b] = cause;
}

/// Start of service on the path that the sub-cores share.
double SubCore::enter_path(const Step& step, double now) {
  const double start = std::max(path_free_, now);
  path_free_ = start + step.path_cycles;
  if (step.queued) {
    queue_[queue_next_] = whole_cycle(path_free_);
    queue_next_ = queue_next_ + 1 == queue_.size() ? 0 : queue_next_ + 1;
  }
  if (recording_) account_.path_cycles += step.path_cycles;
  return start;
}

double SubCore::load_from_memory(const Step& step, double start) {
  const double begin = std::max(memory_free_, start);
  memory_free_ = begin + step.memory_cycles;
  return begin + step.latency_cycles;
}

void SubCore::execute(Warp& warp, const Step& step, double now) {
  double start = now, done = now;
  Cause cause = Cause::other_wait;
  switch (step.action) {
    case Action::shared_load:
    case Action::shared_store:
      start = enter_path(step, now);
      done = start + step.latency_cycles;
      cause = Cause::lds_wait;
      break;
    case Action::global_load:
    case Action::copy:
      start = enter_path(step, now);
      done = load_from_memory(step, start);
      cause = Cause::global_wait;
      if (step.action == Action::copy) warp.pending_copies = std::max(warp.pending_copies, done);
      break;
    case Action::global_store:
      start = enter_path(step, now);
      break;
    case Action::commit_group: {
      const double before =
          warp.group_count ? warp.groups[(warp.group_count - 1) % most_groups] : 0;
      done = std::max(before, warp.pending_copies);
      warp.groups[warp.group_count++ % most_groups] = done;
      cause = Cause::global_wait;
      break;
    }
    case Action::block_barrier:
      arrive_at_barrier(warp, now);
      break;
    default:
      done = now + step.latency_cycles;
  }
  release(warp, step.write_scoreboard, done, cause);
  if (step.operand_cycles > 0) {
    operands_free_ = std::max(operands_free_, now) + step.operand_cycles;
    release(warp, step.read_scoreboard, operands_free_, cause);
  } else {
    release(warp, step.read_scoreboard, now + 1, cause);
  }
  latest_ = std::max({latest_, now + 1, path_free_});
  if (step.write_scoreboard != Control::no_scoreboard) latest_ = std::max(latest_, done);
}

/// One unit a block takes the arrivals of all sub-cores in turn; some time after the last all may
/// go on.
void SubCore::arrive_at_barrier(Warp& warp, double now) {
  Block& block = blocks_[warp.block];
  block.unit_free = std::max(block.unit_free, now) + block.sharing * machine_.barrier_next_cycles;
  warp.at_barrier = true;
  if (++block.arrived < block.warps) return;
  const double release =
      block.unit_free + machine_.barrier_first_cycles - machine_.barrier_next_cycles;
  block.arrived = 0;
  for (std::size_t w = block.first; w < block.first + block.warps; ++w) {
    warps_[w].at_barrier = false;
    warps_[w].released = release;
    find_next(w);
  }
}

/// Splits the time since the warp's last issue by what held it back, in the order of the checks.
void SubCore::account(std::size_t at, double now) {
  const Warp& warp = warps_[at];
  const Step& step = *next_[at].step;
  ByCause& line = account_.steps[warp.pc];
  ++account_.warp[index(Cause::selected)];
  ++account_.slot[index(Cause::selected)];
  ++line[index(Cause::selected)];
  double cursor = warp.last_issue + 1;
  if (cursor >= now) return;
  const auto until = [&](double time, Cause cause) {
    time = std::min(time, now);
    if (time <= cursor) return;
    account_.warp[index(cause)] += time - cursor;
    line[index(cause)] += time - cursor;
    account_.slot[index(cause)] += std::max(0.0, time - std::max(cursor, last_issue_ + 1));
    cursor = time;
  };
  until(warp.ports_until, Cause::ports);
  until(warp.stalled_until, Cause::stall_count);
  until(warp.fetched, Cause::branch);
  until(warp.released, Cause::barrier);
  until(next_[at].eligible, warp.waits_for);
  if (step.queued) until(queue_opens(), Cause::queue_full);
  until(last_issue_ + 1, Cause::not_selected);
  until(pipe_free_[static_cast<std::size_t>(step.pipe)], Cause::pipe_busy);
  if (any_) until(warps_[last_].ports_until, Cause::ports);
  until(now, Cause::not_selected);
}

/// Issues as many instructions as all warps have in the program, whichever warps issue them; cycles
/// that took. Work is counted by instructions because warps do not advance evenly.
double SubCore::run_trip() {
  const double begin = now_;
  for (std::size_t left = warps_.size() * program_.steps.size(); left > 0; --left) issue_next();
  return now_ - begin;
}

Account SubCore::run_to_steady_state() {
  std::vector<double> lengths;
  std::size_t period = 0;
  while (period == 0 && lengths.size() < most_trips) {
    lengths.push_back(run_trip());
    period = period_of(lengths);
  }
  account_.periodic = period > 0;
  recording_ = true;
  const std::size_t trips = period ? period : averaged_trips;
  for (std::size_t trip = 0; trip < trips; ++trip) account_.cycles += run_trip();
  account_.trips = static_cast<double>(trips * warps_.size());
  return account_;
}

double SubCore::run_once() {
  while (trips_ < warps_.size()) issue_next();
  return latest_;
}

}  // namespace rooftile::sass
