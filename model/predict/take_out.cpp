#include "model/predict/take_out.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>

namespace rooftile {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

constexpr std::array<PartInfo, part_count> parts = {
    {{Part::register_ports, "register ports", "register reads never wait for a bank", false},
     {Part::arriving_words, "arriving words", "words that LDS bring take no issue slots", false},
     {Part::memory_queue, "memory queue", "any number of memory instructions may wait", false},
     {Part::instruction_fetch, "instruction fetch",
      "branches and loops beyond the instruction cache cost nothing", false},
     {Part::other_instructions, "other instructions",
      "what is no FFMA takes no issue slots; nor do stall counts, pipes, ports and branches", true},
     {Part::lane_addresses, "lane addresses",
      "each access takes the wavefronts of its width: no conflicts, no merging", true},
     {Part::shared_latency, "LDS latency", "shared memory answers at once, at its bandwidth", true},
     {Part::barriers, "barriers", "a barrier opens when the last warp arrives", true},
     {Part::global_latency, "global latency", "L1, L2 and DRAM answer at once", true},
     {Part::l2_hits, "L2 hits", "all that is read from L2 comes from DRAM, with its latency", true},
     {Part::l2_bandwidth, "L2 bandwidth", "L2 delivers and takes any number of bytes", true},
     {Part::dram_bandwidth, "DRAM bandwidth", "DRAM delivers and takes any number of bytes", true},
     {Part::epilogue, "epilogue", "nothing outside the loop: block start, prologue, stores of C",
      true},
     {Part::tail, "tail", "a partial wave takes its share of a full one", true},
     {Part::launch, "launch", "a launch costs nothing", true}}};

void set(Machine& machine, std::initializer_list<Scalar> scalars, double value) {
  for (const Scalar s : scalars) machine.scalars[static_cast<std::size_t>(s)].value = value;
}

/// The scalar counts instead.
void drop(Machine& machine, CurveInput curve) {
  machine.curves[static_cast<std::size_t>(curve)].reset();
}

/// Any number of bytes takes what the fewest do.
void flatten(Machine& machine, CurveInput input) {
  if (auto& lookup = machine.curves[static_cast<std::size_t>(input)]) {
    const std::vector<double>& y = lookup->curve().y;
    lookup->set_values(std::vector<double>(y.size(), y.front()));
  }
}

}  // namespace

std::span<const PartInfo> model_parts() { return parts; }

Machine take_out(const Parts& parts, Machine machine) {
  machine.without = parts;
  if (parts[Part::shared_latency])
    set(machine, {Scalar::lds32_latency, Scalar::lds64_latency, Scalar::lds128_latency}, 0);
  if (parts[Part::barriers]) {
    set(machine, {Scalar::persistent_step},
        std::max(0.0, machine[Scalar::persistent_step] - machine[Scalar::barrier_latency]));
    set(machine, {Scalar::barrier_latency}, 0);
    drop(machine, CurveInput::barrier_over_warps);
  }
  if (parts[Part::global_latency]) {
    set(machine, {Scalar::l1_latency, Scalar::l2_latency, Scalar::dram_latency}, 0);
    drop(machine, CurveInput::latency_over_footprint);
    drop(machine, CurveInput::burst_l2_one_sm);
  }
  if (parts[Part::l2_hits]) {
    set(machine, {Scalar::l2_latency}, machine[Scalar::dram_latency]);
    drop(machine, CurveInput::latency_over_footprint);
  }
  if (parts[Part::l2_bandwidth]) {
    set(machine, {Scalar::l2_read}, infinite);
    drop(machine, CurveInput::l2_over_sms);
    for (const CurveInput burst : {CurveInput::burst_l2_one_sm, CurveInput::burst_l2_all_sms})
      flatten(machine, burst);
    machine.stores.take_out_l2();
  }
  if (parts[Part::dram_bandwidth]) {
    set(machine, {Scalar::dram_read, Scalar::dram_write}, infinite);
    drop(machine, CurveInput::dram_over_sms);
    drop(machine, CurveInput::burst_dram_one_sm);
  }
  if (parts[Part::launch]) set(machine, {Scalar::launch_overhead, Scalar::launch_gap}, 0);
  return machine;
}

sass::Machine take_out(const Parts& parts, sass::Machine machine) {
  if (parts[Part::register_ports]) machine.window_cycles = infinite;
  if (parts[Part::arriving_words]) {
    machine.lds_stolen_cycles = {};
    machine.lds_merged_stolen_cycles = 0;
  }
  if (parts[Part::memory_queue]) machine.queue_depth = sass::deepest_queue;
  if (parts[Part::instruction_fetch]) {
    machine.branch_cycles = 0;
    machine.cached_bytes = infinite;
  }
  if (parts[Part::shared_latency])
    machine.lds_latency_cycles = machine.lds_lone_latency_cycles = {};
  if (parts[Part::global_latency]) machine.l1_latency_cycles = 0;
  if (parts[Part::barriers]) machine.barrier_first_cycles = machine.barrier_next_cycles = 0;
  return machine;
}

}  // namespace rooftile
