// SubCore: the event simulation of one sub-core. Rules and sources: docs/sass.md.
#pragma once

#include <array>
#include <vector>

#include "model/sass/ports.hpp"
#include "model/sass/program.hpp"
#include "model/sass/schedule.hpp"

namespace rooftile::sass {

/// Sums over a stretch of simulated time.
struct Account {
  double cycles = 0;           ///< length of the stretch
  double trips = 0;            ///< of the program, summed over warps
  ByCause warp{};              ///< warp-cycles by cause
  ByCause slot{};              ///< issue slots by cause
  double path_cycles = 0;      ///< that the shared path was busy
  std::vector<ByCause> steps;  ///< warp-cycles spent waiting to issue each step
  bool periodic = false;
};

class SubCore {
 public:
  /// The program has at least one step; program and machine outlive this.
  SubCore(const Program& program, const Machine& machine, const Load& load);

  /// Runs a cyclic program to its steady state, then accounts for one period of it.
  Account run_to_steady_state();
  /// Runs a program that ends once on all warps, from a common start; cycles until the last has
  /// issued its last instruction and the last result or store has arrived.
  double run_once();

  std::size_t warps() const { return warps_.size(); }

 private:
  static constexpr std::size_t scoreboards = 6, most_groups = 16;
  struct Warp {
    std::size_t pc = 0;
    std::size_t block = 0;
    double last_issue = -1;
    double ports_until = 0;    ///< its last instruction waited for the banks until then
    double stalled_until = 0;  ///< stall count
    double fetched = 0;        ///< next instruction is there
    double released = 0;       ///< from the block's barrier
    Cause waits_for = Cause::not_selected;  ///< scoreboard or group that comes last
    bool at_barrier = false;
    std::array<double, scoreboards> board{};
    std::array<Cause, scoreboards> board_cause{};
    double pending_copies = 0;                 ///< arrival of the latest copy without a group
    std::array<double, most_groups> groups{};  ///< arrivals, ring by number
    std::size_t group_count = 0;
  };
  /// What a warp issues next, apart from the rest of it because each choice looks at all warps.
  struct Next {
    const Step* step = nullptr;
    double eligible = 0;  ///< by all of the warp's own conditions; never at a barrier or at the end
    std::size_t pipe = 0;  ///< of the step
    bool queued = false;   ///< as well
  };
  struct Block {
    std::size_t first = 0, warps = 0;  ///< those that are on this sub-core
    double sharing = 0;                ///< warps of the block for each of them
    std::size_t arrived = 0;
    double unit_free = 0;  ///< the barrier unit has taken all arrivals
  };

  void deal(const Load& load);
  void issue_next();
  double queue_opens() const;
  double ready(std::size_t warp, double queue_opens) const;
  std::size_t choose();
  void account(std::size_t at, double now);
  void execute(Warp& warp, const Step& step, double now);
  double put_off(const Step& step, std::size_t warp, double now);
  double enter_path(const Step& step, double now);
  double load_from_memory(const Step& step, double start);
  void arrive_at_barrier(Warp& warp, double now);
  void release(Warp& warp, int scoreboard, double time, Cause cause);
  static double group_arrival(const Warp& warp, const Step& step);
  void find_next(std::size_t at);
  double own_conditions(Warp& warp, const Step& step) const;
  double run_trip();

  const Program& program_;
  const Machine& machine_;
  std::vector<Warp> warps_;
  std::vector<Next> next_;     ///< of each warp
  std::vector<double> ready_;  ///< of each warp, scratch
  std::vector<Block> blocks_;
  Ports ports_;
  double now_ = 0;  ///< earliest next issue
  double last_issue_ = -1;
  std::size_t last_ = 0;
  bool any_ = false;     ///< something has been issued
  bool yields_ = false;  ///< the last instruction asks for another warp
  double path_free_ = 0, memory_free_ = 0, operands_free_ = 0, latest_ = 0;
  double stolen_ = 0;  ///< part of an issue slot that loads have taken and that is still due
  std::array<double, pipe_count> pipe_free_{};
  std::vector<double> queue_;   ///< ends of service, ring
  std::size_t queue_next_ = 0;  ///< place of the next one, which is that of the oldest
  std::size_t trips_ = 0;
  bool recording_ = false;
  Account account_;
};

}  // namespace rooftile::sass
