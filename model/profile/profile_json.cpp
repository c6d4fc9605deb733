// profile.json: writing and checking. The reader accepts ids that the catalog does not know (a
// newer microbenchmark), but an id that it knows must carry the catalog's unit.
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/error.hpp"
#include "model/profile/device_profile.hpp"
#include "model/profile/metric_catalog.hpp"
#include "model/profile/plausible.hpp"
#include "model/profile/unfinished_json.hpp"

namespace rooftile {
namespace {

constexpr std::array<std::string_view, 4> states = {"ok", "skipped", "failed", "suspect"};

bool has_no_value(State state) { return state == State::skipped || state == State::failed; }

std::string read_unit(const JsonReader& json, std::string_view expected) {
  auto unit = json.text();
  if (!expected.empty() && unit != expected) json.fail(fmt::format("the unit \"{}\"", expected));
  if (const auto known = known_units();
      std::find(known.begin(), known.end(), unit) == known.end()) {
    std::string list;
    for (const auto name : known) list += fmt::format("{}{}", list.empty() ? "" : ", ", name);
    json.fail("one of the units " + list);
  }
  return unit;
}

double read_value(const JsonReader& json, std::string_view id, const std::string& unit) {
  const double value = json.number();
  if (const auto expected = implausible(id, unit, value)) json.fail(*expected);
  return value;
}

std::optional<Interval> read_interval(const JsonReader& json, std::string_view key,
                                      std::string_view id, const std::string& unit) {
  const auto interval = optional_interval(json, key);
  return interval ? std::optional(plausible_part(id, unit, *interval)) : std::nullopt;
}

/// Why a measured value cannot go into a file, or "": no file of ours holds NaN, nor a number that
/// the reader would refuse.
std::string why_unwritable(std::string_view id, const Metric& metric) {
  if (!metric.value) return "";
  if (!std::isfinite(*metric.value)) return "the measurement gave a number that is not finite";
  const auto expected = implausible(id, metric.unit, *metric.value);
  return expected ? fmt::format("the measurement gave {:g}, not {}", *metric.value, *expected) : "";
}

Metric writable(std::string_view id, Metric metric) {
  if (const auto reason = why_unwritable(id, metric); !reason.empty()) {
    metric.value.reset();
    metric.state = State::failed;
    metric.reason = reason;
  }
  const auto finite = [](const std::optional<Interval>& i) {
    return !i || (std::isfinite(i->lo) && std::isfinite(i->hi));
  };
  if (!metric.value || !finite(metric.ci95)) metric.ci95.reset();
  if (!metric.value || !finite(metric.repeat95)) metric.repeat95.reset();
  if (!metric.value || (metric.mad && !std::isfinite(*metric.mad))) metric.mad.reset();
  for (auto* interval : {&metric.ci95, &metric.repeat95})
    if (*interval) *interval = plausible_part(id, metric.unit, **interval);
  return metric;
}

Json metric_json(std::string_view id, const Metric& unchecked) {
  const Metric metric = writable(id, unchecked);
  return {{"value", number_or_null(metric.value)}, {"unit", metric.unit},
          {"estimator", metric.estimator},         {"n", metric.n},
          {"mad", number_or_null(metric.mad)},     {"ci95", to_json(metric.ci95)},
          {"repeat95", to_json(metric.repeat95)},  {"method", metric.method},
          {"state", to_string(metric.state)},      {"reason", metric.reason}};
}

Metric metric_from(const JsonReader& json, std::string_view id) {
  Metric metric;
  const auto* entry = find_catalog_entry(id, EntryKind::metric);
  metric.unit = read_unit(json.at("unit"), entry == nullptr ? "" : entry->unit);
  metric.state = state_from(json.at("state"));
  metric.reason = json.text_or("reason", "");
  if (json.at("value").raw().is_null()) {
    if (!has_no_value(metric.state)) json.at("value").fail("a number, since the state has one");
  } else {
    metric.value = read_value(json.at("value"), id, metric.unit);
    if (has_no_value(metric.state)) json.at("value").fail("null, since it was skipped or failed");
  }
  metric.estimator = json.text_or("estimator", "");
  metric.n = json.at("n").count();
  if (json.has("mad")) metric.mad = read_value(json.at("mad"), "", "");
  metric.ci95 = read_interval(json, "ci95", id, metric.unit);
  metric.repeat95 = read_interval(json, "repeat95", id, metric.unit);
  metric.method = json.text_or("method", "");
  return metric;
}

/// Every number is one that the reader takes; NaN and infinity are none.
bool all_plausible(const Curve& curve) {
  const auto fits = [](const std::string& unit) {
    return [&unit](double v) { return !implausible("", unit, v); };
  };
  return std::all_of(curve.x.begin(), curve.x.end(), fits(curve.x_unit)) &&
         std::all_of(curve.y.begin(), curve.y.end(), fits(curve.y_unit)) &&
         std::all_of(curve.ci95.begin(), curve.ci95.end(),
                     [](const Interval& i) { return std::isfinite(i.lo) && std::isfinite(i.hi); });
}

Json curve_json(const Curve& curve) {
  if (!all_plausible(curve)) {
    Curve failed{curve.x_unit, curve.y_unit, {}, {}, {}, curve.method, State::failed, ""};
    failed.reason = "the measurement gave a number that is not finite or not plausible";
    return curve_json(failed);
  }
  Json intervals = Json::array();
  for (const auto& interval : curve.ci95) intervals.push_back(to_json(std::optional(interval)));
  return {{"x_unit", curve.x_unit},
          {"y_unit", curve.y_unit},
          {"x", curve.x},
          {"y", curve.y},
          {"ci95", intervals},
          {"method", curve.method},
          {"state", to_string(curve.state)},
          {"reason", curve.reason}};
}

void check_points(const JsonReader& json, const Curve& curve) {
  if (curve.y.size() != curve.x.size())
    json.at("y").fail(fmt::format("as many numbers as x ({})", curve.x.size()));
  if (!curve.ci95.empty() && curve.ci95.size() != curve.x.size())
    json.at("ci95").fail(fmt::format("none or as many intervals as x ({})", curve.x.size()));
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (i > 0 && !(curve.x[i] > curve.x[i - 1])) json.at("x").at(i).fail("x in ascending order");
    if (const auto expected = implausible("", curve.x_unit, curve.x[i]))
      json.at("x").at(i).fail(*expected);
    if (const auto expected = implausible("", curve.y_unit, curve.y[i]))
      json.at("y").at(i).fail(*expected);
  }
  if (curve.x.empty() && !has_no_value(curve.state))
    json.at("x").fail("at least one point, since the curve was neither skipped nor failed");
}

Curve curve_from(const JsonReader& json, std::string_view id) {
  Curve curve;
  const auto* entry = find_catalog_entry(id, EntryKind::curve);
  curve.x_unit = read_unit(json.at("x_unit"), entry == nullptr ? "" : entry->x_unit);
  curve.y_unit = read_unit(json.at("y_unit"), entry == nullptr ? "" : entry->unit);
  curve.x = json.at("x").numbers();
  curve.y = json.at("y").numbers();
  if (json.has("ci95"))
    for (std::size_t i = 0; i < json.at("ci95").size(); ++i)
      curve.ci95.push_back(interval_from(json.at("ci95").at(i)));
  curve.method = json.text_or("method", "");
  curve.state = state_from(json.at("state"));
  curve.reason = json.text_or("reason", "");
  check_points(json, curve);
  return curve;
}

Json table_json(const Table& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json values = Json::array();
    for (const double value : row.values)
      values.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
    rows.push_back({{"name", row.name}, {"values", values}});
  }
  return {
      {"columns", table.columns}, {"units", table.units}, {"rows", rows}, {"method", table.method}};
}

Table::Row row_from(const JsonReader& json, std::size_t value_count) {
  Table::Row row{json.at("name").text(), {}};
  const auto values = json.at("values");
  if (values.size() != value_count)
    values.fail(fmt::format("one value for each column after \"name\" ({})", value_count));
  for (std::size_t i = 0; i < value_count; ++i)
    row.values.push_back(values.at(i).raw().is_null() ? std::nan("") : values.at(i).number());
  return row;
}

Table table_from(const JsonReader& json) {
  Table table;
  table.columns = json.at("columns").texts();
  table.units = json.at("units").texts();
  if (table.units.size() != table.columns.size())
    json.at("units").fail(fmt::format("as many units as columns ({})", table.columns.size()));
  const bool named = !table.columns.empty() && table.columns.front() == "name";
  for (std::size_t i = 0; i < table.units.size(); ++i)
    if (!table.units[i].empty()) read_unit(json.at("units").at(i), "");
  const auto rows = json.at("rows");
  for (std::size_t i = 0; i < rows.size(); ++i)
    table.rows.push_back(row_from(rows.at(i), table.columns.size() - (named ? 1 : 0)));
  table.method = json.text_or("method", "");
  return table;
}

}  // namespace

std::optional<Interval> optional_interval(const JsonReader& json, std::string_view key) {
  if (!json.has(key)) return std::nullopt;
  return interval_from(json.at(key));
}

std::string_view to_string(State state) { return states[static_cast<std::size_t>(state)]; }
State state_from(const JsonReader& json) { return static_cast<State>(json.one_of(states)); }

Json to_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return Json::array({number_or_null(interval->lo), number_or_null(interval->hi)});
}

Interval interval_from(const JsonReader& json) {
  const auto ends = json.numbers();
  if (ends.size() != 2 || ends[0] > ends[1]) json.fail("an interval [lo, hi]");
  return {ends[0], ends[1]};
}

Json DeviceProfile::to_json() const {
  Json json = file_head(schema, schema_version, created_by, environment);
  json["metrics"] = Json::object();
  for (const auto& [id, metric] : metrics) json["metrics"][id] = metric_json(id, metric);
  json["curves"] = Json::object();
  for (const auto& [id, curve] : curves) json["curves"][id] = curve_json(curve);
  json["tables"] = Json::object();
  for (const auto& [id, table] : tables) json["tables"][id] = table_json(table);
  json["completed"] = Json::object();
  for (const auto& [name, completion] : completed)
    json["completed"][name] = rooftile::to_json(completion);
  for (const auto& [name, rounds] : unfinished)
    json["unfinished"][name] = rooftile::to_json(rounds);
  return json;
}

DeviceProfile DeviceProfile::from_json(const JsonReader& json) {
  DeviceProfile profile;
  profile.source = json.where();
  read_head(json, schema, schema_version, profile.created_by, profile.environment);
  const auto read_metrics = json.at("metrics");
  for (const auto& id : read_metrics.keys())
    profile.metrics[id] = metric_from(read_metrics.at(id), id);
  const auto read_curves = json.at("curves");
  for (const auto& id : read_curves.keys()) profile.curves[id] = curve_from(read_curves.at(id), id);
  if (json.has("tables"))
    for (const auto& id : json.at("tables").keys())
      profile.tables[id] = table_from(json.at("tables").at(id));
  if (json.has("completed"))
    for (const auto& name : json.at("completed").keys())
      profile.completed[name] = completion_from(json.at("completed").at(name));
  if (json.has("unfinished"))
    for (const auto& name : json.at("unfinished").keys())
      profile.unfinished[name] = unfinished_from(json.at("unfinished").at(name));
  return profile;
}

}  // namespace rooftile
