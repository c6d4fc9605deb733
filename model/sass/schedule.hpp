// Schedule: cycles of a kernel's main loop on one sub-core, by event simulation to the steady
// state.
//
// One sub-core stands for all four, the fullest: warps are dealt to them in turn. All run the same
// code and share the shared-memory path, of which each gets what its warps are of all. An
// instruction issues when its warp's stall count has passed, its scoreboards are released, the
// queue of memory instructions has a place, its pipe is free and the operand ports (ports.hpp) do
// not lag; one a cycle. Rules and their sources: docs/sass.md. Nothing here is fitted to the time
// of a GEMM.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile/device_profile.hpp"
#include "model/sass/main_loop.hpp"
#include "model/sass/parser.hpp"

namespace rooftile::sass {

/// Memory instructions that a queue may hold: far more than all warps of an SM have waiting.
inline constexpr double deepest_queue = 4096;

/// Numbers by bytes a lane: 4, 8, 16.
using ByWidth = std::array<double, 3>;

/// Why a warp, or an issue slot of the sub-core, did not issue.
enum class Cause : std::size_t {
  selected,      ///< it did
  not_selected,  ///< could have, another warp was chosen
  stall_count,   ///< fixed latency, written into the instruction before
  branch,        ///< a taken branch, or a loop beyond the instruction cache, is fetched
  ports,         ///< register-bank reads lag, or arriving words of loads take the register file
  lds_wait,      ///< scoreboard of a shared-memory access
  global_wait,   ///< scoreboard or copy group of a global access
  other_wait,    ///< any other scoreboard
  barrier,       ///< BAR.SYNC: other warps of the block
  queue_full,    ///< no place for another memory instruction
  pipe_busy,     ///< the execution pipe takes the next one later
  count
};
inline constexpr std::size_t cause_count = static_cast<std::size_t>(Cause::count);
std::string_view to_string(Cause cause);
using ByCause = std::array<double, cause_count>;

/// What the schedule reads of a GPU; machine_of fills it from a profile.
struct Machine {
  int sub_cores = 4;                   ///< as OccupancyLimits::sub_cores
  double fma_interval_cycles = 1;      ///< between FFMA of a sub-core; device.fma_lanes_per_sm
  double alu_interval_cycles = 2;      ///< IADD3, LOP3, ...; instruction.iadd3.throughput
  double imad_interval_cycles = 2;     ///< instruction.imad.throughput
  double slow_interval_cycles = 8;     ///< MUFU and conversions; instruction.mufu_rcp.throughput
  double shuffle_interval_cycles = 4;  ///< instruction.shfl.throughput
  double mma_interval_cycles = 6;      ///< HMMA and the like; mma.f16.throughput
  double window_cycles = 1;            ///< that a register bank may lag; register.window
  int banks = 2;                       ///< register.banks
  ByWidth lds_latency_cycles{23, 26, 32};       ///< of a full warp; smem.lds*.latency.full_warp
  ByWidth lds_lone_latency_cycles{23, 23, 24};  ///< of one lane; smem.lds*.latency
  ByWidth lds_interval_cycles{2, 2, 4};   ///< of one sub-core alone; smem.lds*.issue.one_sub_core
  ByWidth sts_interval_cycles{4, 6, 10};  ///< the same; smem.sts*.issue.one_sub_core
  /// Of a cp.async that passes L1, on the path; async_copy.ca*.l1.bandwidth.
  ByWidth copy_cycles{4.7, 6.5, 9.3};
  /// Issue slots that the arriving words of an LDS take from the arithmetic, beside its own slot:
  /// lanes that read each their own words, and LDS.128 merged to two wavefronts, which brings two
  /// registers a cycle; smem.ffma_mix.lds*.four_warps and .merged less .ffma_alone.
  ByWidth lds_stolen_cycles{0, 0, 0.25};
  double lds_merged_stolen_cycles = 1.5;
  double l1_latency_cycles = 32;        ///< of a load that hits; l1.latency
  double l1_bytes = 233472;             ///< shared memory of an SM, which L1 has where it is not
                                        ///< used; device.smem_per_sm
  double queue_depth = 15;              ///< memory instructions; smem.queue.depth
  double slow_latency_cycles = 17;      ///< MUFU, conversions; instruction.mufu_rcp.latency
  double shuffle_latency_cycles = 24;   ///< and what has no metric; instruction.shfl.latency
  double mma_latency_cycles = 24;       ///< mma.f16.latency
  double mbarrier_latency_cycles = 45;  ///< of a test that succeeds; mbarrier.try_wait.done
  double barrier_first_cycles = 14;     ///< of one warp; barrier.latency.over_warps
  double barrier_next_cycles = 2;       ///< for each further warp; its slope
  /// From a taken branch to the next instruction, less one; instruction_cache.cycles.one_warp.
  double branch_cycles = 33;
  /// Longest loop that is not fetched anew; instruction_cache.capacity.first.
  double cached_bytes = 32000;
  Curve fetch;  ///< cycles an instruction over bytes of a loop; instruction_cache.cycles.one_warp;
                ///< empty: as if cached
  /// Why these are not known, as MissingMetric says it; empty where they are. Only a kernel with a
  /// cp.async through L1, or with an mbarrier, needs them, and not every GPU has either.
  std::string no_copies, no_mbarriers;
  std::vector<std::string> inputs;  ///< ids of the metrics and curves that it is made of
  double block_offset_cycles = 0;  ///< between blocks that start together; block_order.two_resident
};

/// Throws MissingMetric, which names the id and its supplier, for what the profile lacks and every
/// kernel needs;
/// InputError for a queue deeper than is simulated.
Machine machine_of(const DeviceProfile& profile);

/// What the problem and the tile bring: how many warps, and what their accesses cost.
struct Load {
  int warps_per_block = 1;
  int blocks_per_sm = 1;
  int warps() const { return warps_per_block * blocks_per_sm; }
  /// On the fullest of sub-cores to which all warps are dealt in turn.
  int warps_of_one(int sub_cores) const { return (warps() + sub_cores - 1) / sub_cores; }
  ByWidth lds_wavefronts{1, 2, 4};     ///< mean of the loop's LDS of this width; LDSM.x4 among 16
  ByWidth sts_wavefronts{1, 2, 4};     ///< and of what LDGSTS writes
  ByWidth global_wavefronts{1, 2, 4};  ///< of the L1 data path for LDG
  /// Of a global load, at the level and under the load where it is served.
  double global_latency_cycles = 300;
  /// Shared and local memory, which have one store on an SM.
  double l1_bytes_per_block = 0;
  /// Bytes a cycle that the SM gets of what its LDG and LDGSTS ask for; 0: no limit.
  double global_bytes_per_cycle = 0;
};

/// One instruction's share of the loop's time.
struct Line {
  std::size_t index = 0;  ///< into Kernel::instructions
  ByCause cycles{};       ///< of one warp in one trip, mean over warps; waiting for it to issue
  double total() const;   ///< less selected and not_selected
};

struct Schedule {
  double cycles_per_iteration = 0;  ///< of one trip of all resident warps, steady state
  double fma_per_thread = 0;        ///< FFMA of one thread in one trip; / (TM TN) = k of a trip
  double prologue_cycles = 0;       ///< of one block with all resident ones, from start to the loop
  double tail_cycles = 0;           ///< from the loop to the first store to global memory
  double stores_cycles = 0;         ///< from there to the end
  double ffma_share = 0;            ///< of the loop's instructions
  double port_ratio = 0;            ///< ports.hpp
  double issue_utilization = 0;     ///< instructions a cycle of a sub-core
  double fma_per_cycle_per_sm = 0;
  double path_utilization = 0;  ///< of the shared-memory path
  ByCause warp_cycles{};        ///< of one trip of one warp, mean; adds up to cycles_per_iteration
  ByCause slot_cycles{};        ///< of one trip, issue slots of the sub-core; adds up as well
  std::vector<Line> lines;      ///< of the body, costliest first
  bool periodic = false;        ///< an exact period was found; else a mean over a few trips
};

/// Throws InputError without an instruction in the body, a warp or a block.
Schedule schedule(const Kernel& kernel, const MainLoop& loop, const Machine& machine,
                  const Load& load);

/// Cycles per iteration if a cause vanished. A greedy schedule can become longer when a wait is
/// taken out (the blocks of an SM fall into step): then nothing is known of what the cause costs.
struct Ceiling {
  Cause cause;
  std::optional<double> cycles_per_iteration;  ///< never above those with all causes
};
/// One more simulation a cause: ports, lds_wait, global_wait, barrier, queue_full, pipe_busy,
/// branch.
std::vector<Ceiling> ceilings(const Kernel& kernel, const MainLoop& loop, const Machine& machine,
                              const Load& load);

}  // namespace rooftile::sass
