// Context: repetitions -> metrics, curves and tables with their uncertainty.
//
// ci95: order statistics of the median (model/stats/robust.hpp). repeat95: where another run's
// median will fall (model/stats/repeat.hpp).
#include "micro/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "gpu/interrupt.hpp"
#include "gpu/runner.hpp"
#include "model/profile/metric_catalog.hpp"
#include "model/stats/repeat.hpp"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

bool usable(const Repetitions& repetitions) {
  return repetitions.values.size() >= 5 &&
         std::all_of(repetitions.values.begin(), repetitions.values.end(),
                     [](double value) { return std::isfinite(value); });
}

/// All repetitions of an id, over the rounds so far.
struct Pooled {
  std::vector<double> values;
  std::vector<std::vector<double>> rounds;
  State state = State::ok;
  std::string reason;
};

Pooled pooled(const std::vector<Repetitions>& rounds) {
  Pooled all;
  for (const Repetitions& round : rounds) {
    all.values.insert(all.values.end(), round.values.begin(), round.values.end());
    all.rounds.push_back(round.values);
    if (round.state != State::ok && all.state == State::ok) {
      all.state = round.state;
      all.reason = rounds.size() > 1 ? fmt::format("round {}: {}", all.rounds.size(), round.reason)
                                     : round.reason;
    }
  }
  return all;
}

std::optional<Interval> widened(std::optional<Interval> interval,
                                const std::optional<Interval>& fit) {
  if (!interval || !fit) return interval;
  return Interval{std::min(interval->lo, fit->lo), std::max(interval->hi, fit->hi)};
}

const CatalogEntry& entry_of(std::string_view id, EntryKind kind, std::string_view supplier) {
  const CatalogEntry* entry = find_catalog_entry(id, kind);
  if (entry == nullptr || entry->supplier != supplier)
    throw std::logic_error(
        fmt::format("the catalog does not list {} as supplied by {}; nearest: {}", id, supplier,
                    nearest_ids(id)));
  return *entry;
}

}  // namespace

Context::Context(Device& device, bool quick, DeviceProfile& profile, std::string supplier)
    : device_(device),
      quick_(quick),
      profile_(profile),
      supplier_(std::move(supplier)),
      pool_(profile.unfinished[supplier_]) {}

std::size_t Context::shared_bytes_per_block() const {
  return device_.properties().sharedMemPerBlockOptin;
}

std::size_t Context::free_bytes() const {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free;
}

SampleOptions Context::sample_options(double wall_cap_s) const {
  SampleOptions options;
  options.wall_cap_s = wall_cap_s / (quick_ ? 4 : characterize_rounds);
  options.warmup_cap_s = std::min(options.warmup_cap_s, options.wall_cap_s / 4);
  options.max_samples = 35;
  return options;
}

Repetitions Context::repeat(const std::function<double()>& once) const {
  Repetitions result;
  once();
  for (int i = 0; i < repetitions(); ++i) {
    throw_if_interrupted();
    result.values.push_back(once());
  }
  return result;
}

Repetitions Context::durations(const std::function<void(cudaStream_t)>& launch,
                               double wall_cap_s) const {
  throw_if_interrupted();
  EventTimedCase timed(device_, launch);
  const SampleResult sampled = rooftile::sample(timed, sample_options(wall_cap_s));
  return {sampled.samples_s, sampled.state(), sampled.reason()};
}

Repetitions Context::rates(double numerator, const std::function<void(cudaStream_t)>& launch,
                           double wall_cap_s) const {
  Repetitions result = durations(launch, wall_cap_s);
  for (double& value : result.values) value = numerator / value;
  return result;
}

void Context::metric(std::string_view id, const Repetitions& repetitions, std::string estimator,
                     std::string method, std::optional<Interval> fit) {
  const CatalogEntry& entry = entry_of(id, EntryKind::metric, supplier_);
  if (!usable(repetitions)) {
    fail(id, fmt::format("{} repetitions, of which at least 5 finite ones are needed",
                         repetitions.values.size()));
    return;
  }
  mark(id);
  std::vector<Repetitions>& rounds = pool_.metrics[std::string(id)];
  rounds.push_back(repetitions);
  const Pooled all = pooled(rounds);
  Metric metric;
  metric.value = median(all.values);
  metric.unit = entry.unit;
  metric.estimator = std::move(estimator);
  metric.n = static_cast<int>(all.values.size());
  metric.mad = median_absolute_deviation(all.values);
  metric.ci95 = widened(median_interval(all.values), fit);
  metric.repeat95 = widened(repeat_interval(all.rounds), fit);
  metric.method = std::move(method);
  metric.state = all.state;
  metric.reason = all.reason;
  profile_.metrics[std::string(id)] = std::move(metric);
}

void Context::exact(std::string_view id, double value, std::string estimator, std::string method,
                    State state, std::string reason) {
  const CatalogEntry& entry = entry_of(id, EntryKind::metric, supplier_);
  mark(id);
  Metric metric;
  metric.value = value;
  metric.unit = entry.unit;
  metric.estimator = std::move(estimator);
  metric.n = 1;
  metric.method = std::move(method);
  metric.state = state;
  metric.reason = std::move(reason);
  profile_.metrics[std::string(id)] = std::move(metric);
}

void Context::curve(std::string_view id, const std::vector<CurvePoint>& points,
                    std::string method) {
  const CatalogEntry& entry = entry_of(id, EntryKind::curve, supplier_);
  Curve curve;
  curve.x_unit = entry.x_unit;
  curve.y_unit = entry.unit;
  curve.method = std::move(method);
  auto& pool = pool_.curves[std::string(id)];
  for (const CurvePoint& point : points)
    if (usable(point.y)) pool[point.x].push_back(point.y);
  for (const auto& [x, rounds] : pool) {
    const Pooled all = pooled(rounds);
    curve.x.push_back(x);
    curve.y.push_back(median(all.values));
    curve.ci95.push_back(median_interval(all.values));
    if (all.state != State::ok && curve.state == State::ok) {
      curve.state = all.state;
      curve.reason = fmt::format("at x = {}: {}", x, all.reason);
    }
  }
  if (curve.x.size() < 2) {
    fail(id, fmt::format("{} of {} points could be measured", curve.x.size(), points.size()));
    return;
  }
  mark(id);
  profile_.curves[std::string(id)] = std::move(curve);
}

void Context::table(std::string_view id, Table table) {
  entry_of(id, EntryKind::table, supplier_);
  mark(id);
  profile_.tables[std::string(id)] = std::move(table);
}

void Context::mark(std::string_view id) { written_.emplace_back(id); }

void Context::absent(std::string_view id, State state, const std::string& reason) {
  mark(id);
  if (measured_before(id, reason)) return;
  if (const auto* entry = find_catalog_entry(id, EntryKind::curve)) {
    Curve curve;
    curve.x_unit = entry->x_unit;
    curve.y_unit = entry->unit;
    curve.state = state;
    curve.reason = reason;
    profile_.curves[std::string(id)] = std::move(curve);
  } else {
    Metric metric;
    metric.unit = entry_of(id, EntryKind::metric, supplier_).unit;
    metric.state = state;
    metric.reason = reason;
    profile_.metrics[std::string(id)] = std::move(metric);
  }
}

bool Context::measured_before(std::string_view id, const std::string& reason) {
  const std::string later = "a later round had no value: " + reason;
  if (const auto found = pool_.metrics.find(id); found != pool_.metrics.end()) {
    found->second.push_back({{}, State::suspect, later});
    Metric& metric = profile_.metrics[std::string(id)];
    metric.state = State::suspect;
    metric.reason = later;
    return true;
  }
  if (const auto found = pool_.curves.find(id);
      found != pool_.curves.end() && !found->second.empty()) {
    found->second.begin()->second.push_back({{}, State::suspect, later});
    Curve& curve = profile_.curves[std::string(id)];
    curve.state = State::suspect;
    curve.reason = later;
    return true;
  }
  return false;
}

void Context::close(State state, const std::string& reason) {
  for (const CatalogEntry& entry : metric_catalog()) {
    if (entry.supplier != supplier_ || entry.kind == EntryKind::table) continue;
    if (std::find(written_.begin(), written_.end(), entry.id) == written_.end())
      absent(entry.id, state, reason);
  }
}

}  // namespace rooftile::micro
