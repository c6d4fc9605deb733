#include "model/predict/machine.hpp"

#include <algorithm>
#include <cmath>

namespace rooftile {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Scalar::count)> scalar_input_ids = {
    "device.sm_count",      "device.fma_lanes_per_sm",
    "clock.ffma",           "clock.light",
    "ffma.latency",         "ffma.throughput",
    "smem.lds32.latency",   "smem.lds64.latency",
    "smem.lds128.latency",  "smem.lds32.bandwidth",
    "smem.lds64.bandwidth", "smem.lds128.bandwidth",
    "barrier.latency",      "l1.latency",
    "l2.latency",           "dram.latency",
    "l2.bandwidth.read",    "dram.bandwidth.read",
    "dram.bandwidth.write", "launch.overhead",
    "launch.gap",           "launch.block_cost",
    "global_store.drain",   "persistent_step.static"};

constexpr std::array<std::string_view, static_cast<std::size_t>(CurveInput::count)>
    curve_input_ids = {"ffma.throughput.over_warps",     "barrier.latency.over_warps",
                       "memory.latency.over_footprint",  "l2.bandwidth.over_active_sms",
                       "dram.bandwidth.over_active_sms", "l2.read.over_stride",
                       "load_burst.l2.one_sm.ldg128",    "load_burst.l2.all_sms.ldg128",
                       "load_burst.dram.one_sm.ldg128",  "load_burst.dram.all_sms.ldg128"};

ScalarInput read_scalar(const DeviceProfile& profile, std::string_view id) {
  ScalarInput input;
  input.value = profile.value(id);
  input.present = true;
  const Metric& metric = profile.metrics.find(std::string(id))->second;
  input.interval = metric.repeat95 ? metric.repeat95 : metric.ci95;
  return input;
}

/// Inputs that a profile may lack; each has a neutral or derived stand-in.
void read_optional(const DeviceProfile& profile, Machine& machine, Scalar scalar, double fallback) {
  auto& input = machine.scalars[static_cast<std::size_t>(scalar)];
  if (profile.find(id_of(scalar)))
    input = read_scalar(profile, id_of(scalar));
  else
    input.value = fallback;
}

void read_scalars(const DeviceProfile& profile, Machine& machine) {
  for (const Scalar s :
       {Scalar::sm_count, Scalar::fma_lanes, Scalar::clock_ffma, Scalar::ffma_latency,
        Scalar::ffma_throughput, Scalar::lds32_latency, Scalar::lds32_bandwidth,
        Scalar::barrier_latency, Scalar::l1_latency, Scalar::l2_latency, Scalar::dram_latency,
        Scalar::l2_read, Scalar::dram_read, Scalar::launch_overhead})
    machine.scalars[static_cast<std::size_t>(s)] = read_scalar(profile, id_of(s));
  read_optional(profile, machine, Scalar::clock_light, machine[Scalar::clock_ffma]);
  read_optional(profile, machine, Scalar::lds64_latency, machine[Scalar::lds32_latency]);
  read_optional(profile, machine, Scalar::lds128_latency, machine[Scalar::lds64_latency]);
  read_optional(profile, machine, Scalar::lds64_bandwidth, machine[Scalar::lds32_bandwidth]);
  read_optional(profile, machine, Scalar::lds128_bandwidth, machine[Scalar::lds64_bandwidth]);
  read_optional(profile, machine, Scalar::dram_write, machine[Scalar::dram_read]);
  read_optional(profile, machine, Scalar::launch_gap, machine[Scalar::launch_overhead]);
  read_optional(profile, machine, Scalar::block_cost, 0);
  read_optional(profile, machine, Scalar::store_drain, 0);
  // Nearly all of it is its barrier.
  read_optional(profile, machine, Scalar::persistent_step, machine[Scalar::barrier_latency]);
}

/// A burst of more bytes than were measured goes on as between the last two points.
double along(const Lookup& burst, double bytes) {
  const std::vector<double>&x = burst.curve().x, &y = burst.curve().y;
  const std::size_t last = x.size() - 1;
  if (bytes <= x[last] || last == 0) return burst(bytes);
  const double rise = (y[last] - y[last - 1]) / (x[last] - x[last - 1]);
  return y[last] + rise * (bytes - x[last]);
}

/// More bytes never take less: noise of a measured burst apart.
void make_rising(std::optional<Lookup>& burst) {
  if (!burst) return;
  std::vector<double> y = burst->curve().y;
  for (std::size_t i = 1; i < y.size(); ++i) y[i] = std::max(y[i], y[i - 1]);
  burst->set_values(std::move(y));
}

}  // namespace

std::string_view id_of(Scalar scalar) { return scalar_input_ids[static_cast<std::size_t>(scalar)]; }
std::string_view id_of(CurveInput curve) {
  return curve_input_ids[static_cast<std::size_t>(curve)];
}

double Machine::ffma_rate(double warps) const {
  const auto& curve = (*this)[CurveInput::ffma_over_warps];
  const double peak = (*this)[Scalar::ffma_throughput];
  if (!curve) return peak;
  const double even = warps / limits.sub_cores;
  return std::min(peak, (*curve)(warps)*std::ceil(even) / even);
}

double Machine::barrier_cycles(double warps) const {
  const auto& curve = (*this)[CurveInput::barrier_over_warps];
  return curve ? (*curve)(warps) : (*this)[Scalar::barrier_latency];
}

double Machine::lds_latency(int width_bytes) const {
  return (*this)[width_bytes == 16  ? Scalar::lds128_latency
                 : width_bytes == 8 ? Scalar::lds64_latency
                                    : Scalar::lds32_latency];
}

double Machine::lds_bandwidth(int width_bytes) const {
  return (*this)[width_bytes == 16  ? Scalar::lds128_bandwidth
                 : width_bytes == 8 ? Scalar::lds64_bandwidth
                                    : Scalar::lds32_bandwidth];
}

double Machine::wavefronts(const SharedAccess& access) const {
  return without[Part::lane_addresses]
             ? plain_wavefronts(access.width_bytes)
             : shared_wavefronts(access.lanes, access.width_bytes, access.direction, merge);
}

double Machine::wavefronts(const GlobalAccess& access) const {
  return without[Part::lane_addresses] ? plain_wavefronts(access.width_bytes)
                                       : l1_wavefronts(access.lanes, access.width_bytes);
}

double Machine::sectors_a_line() const {
  constexpr double all_sectors = 8, lone_sectors = 32;  // words apart: a sector, a line
  const auto& curve = (*this)[CurveInput::l2_over_stride];
  if (!curve) return 1;
  return std::max(1.0, (*curve)(all_sectors) / (*curve)(lone_sectors));
}

double Machine::l2_share(int active) const {
  const auto& curve = (*this)[CurveInput::l2_over_sms];
  return curve ? (*curve)(active) / active : (*this)[Scalar::l2_read] / (*this)[Scalar::sm_count];
}

double Machine::dram_read_share(int active) const {
  const auto& curve = (*this)[CurveInput::dram_over_sms];
  return (curve ? (*curve)(active) : (*this)[Scalar::dram_read]) / active;
}

double Machine::dram_write_share(int active) const {
  return std::min(dram_read_share(active), (*this)[Scalar::dram_write] / active);
}

double Machine::burst_cycles(double latency, double bytes, double dram_bytes, int active) const {
  const auto at = [&](CurveInput input, double asked) { return along(*(*this)[input], asked); };
  const auto crowded = [&](double one, CurveInput all_sms, double asked) {
    const double all = std::max(one, at(all_sms, asked));
    return one + (all - one) * (active - 1) / std::max(1, sms() - 1);
  };
  const auto known = [&](CurveInput one_sm, CurveInput all_sms) {
    return (*this)[one_sm] && (*this)[all_sms];
  };
  using enum CurveInput;
  if (!known(burst_l2_one_sm, burst_l2_all_sms)) return latency + bytes / l2_share(active);
  const double near = (*this)[Scalar::l2_latency], far = (*this)[Scalar::dram_latency];
  const double later = std::max(0.0, latency - near);
  const double near_last = at(burst_l2_one_sm, bytes);
  double cycles = std::max(latency, later + crowded(near_last, burst_l2_all_sms, bytes));
  if (!known(burst_dram_one_sm, burst_dram_all_sms)) return cycles;
  // Others may have asked for the same lines: DRAM delivers them once, but all wait for the last.
  const double from_dram = std::min(1.0, later / std::max(1.0, far - near));
  const double far_last = at(burst_dram_one_sm, bytes);
  cycles = std::max(cycles, near_last + from_dram * std::max(0.0, far_last - near_last));
  if (dram_bytes <= 0) return cycles;
  return std::max(cycles,
                  crowded(at(burst_dram_one_sm, dram_bytes), burst_dram_all_sms, dram_bytes));
}

double Machine::load_latency(double distance) const {
  const auto& curve = (*this)[CurveInput::latency_over_footprint];
  const double near = (*this)[Scalar::l2_latency];
  if (curve) return std::max(near, (*curve)(distance));
  const double hit = residency.hit_rate(distance);
  return hit * near + (1 - hit) * std::max(near, (*this)[Scalar::dram_latency]);
}

Machine make_machine(const DeviceProfile& profile) {
  const double l2_bytes = profile.value("device.l2_size");
  Machine machine{.scalars = {},
                  .curves = {},
                  .limits = occupancy_limits(profile),
                  .merge = merge_rules(profile),
                  .stores = StoreCosts(profile),
                  .l2_bytes = l2_bytes,
                  .residency = Residency(profile, l2_bytes),
                  .inputs = {"device.l2_size"},
                  .without = {}};
  read_scalars(profile, machine);
  for (std::size_t i = 0; i < machine.scalars.size(); ++i)
    if (machine.scalars[i].present && static_cast<Scalar>(i) != Scalar::persistent_step)
      machine.inputs.emplace_back(scalar_input_ids[i]);
  for (std::size_t i = 0; i < machine.curves.size(); ++i)
    if (const Curve* curve = profile.find_curve(curve_input_ids[i]);
        curve != nullptr && !curve->x.empty()) {
      machine.curves[i].emplace(*curve);
      machine.inputs.emplace_back(curve_input_ids[i]);
    }
  for (const CurveInput burst : {CurveInput::burst_l2_one_sm, CurveInput::burst_l2_all_sms,
                                 CurveInput::burst_dram_one_sm, CurveInput::burst_dram_all_sms})
    make_rising(machine.curves[static_cast<std::size_t>(burst)]);
  for (const std::string_view id : {"smem.merge_a", "smem.merge_b", "smem.merge_per_half",
                                    "smem.merge_inactive", "smem.merge_store"})
    if (profile.find(id)) machine.inputs.emplace_back(id);
  if (machine.stores.known()) machine.inputs.emplace_back("global_store.patterns");
  if (profile.find_curve("memory.bandwidth.over_footprint") != nullptr)
    machine.inputs.emplace_back("memory.bandwidth.over_footprint");
  return machine;
}

}  // namespace rooftile
