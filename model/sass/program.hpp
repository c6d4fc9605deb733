// Program: a path through a kernel, decoded into what one sub-core needs to know of each
// instruction; and with what each costs under a given load.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/sass/main_loop.hpp"
#include "model/sass/ports.hpp"
#include "model/sass/schedule.hpp"

namespace rooftile::sass {

/// Execution pipes of a sub-core; `none` is never busy.
enum class Pipe : std::uint8_t { none, fma, imad, alu, slow, shuffle, mma, count };
inline constexpr std::size_t pipe_count = static_cast<std::size_t>(Pipe::count);

/// What becomes of an instruction after its issue.
enum class Action : std::uint8_t {
  plain,        ///< nothing but its scoreboard
  shared_load,  ///< through the queue and the shared-memory path
  shared_store,
  global_load,  ///< through the queue and the path of L1, then memory
  global_store,
  copy,           ///< cp.async: like a load; arrives with its group
  commit_group,   ///< LDGDEPBAR
  wait_groups,    ///< DEPBAR.LE: all but `groups` have arrived
  test_mbarrier,  ///< SYNCS
  block_barrier
};

struct Step {
  Action action = Action::plain;
  Pipe pipe = Pipe::none;
  bool queued = false;  ///< takes a place in the queue of memory instructions
  bool yield = false;
  bool local = false;      ///< LDL, STL: spilled registers and thread-private arrays
  std::uint8_t width = 0;  ///< of a memory access, into ByWidth
  std::uint8_t wait_mask = 0;
  std::uint8_t write_scoreboard = Control::no_scoreboard;
  std::uint8_t read_scoreboard = Control::no_scoreboard;
  int groups = 0;
  double least_path_cycles = 0;  ///< of one warp, where it takes longer than its wavefronts
  double stall_cycles = 1;       ///< by the control field, at least 1
  double fetch_cycles = 0;       ///< of what comes next, from this issue on
  double pipe_cycles = 0;        ///< that the pipe is busy
  double path_cycles = 0;        ///< that the sub-cores' common path is busy, for all of them
  double memory_cycles = 0;      ///< that the way from L2 is busy, for all sub-cores
  double operand_cycles = 0;     ///< that the memory pipe reads its sources
  double stolen_cycles = 0;      ///< issue slots that its result takes
  double latency_cycles = 0;     ///< from the start of service to the result
  PortReads reads;
};

struct Program {
  std::vector<Step> steps;
  bool cyclic = false;
};

/// Causes that are taken to cost nothing, a bit each.
using Removed = std::uint32_t;
constexpr Removed bit(Cause cause) { return Removed{1} << static_cast<unsigned>(cause); }

/// All that does not depend on the load.
Program decode(const Kernel& kernel, std::span<const std::size_t> path, bool cyclic,
               const Machine& machine);

/// A decoded program under a load.
Program loaded(Program decoded, const Machine& machine, const Load& load, Removed removed);

/// Whether the latency and the bandwidth of global loads can matter to it.
bool reads_global(const Program& program);
/// Whether it matters to it what L1 has left for local memory.
bool reads_local(const Program& program);

}  // namespace rooftile::sass
