// The median of each metric, and the cards that stand apart from it.
#include "model/record/fleet.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/error.hpp"
#include "model/stats/robust.hpp"

namespace rooftile {
namespace {

constexpr double sigma_of_mad = 1.4826;  // of a normal distribution: 1 / z(3/4)

void check_fleet(std::span<const DeviceProfile> profiles) {
  if (profiles.size() < fewest_cards)
    throw InputError(
        fmt::format("a fleet needs {} profiles or more, and here are {}; without "
                    "--fleet they are compared with the first of them",
                    fewest_cards, profiles.size()));
  const std::string& model = profiles.front().environment.gpu_name;
  for (const DeviceProfile& profile : profiles)
    if (profile.environment.gpu_name != model)
      throw InputError(fmt::format("a fleet is of one model, and here are {} and {}", model,
                                   profile.environment.gpu_name));
}

/// Throws when a card is there twice: it would stand for two, and pull the median to itself.
void check_cards(std::span<const DeviceProfile> profiles) {
  std::set<std::string> cards;
  for (const DeviceProfile& profile : profiles)
    if (const std::string& uuid = profile.environment.gpu_uuid;
        !uuid.empty() && !cards.insert(uuid).second)
      throw InputError(fmt::format(
          "two profiles are of the card {}; give the one that is to stand for it", uuid));
}

/// What profile `p` says of a metric whose unit is `unit`.
FleetValue value_in(const DeviceProfile& profile, const std::string& id, const std::string& unit) {
  FleetValue value;
  const auto found = profile.metrics.find(id);
  if (found == profile.metrics.end()) {
    value.absent = "missing";
    return value;
  }
  const Metric& metric = found->second;
  value.value = metric.value;
  value.interval = interval_of_another_run(metric);
  if (metric.state != State::ok)
    value.absent = fmt::format("{}{}{}", to_string(metric.state), metric.reason.empty() ? "" : ": ",
                               metric.reason);
  else if (metric.unit != unit)
    value.absent = fmt::format("in {}", metric.unit);
  else if (!metric.value)
    value.absent = "no value";
  return value;
}

/// The median as a card would have it: with the median half width of all intervals.
Spread typical_card(const FleetMetric& metric) {
  std::vector<double> below, above;
  for (const FleetValue& card : metric.values) {
    if (!card.absent.empty() || !card.interval) continue;
    below.push_back(std::max(0.0, *card.value - card.interval->lo));
    above.push_back(std::max(0.0, card.interval->hi - *card.value));
  }
  if (below.empty()) return {*metric.median, std::nullopt};
  return {*metric.median, Interval{*metric.median - median(below), *metric.median + median(above)}};
}

void judge_card(const FleetMetric& metric, const Spread& typical, double tolerance,
                FleetValue& card) {
  const double from_median = *card.value - typical.value;
  const double s = sigma_of_mad * *metric.mad;
  if (typical.value != 0) card.deviation = from_median / std::fabs(typical.value);
  if (s > 0) card.z = from_median / s;
  const bool exact = !card.interval && !typical.interval;
  const double allowed =
      exact ? tolerance_without_interval(typical.value, *card.value, metric.unit, tolerance)
            : tolerance;
  const Gap gap =
      gap_between(typical, {*card.value, card.interval}, allowed, simultaneous_widening(metric.n));
  card.outlier =
      metric.judged() && std::fabs(from_median) > outlier_threshold(metric.n) * s && gap.beyond;
}

FleetMetric judge_metric(std::span<const DeviceProfile> profiles, const std::string& id,
                         double tolerance) {
  FleetMetric metric;
  metric.id = id;
  std::vector<double> values;
  for (const DeviceProfile& profile : profiles)
    if (const auto found = profile.metrics.find(id);
        metric.unit.empty() && found != profile.metrics.end())
      metric.unit = found->second.unit;
  for (const DeviceProfile& profile : profiles) {
    metric.values.push_back(value_in(profile, id, metric.unit));
    if (metric.values.back().absent.empty()) values.push_back(*metric.values.back().value);
  }
  metric.n = values.size();
  if (values.empty()) return metric;
  metric.median = median(values);
  metric.mad = median_absolute_deviation(values);
  const Spread typical = typical_card(metric);
  for (FleetValue& card : metric.values)
    if (card.absent.empty()) judge_card(metric, typical, tolerance, card);
  return metric;
}

Json fleet_value_json(const std::string& file, const FleetValue& card) {
  return {{"file", file},
          {"value", number_or_null(card.value)},
          {"interval", to_json(card.interval)},
          {"deviation", number_or_null(card.deviation)},
          {"z", number_or_null(card.z)},
          {"outlier", card.outlier},
          {"absent", card.absent}};
}

Json fleet_metric_json(std::span<const ComparedFile> files, const FleetMetric& metric) {
  Json values = Json::array();
  for (std::size_t i = 0; i < files.size(); ++i)
    values.push_back(fleet_value_json(files[i].name, metric.values[i]));
  return {{"id", metric.id},
          {"unit", metric.unit},
          {"n", metric.n},
          {"median", number_or_null(metric.median)},
          {"mad", number_or_null(metric.mad)},
          {"threshold", metric.judged() ? Json(outlier_threshold(metric.n)) : Json(nullptr)},
          {"values", values}};
}

}  // namespace

double outlier_threshold(std::size_t n) {
  const double cards = static_cast<double>(n);
  return 4.4 + 360 / (cards * cards);
}

std::vector<FleetMetric> judge_fleet(std::span<const DeviceProfile> profiles, double tolerance) {
  check_fleet(profiles);
  check_cards(profiles);
  std::set<std::string> ids;
  for (const DeviceProfile& profile : profiles)
    for (const auto& [id, unused] : profile.metrics) ids.insert(id);
  std::vector<FleetMetric> metrics;
  for (const std::string& id : ids) metrics.push_back(judge_metric(profiles, id, tolerance));
  return metrics;
}

Json fleet_json(std::span<const ComparedFile> files, std::span<const FleetMetric> metrics,
                double tolerance) {
  Json json = file_head("rooftile.fleet", 1, this_build(), files.front().environment);
  json["tolerance"] = tolerance;
  json["files"] = compared_files_json(files);
  json["metrics"] = Json::array();
  for (const FleetMetric& metric : metrics)
    json["metrics"].push_back(fleet_metric_json(files, metric));
  return json;
}

}  // namespace rooftile
