#include "model/predict/sass.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "model/kernel/architecture.hpp"
#include "model/predict/compiled_loops.hpp"
#include "model/predict/launch_time.hpp"
#include "model/predict/take_out.hpp"

namespace rooftile {
namespace {

using sass::Cause;

std::size_t width_index(int width_bytes) {
  return width_bytes == 16 ? 2 : width_bytes == 8 ? 1 : 0;
}

/// Means over accesses of a width, weighted by how often they occur; widths without any keep what
/// they have.
class Means {
 public:
  void add(int width_bytes, double count, double value) {
    const std::size_t i = width_index(width_bytes);
    count_[i] += count;
    sum_[i] += count * value;
  }
  void into(sass::ByWidth& widths) const {
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (count_[i] > 0) widths[i] = sum_[i] / count_[i];
  }

 private:
  sass::ByWidth count_{}, sum_{};
};

/// Warps and what their accesses cost, all but the blocks on the SM.
sass::Load load_of(const Machine& machine, const KernelDescription& kernel, const LaunchCase& c) {
  sass::Load load;
  const BlockDemand& d = c.demand.block;
  Means lds, sts, ldg;
  double asked_bytes = 0;  // of a step, as the schedule counts them
  for (const SharedAccess& a : kernel.shared)
    (a.direction == Direction::load ? lds : sts)
        .add(a.width_bytes, a.per_iteration, machine.wavefronts(a));
  for (const GlobalAccess& a : kernel.global) {
    ldg.add(a.width_bytes, a.per_iteration, machine.wavefronts(a));
    asked_bytes += a.per_iteration * d.warps * lanes_per_warp * a.width_bytes;
  }
  lds.into(load.lds_wavefronts);
  sts.into(load.sts_wavefronts);
  ldg.into(load.global_wavefronts);
  load.warps_per_block = static_cast<int>(d.warps);
  const KernelResources& r = kernel.resources;
  load.l1_bytes_per_block = static_cast<double>(machine.limits.shared_reserved) +
                            r.static_shared_bytes + r.dynamic_shared_bytes +
                            static_cast<double>(r.spill_bytes) * kernel.threads_per_block;
  load.global_latency_cycles = d.load_latency + d.last_load_wait;
  // Of what is asked for, L1 serves a part, and a sector may bring more than was asked for.
  if (d.l2_link_bytes > 0)
    load.global_bytes_per_cycle = machine.l2_share(1) * asked_bytes / d.l2_link_bytes;
  return load;
}

double k_a_trip(const CompiledLoop& loop, const Tile& tile) {
  return static_cast<double>(loop.census.ffma) / (tile.TM * tile.TN);
}

/// The compiled loop in place of the description's counts.
void count_compiled(const Machine& machine, const CompiledLoop& loop, const Tile& tile,
                    LaunchCase& c) {
  const double trips_a_step = tile.BK / k_a_trip(loop, tile);
  BlockDemand& d = c.demand.block;
  d.fma = loop.census.ffma * trips_a_step;
  d.other = (loop.census.instructions - loop.census.ffma) * trips_a_step;
  d.barriers = loop.census.barriers * trips_a_step;
  update_busy(machine, c);
}

/// Issue slots of the fullest sub-core that a trip fills with FFMA.
double ffma_slots(const CompiledLoop& loop, const sass::Machine& machine, const sass::Load& load) {
  return static_cast<double>(loop.census.ffma) * load.warps_of_one(machine.sub_cores);
}

class SimulatedBlock final : public BlockModel {
 public:
  SimulatedBlock(const Machine& machine, const BlockDemand& demand, const CompiledLoops& loops,
                 const CompiledLoop& loop, const sass::Load& load, const Tile& tile)
      : machine_(machine),
        demand_(demand),
        loops_(loops),
        loop_(loop),
        load_(load),
        trips_a_step_(tile.BK / k_a_trip(loop, tile)),
        steps_outside_(loop.ffma_outside / static_cast<double>(tile.TM * tile.TN * tile.BK)) {}

  double step(const Costs& costs, int n) const override;
  double steps_in_loop(double steps) const override {
    return std::max(0.0, steps - steps_outside_);
  }
  double prologue(int n, int a) const override;
  double epilogue(int n) const override { return timing(n).epilogue; }
  double stores(int n) const override { return timing(n).stores; }

  const CompiledLoop& loop() const { return loop_; }
  /// As if every step took `factor` times as long.
  void scale(double factor) { scale_ = factor; }

 private:
  sass::Load load(int n) const {
    sass::Load load = load_;
    load.blocks_per_sm = n;
    return load;
  }
  /// n >= 1.
  const LoopTiming& timing(int n) const;
  /// What k blocks take, between what fewer do and k times what one does.
  void hold(LoopTiming& more, int k) const;

  const Machine& machine_;
  const BlockDemand& demand_;
  const CompiledLoops& loops_;
  const CompiledLoop& loop_;
  const sass::Load& load_;
  double trips_a_step_, steps_outside_, scale_ = 1;
  mutable std::vector<LoopTiming> held_;  ///< of 1, 2, ... blocks, as far as asked for
};

/// As scheduled, but held to what block_time.hpp demands: blocks that fall into step, in the
/// simulation or on the GPU, can make one number of blocks faster than fewer.
const LoopTiming& SimulatedBlock::timing(int n) const {
  while (held_.size() < static_cast<std::size_t>(n)) {
    const int k = static_cast<int>(held_.size()) + 1;
    LoopTiming more = loops_.timing(loop_, load(k));
    if (k > 1) hold(more, k);
    held_.push_back(more);
  }
  return held_[static_cast<std::size_t>(n) - 1];
}

void SimulatedBlock::hold(LoopTiming& more, int k) const {
  const double scheduled = more.trip;
  for (const auto part :
       {&LoopTiming::trip, &LoopTiming::prologue, &LoopTiming::epilogue, &LoopTiming::stores})
    more.*part = std::clamp(more.*part, held_.back().*part, k * held_.front().*part);
  for (double& slots : more.slots) slots *= more.trip / scheduled;
}

double SimulatedBlock::prologue(int n, int a) const {
  const double scheduled = timing(n).prologue;
  // The first loads of all SMs come at once: before a double-buffered loop, and of a peeled slice.
  if (!demand_.loads_overlap && steps_outside_ == 0) return scheduled;
  return std::max(scheduled, first_slice_cycles(machine_, demand_, n, a));
}

double SimulatedBlock::step(const Costs& costs, int n) const {
  const LoopTiming& t = timing(n);
  const auto lost = [&](Cause cause) { return t.slots[static_cast<std::size_t>(cause)]; };
  const double smem = lost(Cause::lds_wait) + lost(Cause::queue_full);
  const double latency = lost(Cause::global_wait) + lost(Cause::other_wait) + lost(Cause::barrier);
  const double issue = t.trip - smem - latency;
  const sass::Machine& machine = loops_.machine();
  const double ffma = ffma_slots(loop_, machine, load(n)) * machine.fma_interval_cycles;
  double cycles = costs.issue ? issue : std::min(issue, ffma);
  if (costs.smem) cycles += smem;
  if (costs.latency) cycles += latency;
  return cycles * trips_a_step_ * scale_;
}

Cause main_cause(const sass::Line& line) {
  const auto waits = [&line](std::size_t cause) {
    const bool waiting = cause != static_cast<std::size_t>(Cause::selected) &&
                         cause != static_cast<std::size_t>(Cause::not_selected);
    return waiting ? line.cycles[cause] : 0;
  };
  std::size_t most = 0;
  for (std::size_t cause = 1; cause < sass::cause_count; ++cause)
    if (waits(cause) > waits(most)) most = cause;
  return static_cast<Cause>(most);
}

/// All but the times without a cause; `ffma` in issue slots.
LoopAccount account_of(const CompiledLoop& loop, const sass::Schedule& s, const Tile& tile,
                       double ffma) {
  constexpr std::size_t shown_lines = 8;
  LoopAccount account;
  account.kernel_id = loop.kernel_id;
  account.cycles = s.cycles_per_iteration;
  account.k_a_trip = k_a_trip(loop, tile);
  account.ffma_share = s.ffma_share;
  account.port_ratio = s.port_ratio;
  account.issue_utilization = s.issue_utilization;
  account.path_utilization = s.path_utilization;
  for (std::size_t i = 0; i < sass::cause_count; ++i) {
    const double cycles = s.slot_cycles[i];
    if (static_cast<Cause>(i) == Cause::selected) {
      account.causes.push_back({"FFMA", std::min(cycles, ffma), std::nullopt});
      account.causes.push_back({"other instructions", std::max(0.0, cycles - ffma), std::nullopt});
    } else if (cycles > 0) {
      account.causes.push_back(
          {std::string(to_string(static_cast<Cause>(i))), cycles, std::nullopt});
    }
  }
  std::stable_sort(account.causes.begin(), account.causes.end(),
                   [](const auto& a, const auto& b) { return a.cycles > b.cycles; });
  for (const sass::Line& line : s.lines) {
    if (account.lines.size() == shown_lines || line.total() <= 0) break;
    const sass::Instruction& instruction = loop.kernel.instructions[line.index];
    account.lines.push_back({static_cast<int>(instruction.address), instruction.text(),
                             std::string(to_string(main_cause(line))), line.total()});
  }
  return account;
}

class Sass final : public Predictor {
 public:
  Sass(const DeviceProfile& profile, const Kernels& kernels, const Parts& without)
      : machine_(take_out(without, make_machine(profile))),
        loops_(kernels, take_out(without, sass::machine_of(profile))) {}

  std::string_view name() const override { return "sass"; }
  double time_s(const KernelDescription& kernel, const GemmProblem& problem) const override {
    return time_on(machine_, identified(kernel, problem), problem);
  }
  Prediction explain(const KernelDescription& kernel, const GemmProblem& problem) const override {
    return explained(identified(kernel, problem), problem);
  }
  Prediction predict(const KernelDescription& kernel, const GemmProblem& problem) const override;
  std::optional<LoopAccount> loop_account(const KernelDescription& kernel,
                                          const GemmProblem& problem) const override;

 private:
  Prediction explained(const KernelDescription& identified, const GemmProblem& problem) const;
  KernelDescription identified(KernelDescription kernel, const GemmProblem& problem) const {
    loops_.identify(kernel, problem);
    return kernel;
  }
  /// Calls `use` with the case and its block model.
  template <typename Use>
  auto with_model(const Machine& machine, const KernelDescription& kernel,
                  const GemmProblem& problem, const Use& use) const {
    const bool whole = problem.K % kernel.tile.BK == 0;
    const CompiledLoop& loop =
        loops_.loop(kernel, whole ? sass::Slices::whole : sass::Slices::ragged);
    LaunchCase c = launch_case(machine, kernel, problem);
    if (c.fit.blocks_per_sm > 0) count_compiled(machine, loop, kernel.tile, c);
    const sass::Load load = load_of(machine, kernel, c);
    return use(c, SimulatedBlock(machine, c.demand.block, loops_, loop, load, kernel.tile), load);
  }
  double time_on(const Machine& machine, const KernelDescription& kernel,
                 const GemmProblem& problem) const {
    return with_model(machine, kernel, problem,
                      [&](const LaunchCase& c, const SimulatedBlock& model, const sass::Load&) {
                        return c.fit.blocks_per_sm == 0 ? std::numeric_limits<double>::infinity()
                                                        : launch_time_s(machine, c, model);
                      });
  }

  Machine machine_;
  CompiledLoops loops_;
};

Prediction Sass::explained(const KernelDescription& kernel, const GemmProblem& problem) const {
  Prediction p = prediction_of(name(), kernel, problem);
  with_model(machine_, kernel, problem,
             [&](const LaunchCase& c, const SimulatedBlock& model, const sass::Load&) {
               explain_launch(machine_, c, model, p);
             });
  std::set<std::string> inputs(machine_.inputs.begin(), machine_.inputs.end());
  inputs.insert(loops_.machine().inputs.begin(), loops_.machine().inputs.end());
  p.inputs.assign(inputs.begin(), inputs.end());
  return p;
}

Prediction Sass::predict(const KernelDescription& given, const GemmProblem& problem) const {
  const KernelDescription kernel = identified(given, problem);
  Prediction p = explained(kernel, problem);
  p.input_interval = input_interval(machine_, p.time_s, [&](const Machine& changed) {
    return time_on(changed, kernel, problem);
  });
  return p;
}

std::optional<LoopAccount> Sass::loop_account(const KernelDescription& kernel,
                                              const GemmProblem& problem) const {
  return with_model(
      machine_, identified(kernel, problem), problem,
      [&](const LaunchCase& c, SimulatedBlock model, sass::Load load) {
        // Of a whole wave where there is one.
        load.blocks_per_sm = c.waves.full > 0 ? c.fit.blocks_per_sm : c.waves.tail_blocks;
        const CompiledLoop& loop = model.loop();
        const sass::Schedule s = sass::schedule(loop.kernel, loop.loop, loops_.machine(), load);
        LoopAccount account =
            account_of(loop, s, kernel.tile, ffma_slots(loop, loops_.machine(), load));
        for (const sass::Ceiling& ceiling :
             sass::ceilings(loop.kernel, loop.loop, loops_.machine(), load)) {
          if (!ceiling.cycles_per_iteration) continue;
          model.scale(*ceiling.cycles_per_iteration / s.cycles_per_iteration);
          for (LoopAccount::Cause& cause : account.causes)
            if (cause.name == to_string(ceiling.cause))
              cause.time_without_s = launch_time_s(machine_, c, model);
        }
        return account;
      });
}

}  // namespace

std::unique_ptr<Predictor> make_sass(const DeviceProfile& profile, const Kernels& kernels,
                                     const Parts& without) {
  return std::make_unique<Sass>(profile, kernels, without);
}

}  // namespace rooftile
