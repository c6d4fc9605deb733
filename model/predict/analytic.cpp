#include "model/predict/analytic.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "model/error.hpp"
#include "model/kernel/occupancy.hpp"
#include "model/predict/block_time.hpp"
#include "model/predict/demand.hpp"
#include "model/schedule/waves.hpp"

namespace rooftile {
namespace {

/// One evaluation: everything that follows from machine, kernel and problem.
struct Case {
  Occupancy fit;
  KernelDemand demand;
  Waves waves;
  double clock_hz = 0;
  ResourceCycles busy;  ///< per block, all SMs active
};

Case make_case(const Machine& machine, const KernelDescription& kernel,
               const GemmProblem& as_given) {
  const GemmProblem problem = canonical(as_given);
  Case c;
  c.fit = occupancy(machine.limits, kernel);
  const int b = c.fit.blocks_per_sm;
  if (b == 0) return c;
  c.demand = kernel_demand(machine, kernel, problem, b);
  c.waves = make_waves(static_cast<std::int64_t>(c.demand.launch.blocks), machine.sms(), b);
  // The clock belongs to the class of load: the FFMA clock where the SM's own pipes are busiest,
  // the light one where it waits for memory.
  const double compute_clock = machine[Scalar::clock_ffma];
  c.busy = resource_cycles(machine, c.demand.block, compute_clock, b, machine.sms());
  const bool memory_bound =
      std::max(c.busy.l2, c.busy.dram) > std::max({c.busy.fma, c.busy.issue, c.busy.smem});
  c.clock_hz = memory_bound ? machine[Scalar::clock_light] : compute_clock;
  return c;
}

/// Seconds of all waves with these costs; without `tail` a partial wave counts by its share.
double waves_s(const Machine& machine, const Case& c, const Costs& costs, bool tail) {
  const auto t = [&](int n, int a) {
    return block_time(machine, c.demand.block, costs, c.clock_hz, n, a);
  };
  const int b = c.fit.blocks_per_sm, sms = machine.sms();
  const double cycles = tail ? schedule_time(c.waves, sms, b, t) : c.waves.count() * t(b, sms);
  return cycles / c.clock_hz;
}

double total_s(const Machine& machine, const Case& c) {
  return machine[Scalar::launch_overhead] + waves_s(machine, c, {}, true);
}

std::vector<Term> terms_of(const Machine& machine, const Case& c) {
  struct Stage {
    const char* name;
    Costs costs;
    bool tail;
  };
  constexpr Costs none{false, false, false, false, false, false};
  constexpr std::array<Stage, 8> stages = {
      Stage{"fma", none, false},
      Stage{"issue", {true, false, false, false, false, false}, false},
      Stage{"smem", {true, true, false, false, false, false}, false},
      Stage{"l2", {true, true, true, false, false, false}, false},
      Stage{"dram", {true, true, true, true, false, false}, false},
      Stage{"latency", {true, true, true, true, true, false}, false},
      Stage{"epilogue", {}, false},
      Stage{"tail", {}, true}};
  std::vector<Term> terms;
  double before = 0;
  for (const Stage& stage : stages) {
    const double now = waves_s(machine, c, stage.costs, stage.tail);
    terms.push_back({stage.name, now - before});
    before = now;
  }
  terms.push_back({"launch", machine[Scalar::launch_overhead]});
  return terms;
}

double term(const std::vector<Term>& terms, std::string_view name) {
  const auto found =
      std::find_if(terms.begin(), terms.end(), [&](const Term& t) { return t.name == name; });
  return found == terms.end() ? 0 : found->seconds;
}

/// What the time is made of most: a resource's busy time, or waiting, tail, launch.
Bound bound_of(const Machine& machine, const Case& c, const std::vector<Term>& terms) {
  const double scale = c.demand.launch.blocks / machine.sms() / c.clock_hz;
  const bool mostly_fma = c.demand.block.fma >= c.demand.block.other;
  const std::array<std::pair<Bound, double>, 7> candidates = {{
      {mostly_fma ? Bound::fma : Bound::issue, std::max(c.busy.issue, c.busy.fma) * scale},
      {Bound::smem, c.busy.smem * scale},
      {Bound::l2, c.busy.l2 * scale},
      {Bound::dram, c.busy.dram * scale},
      {Bound::latency, term(terms, "latency")},
      {Bound::tail, term(terms, "tail")},
      {Bound::launch, term(terms, "launch")},
  }};
  return std::max_element(candidates.begin(), candidates.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

/// Half-widths of one-at-a-time changes, added in quadrature (independent inputs, first order).
std::optional<Interval> propagate(const Machine& machine, const KernelDescription& kernel,
                                  const GemmProblem& problem, double time_s) {
  double below = 0, above = 0;
  bool any = false;
  const auto add = [&](double changed) {
    const double delta = changed - time_s;
    (delta < 0 ? below : above) += delta * delta;
    any = true;
  };
  Machine changed = machine;
  const auto time = [&] { return total_s(changed, make_case(changed, kernel, problem)); };
  for (std::size_t i = 0; i < machine.scalars.size(); ++i) {
    if (!machine.scalars[i].interval) continue;
    for (const double end : {machine.scalars[i].interval->lo, machine.scalars[i].interval->hi}) {
      changed.scalars[i].value = end;
      add(time());
    }
    changed.scalars[i] = machine.scalars[i];
  }
  for (std::size_t i = 0; i < machine.curves.size(); ++i) {
    if (!machine.curves[i] || machine.curves[i]->ci95.size() != machine.curves[i]->y.size())
      continue;
    for (const bool high : {false, true}) {
      for (std::size_t k = 0; k < machine.curves[i]->y.size(); ++k)
        changed.curves[i]->y[k] =
            high ? machine.curves[i]->ci95[k].hi : machine.curves[i]->ci95[k].lo;
      add(time());
    }
    changed.curves[i] = machine.curves[i];
  }
  if (!any) return std::nullopt;
  return Interval{std::max(0.0, time_s - std::sqrt(below)), time_s + std::sqrt(above)};
}

class Analytic final : public Predictor {
 public:
  explicit Analytic(const DeviceProfile& profile) : machine_(make_machine(profile)) {}

  std::string_view name() const override { return "analytic"; }

  double time_s(const KernelDescription& kernel, const GemmProblem& problem) const override {
    const Case c = make_case(machine_, kernel, problem);
    if (c.fit.blocks_per_sm == 0) return std::numeric_limits<double>::infinity();
    return total_s(machine_, c);
  }

  Prediction predict(const KernelDescription& kernel, const GemmProblem& problem) const override;

 private:
  Machine machine_;
};

Prediction Analytic::predict(const KernelDescription& kernel, const GemmProblem& problem) const {
  const Case c = make_case(machine_, kernel, problem);
  if (c.fit.blocks_per_sm == 0)
    throw InputError(fmt::format(
        "{} {} does not fit on an SM: {} threads, {} registers a thread, {} bytes of shared memory "
        "(limited by {}). Choose a smaller tile",
        kernel.variant, tile_name(kernel.tile), kernel.threads_per_block,
        kernel.resources.registers_per_thread,
        kernel.resources.static_shared_bytes + kernel.resources.dynamic_shared_bytes,
        to_string(c.fit.limiter)));
  const LaunchTraffic& launch = c.demand.launch;
  Prediction p = prediction_of(name(), kernel, problem);
  p.time_s = total_s(machine_, c);
  p.clock_hz = c.clock_hz;
  p.cycles = p.time_s * c.clock_hz;
  p.terms = terms_of(machine_, c);
  p.bound = bound_of(machine_, c, p.terms);
  p.input_interval = propagate(machine_, kernel, problem, p.time_s);
  p.occupancy_blocks_per_sm = c.fit.blocks_per_sm;
  p.occupancy = c.fit.fraction;
  p.waves = c.waves.count();
  p.tail_efficiency = c.waves.efficiency();
  p.l2_hit_rate = launch.hit_rate;
  p.l2_bytes = launch.l2_read_bytes;
  p.dram_read_bytes = launch.dram.read();
  p.dram_write_bytes = launch.dram.c_write;
  p.shared_wavefronts = c.demand.block.shared_wavefronts * c.demand.block.steps * launch.blocks;
  p.inputs = machine_.inputs;
  return p;
}

}  // namespace

std::unique_ptr<Predictor> make_analytic(const DeviceProfile& profile) {
  return std::make_unique<Analytic>(profile);
}

}  // namespace rooftile
