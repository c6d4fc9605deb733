#include "model/sass/sub_core.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace rooftile::sass {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Trips of all warps within which a period is looked for, and over which is averaged without one.
constexpr int most_trips = 12, averaged_trips = 8;

std::size_t index(Cause cause) { return static_cast<std::size_t>(cause); }

}  // namespace

SubCore::SubCore(const Program& program, const Machine& machine, const Load& load)
    : program_(program),
      machine_(machine),
      sharing_(std::min(machine.sub_cores, std::max(1, load.warps_per_block))),
      blocks_(static_cast<std::size_t>(std::max(1, load.blocks_per_sm))),
      warps_per_block_(static_cast<std::size_t>(
          (std::max(1, load.warps_per_block) + machine.sub_cores - 1) / machine.sub_cores)),
      ports_(machine.banks, machine.window_cycles),
      queue_(static_cast<std::size_t>(std::max(1.0, machine.queue_depth))) {
  warps_.resize(blocks_.size() * warps_per_block_);
  account_.steps.resize(program.steps.size());
  for (std::size_t w = 0; w < warps_.size(); ++w) {
    Warp& warp = warps_[w];
    warp.block = w / warps_per_block_;
    if (program.cyclic) {
      warp.stalled_until = machine.block_offset_cycles * static_cast<double>(warp.block);
      warp.last_issue = warp.stalled_until - 1;
    }
    find_eligible(warp);
  }
}

/// The warp's own conditions, which its own issues and its block's barrier alone can change.
void SubCore::find_eligible(Warp& warp) const {
  const Step& step = program_.steps[warp.pc];
  double latest = 0;
  warp.waits_for = Cause::not_selected;
  for (unsigned b = 0; step.wait_mask >> b; ++b) {
    if ((step.wait_mask >> b & 1U) == 0 || warp.board[b] <= latest) continue;
    latest = warp.board[b];
    warp.waits_for = warp.board_cause[b];
  }
  const auto allowed = static_cast<std::size_t>(step.groups);
  if (step.action == Action::wait_groups && warp.group_count > allowed) {
    // Groups arrive in order.
    const double arrival = warp.groups[(warp.group_count - allowed - 1) % most_groups];
    if (arrival > latest) {
      latest = arrival;
      warp.waits_for = Cause::global_wait;
    }
  }
  warp.eligible = std::max({warp.stalled_until, warp.fetched, warp.released, latest});
}

double SubCore::ready(const Warp& warp) const {
  if (warp.at_barrier || warp.pc == program_.steps.size()) return never;
  const Step& step = program_.steps[warp.pc];
  double time = std::max(warp.eligible, pipe_free_[static_cast<std::size_t>(step.pipe)]);
  if (step.queued && queued_ >= queue_.size()) {
    time = std::max(time, queue_[queued_ % queue_.size()]);
  }
  return std::ceil(time);
}

/// Greedy, then the youngest: stays with the last warp unless it yields.
std::size_t SubCore::choose(double now) const {
  const bool stays = any_ && ready(warps_[last_]) <= now;
  const bool yields =
      any_ &&
      program_.steps[(warps_[last_].pc + program_.steps.size() - 1) % program_.steps.size()].yield;
  if (stays && !yields) return last_;
  for (std::size_t w = warps_.size(); w-- > 0;) {
    if ((w != last_ || !stays) && ready(warps_[w]) <= now) return w;
  }
  return last_;
}

void SubCore::issue_next() {
  if (!any_ || ready(warps_[last_]) > now_) {
    double first = never;
    for (const Warp& warp : warps_) first = std::min(first, ready(warp));
    now_ = std::max(now_, first);
  }
  const std::size_t chosen = choose(now_);
  Warp& warp = warps_[chosen];
  const Step& step = program_.steps[warp.pc];
  const double now = now_;
  if (recording_) account(warp, step, now);
  const double stall = put_off(step, chosen, now);
  now_ = now + 1 + stall;
  last_issue_ = now;
  last_ = chosen;
  any_ = true;
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
  if (warp.pc < program_.steps.size()) find_eligible(warp);
}

/// Cycles by which this instruction puts off the next issue of the sub-core: its register reads,
/// and whole slots of what the words of loads take when they arrive (taken here at once).
double SubCore::put_off(const Step& step, std::size_t warp, double now) {
  stolen_ += step.stolen_cycles;
  const double whole = std::floor(stolen_);
  stolen_ -= whole;
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
  if (step.queued) queue_[queued_++ % queue_.size()] = path_free_;
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

/// One unit takes the arrivals of all sub-cores in turn; some time after the last all may go on.
void SubCore::arrive_at_barrier(Warp& warp, double now) {
  Block& block = blocks_[warp.block];
  block.unit_free = std::max(block.unit_free, now) + sharing_ * machine_.barrier_next_cycles;
  warp.at_barrier = true;
  if (++block.arrived < warps_per_block_) return;
  const double release =
      block.unit_free + machine_.barrier_first_cycles - machine_.barrier_next_cycles;
  block.arrived = 0;
  const std::size_t first = warp.block * warps_per_block_;
  for (std::size_t w = first; w < first + warps_per_block_; ++w) {
    warps_[w].at_barrier = false;
    warps_[w].released = release;
    if (warps_[w].pc < program_.steps.size()) find_eligible(warps_[w]);
  }
}

/// Splits the time since the warp's last issue by what held it back, in the order of the checks.
void SubCore::account(const Warp& warp, const Step& step, double now) {
  ByCause& line = account_.steps[warp.pc];
  double cursor = warp.last_issue + 1;
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
  until(std::ceil(warp.eligible), warp.waits_for);
  if (step.queued && queued_ >= queue_.size()) {
    until(std::ceil(queue_[queued_ % queue_.size()]), Cause::queue_full);
  }
  until(std::ceil(pipe_free_[static_cast<std::size_t>(step.pipe)]), Cause::pipe_busy);
  if (any_) until(warps_[last_].ports_until, Cause::ports);
  until(now, Cause::not_selected);
  ++account_.warp[index(Cause::selected)];
  ++account_.slot[index(Cause::selected)];
  ++line[index(Cause::selected)];
}

/// Hash of all that decides what comes next, relative to now, in sixteenths of a cycle.
std::size_t SubCore::signature() const {
  std::size_t hash = last_;
  const auto add = [&](double time) {
    const auto value = static_cast<std::size_t>(std::max(0.0, std::round(16 * (time - now_))));
    hash = (hash ^ value) * 0x100000001b3ULL + 0x9e3779b97f4a7c15ULL;
  };
  for (const Warp& warp : warps_) {
    add(now_ + static_cast<double>(warp.pc) + (warp.at_barrier ? 0.5 : 0));
    add(std::max({warp.stalled_until, warp.fetched, warp.released}));
    for (const double board : warp.board) add(board);
    add(warp.pending_copies);
    for (std::size_t g = warp.group_count; g-- > 0 && g + most_groups > warp.group_count;) {
      if (warp.groups[g % most_groups] <= now_) break;
      add(warp.groups[g % most_groups]);
    }
  }
  for (const Block& block : blocks_) {
    add(now_ + static_cast<double>(block.arrived));
    add(block.unit_free);
  }
  for (const double pipe : pipe_free_) add(pipe);
  for (std::size_t b = 0; b < ports_.banks(); ++b) add(now_ + ports_.lag(b, now_));
  for (std::size_t q = queued_; q-- > 0 && q + queue_.size() >= queued_ + 0;) {
    const double end = queue_[q % queue_.size()];
    if (end <= now_ || q + queue_.size() == queued_) break;
    add(end);
  }
  add(path_free_);
  add(memory_free_);
  add(operands_free_);
  add(now_ + stolen_);
  return hash;
}

Account SubCore::run_to_steady_state() {
  const auto run_trip = [&] {  // as many trips as there are warps, whoever runs them
    for (const std::size_t end = trips_ + warps_.size(); trips_ < end;) issue_next();
  };
  std::unordered_map<std::size_t, int> seen;
  int period = averaged_trips;
  for (int trip = 0; trip < most_trips; ++trip) {
    run_trip();
    const auto [found, is_new] = seen.emplace(signature(), trip);
    if (is_new) continue;
    period = trip - found->second;
    account_.periodic = true;
    break;
  }
  recording_ = true;
  const double begin = now_;
  const auto trips = trips_;
  for (int trip = 0; trip < period; ++trip) run_trip();
  account_.cycles = now_ - begin;
  account_.trips = static_cast<double>(trips_ - trips);
  return account_;
}

double SubCore::run_once() {
  while (trips_ < warps_.size() && !program_.steps.empty()) issue_next();
  return latest_;
}

}  // namespace rooftile::sass
