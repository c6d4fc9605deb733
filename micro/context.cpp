// Context: repetitions -> metrics, curves and tables with their uncertainty.
//
// ci95: order statistics of the median (model/stats/robust.hpp). repeat95: mean +- t(n-1) s
// sqrt(1 + 1/n), the Student prediction interval for one more repetition (Hahn and Meeker,
// Statistical Intervals, section 4.7), moved to the median and widened to hold it.
#include "micro/context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "gpu/interrupt.hpp"
#include "model/profile/metric_catalog.hpp"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

/// 97.5 % quantile of Student's t by the Cornish-Fisher expansion around the normal one
/// (Abramowitz and Stegun 26.7.5); within 1 % for 4 or more degrees of freedom.
double student_975(double freedom) {
  const double z = 1.959963984540054;
  const double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

Interval repeat_interval(const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double half = student_975(n - 1) * std::sqrt(squares / (n - 1)) * std::sqrt(1 + 1 / n);
  const double middle = median(values);
  return {std::min(mean, middle) - half, std::max(mean, middle) + half};
}

bool usable(const Repetitions& repetitions) {
  return repetitions.values.size() >= 5 &&
         std::all_of(repetitions.values.begin(), repetitions.values.end(),
                     [](double value) { return std::isfinite(value); });
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
    : device_(device), quick_(quick), profile_(profile), supplier_(std::move(supplier)) {}

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
  options.wall_cap_s = quick_ ? wall_cap_s / 4 : wall_cap_s;
  options.warmup_cap_s = std::min(options.warmup_cap_s, options.wall_cap_s / 4);
  options.max_samples = quick_ ? 21 : 101;
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
                     std::string method) {
  const CatalogEntry& entry = entry_of(id, EntryKind::metric, supplier_);
  if (!usable(repetitions)) {
    fail(id, fmt::format("{} repetitions, of which at least 5 finite ones are needed",
                         repetitions.values.size()));
    return;
  }
  mark(id);
  Metric metric;
  metric.value = median(repetitions.values);
  metric.unit = entry.unit;
  metric.estimator = std::move(estimator);
  metric.n = static_cast<int>(repetitions.values.size());
  metric.mad = median_absolute_deviation(repetitions.values);
  metric.ci95 = median_interval(repetitions.values);
  metric.repeat95 = repeat_interval(repetitions.values);
  metric.method = std::move(method);
  metric.state = repetitions.state;
  metric.reason = repetitions.reason;
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
  for (const CurvePoint& point : points) {
    if (!usable(point.y)) continue;
    curve.x.push_back(point.x);
    curve.y.push_back(median(point.y.values));
    curve.ci95.push_back(median_interval(point.y.values));
    if (point.y.state != State::ok && curve.state == State::ok) {
      curve.state = point.y.state;
      curve.reason = fmt::format("at x = {}: {}", point.x, point.y.reason);
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
  mark(id);
}

void Context::close(State state, const std::string& reason) {
  for (const CatalogEntry& entry : metric_catalog()) {
    if (entry.supplier != supplier_ || entry.kind == EntryKind::table) continue;
    if (std::find(written_.begin(), written_.end(), entry.id) == written_.end())
      absent(entry.id, state, reason);
  }
}

}  // namespace rooftile::micro
