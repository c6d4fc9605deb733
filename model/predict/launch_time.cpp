#include "model/predict/launch_time.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/error.hpp"

namespace rooftile {
namespace {

/// Seconds of all waves with these costs, the last stores' way to L2 among them; without `tail` a
/// partial wave counts by its share.
double waves_s(const Machine& machine, const LaunchCase& c, const BlockModel& model,
               const Costs& costs, bool tail) {
  const auto after = [&](TileAfter what) {
    return [&, what](int n, int a) {
      return block_time(machine, c.demand.block, model, costs, c.clock_hz, n, a, what);
    };
  };
  const auto first = after(TileAfter::block_start), next = after(TileAfter::tile);
  const int b = c.fit.blocks_per_sm, sms = machine.sms();
  double cycles = 0;
  if (c.demand.block.persistent)
    cycles = tail ? walk_time(c.waves, sms, b, first, next)
                  : even_walk_time(c.waves, sms, b, first, next);
  else
    cycles = tail ? schedule_time(c.waves, sms, b, first) : c.waves.count() * first(b, sms);
  const double drain_s = costs.epilogue ? machine[Scalar::store_drain] : 0;
  return c.launches * (cycles / c.clock_hz + drain_s);
}

std::vector<Term> terms_of(const Machine& machine, const LaunchCase& c, const BlockModel& model) {
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
    const double now = waves_s(machine, c, model, stage.costs, stage.tail);
    terms.push_back({stage.name, now - before});
    before = now;
  }
  if (c.sums.total_s() > 0) terms.push_back({"sum of parts", c.sums.total_s()});
  before += c.sums.total_s();
  terms.push_back({"launch", machine.launch().share_s(before, c.in_a_row)});
  return terms;
}

double term(const std::vector<Term>& terms, std::string_view name) {
  const auto found =
      std::find_if(terms.begin(), terms.end(), [&](const Term& t) { return t.name == name; });
  return found == terms.end() ? 0 : found->seconds;
}

/// What the time is made of most: a resource's busy time, or waiting, tail, launch.
Bound bound_of(const Machine& machine, const LaunchCase& c, const std::vector<Term>& terms) {
  const double scale = c.launches * c.demand.launch.blocks / machine.sms() / c.clock_hz;
  const bool mostly_fma = c.demand.block.fma >= c.demand.block.other;
  const std::array<std::pair<Bound, double>, 7> candidates = {{
      {mostly_fma ? Bound::fma : Bound::issue, std::max(c.busy.issue, c.busy.fma) * scale},
      {Bound::smem, c.busy.smem * scale},
      {Bound::l2, c.busy.l2 * scale + c.sums.l2_s},
      {Bound::dram, c.busy.dram * scale + c.sums.dram_s},
      {Bound::latency, term(terms, "latency")},
      {Bound::tail, term(terms, "tail")},
      {Bound::launch, term(terms, "launch") + c.sums.gap_s},
  }};
  return std::max_element(candidates.begin(), candidates.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

[[noreturn]] void refuse(const LaunchCase& c, const Prediction& p) {
  const KernelResources& r = p.resources;
  throw InputError(fmt::format(
      "{} {} does not fit on an SM: {} threads, {} registers a thread, {} bytes of shared memory "
      "(limited by {}). Choose a smaller tile",
      p.variant, tile_name(p.tile), p.tile.threads(), r.registers_per_thread,
      r.static_shared_bytes + r.dynamic_shared_bytes, to_string(c.fit.limiter)));
}

}  // namespace

LaunchCase launch_case(const Machine& machine, const KernelDescription& kernel,
                       const GemmProblem& as_given) {
  const GemmProblem whole = canonical(as_given);
  const GemmProblem problem = parts_as_batch(kernel, whole);
  LaunchCase c;
  c.fit = occupancy(machine.limits, kernel);
  const int b = c.fit.blocks_per_sm;
  if (b == 0) return c;
  c.demand = kernel_demand(machine, kernel, problem, b);
  c.in_a_row = whole.beta == 0;
  if (kernel.parts > 1) c.launches = static_cast<double>(whole.batch);
  c.sums = sum_pass_time(machine, kernel, whole);
  c.waves = make_waves(static_cast<std::int64_t>(c.demand.launch.blocks), machine.sms(), b);
  update_busy(machine, c);
  return c;
}

void update_busy(const Machine& machine, LaunchCase& c) {
  // The clock belongs to the class of load: the FFMA clock where the SM's own pipes are busiest,
  // the light one where it waits for memory.
  const double compute_clock = machine[Scalar::clock_ffma];
  c.busy =
      resource_cycles(machine, c.demand.block, compute_clock, c.fit.blocks_per_sm, machine.sms());
  const bool memory_bound =
      std::max(c.busy.l2, c.busy.dram) > std::max({c.busy.fma, c.busy.issue, c.busy.smem});
  c.clock_hz = memory_bound ? machine[Scalar::clock_light] : compute_clock;
}

double launch_time_s(const Machine& machine, const LaunchCase& c, const BlockModel& model) {
  const Parts& without = machine.without;
  Costs costs;
  costs.issue = !without[Part::other_instructions];
  costs.epilogue = !without[Part::epilogue];
  const double work_s = waves_s(machine, c, model, costs, !without[Part::tail]) + c.sums.total_s();
  return work_s + machine.launch().share_s(work_s, c.in_a_row);
}

void explain_launch(const Machine& machine, const LaunchCase& c, const BlockModel& model,
                    Prediction& p) {
  if (c.fit.blocks_per_sm == 0) refuse(c, p);
  const LaunchTraffic& launch = c.demand.launch;
  p.time_s = launch_time_s(machine, c, model);
  p.clock_hz = c.clock_hz;
  p.cycles = p.time_s * c.clock_hz;
  p.terms = terms_of(machine, c, model);
  p.bound = bound_of(machine, c, p.terms);
  p.occupancy_blocks_per_sm = c.fit.blocks_per_sm;
  p.occupancy = c.fit.fraction;
  p.waves = c.waves.count();
  p.tail_efficiency = c.waves.efficiency();
  p.l2_hit_rate = launch.hit_rate;
  p.l2_bytes = c.launches * launch.l2_read_bytes + c.sums.l2_read_bytes;
  p.dram_read_bytes = c.launches * launch.dram.read() + c.sums.dram_read_bytes;
  p.dram_write_bytes = c.launches * launch.dram.c_write + c.sums.dram_write_bytes;
  p.shared_wavefronts =
      c.launches * c.demand.block.shared_wavefronts * c.demand.block.steps * launch.blocks;
}

std::optional<Interval> input_interval(const Machine& machine, double time_s,
                                       const std::function<double(const Machine&)>& time_s_on) {
  double below = 0, above = 0;
  bool any = false;
  Machine changed = machine;
  const auto add = [&] {
    const double delta = time_s_on(changed) - time_s;
    (delta < 0 ? below : above) += delta * delta;
    any = true;
  };
  for (std::size_t i = 0; i < machine.scalars.size(); ++i) {
    if (!machine.scalars[i].interval) continue;
    for (const double end : {machine.scalars[i].interval->lo, machine.scalars[i].interval->hi}) {
      changed.scalars[i].value = end;
      add();
    }
    changed.scalars[i] = machine.scalars[i];
  }
  for (std::size_t i = 0; i < machine.curves.size(); ++i) {
    if (!machine.curves[i]) continue;
    const std::vector<Interval>& ci95 = machine.curves[i]->curve().ci95;
    if (ci95.size() != machine.curves[i]->curve().y.size()) continue;
    for (const auto end : {&Interval::lo, &Interval::hi}) {
      std::vector<double> y;
      for (const Interval& interval : ci95) y.push_back(interval.*end);
      changed.curves[i]->set_values(std::move(y));
      add();
    }
    changed.curves[i] = machine.curves[i];
  }
  if (!any) return std::nullopt;
  return Interval{std::max(0.0, time_s - std::sqrt(below)), time_s + std::sqrt(above)};
}

}  // namespace rooftile
