// Look-ups in a profile whose errors say which microbenchmark supplies what is missing.
#include "model/profile/device_profile.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "model/error.hpp"
#include "model/profile/metric_catalog.hpp"

namespace rooftile {
namespace {

/// What to do about a missing id: run its supplier, or correct the name.
std::string advice(std::string_view id, EntryKind kind) {
  const auto* entry = find_catalog_entry(id, kind);
  if (entry == nullptr)
    return fmt::format("no microbenchmark supplies this id; nearest: {}", nearest_ids(id));
  return fmt::format(
      "supplied by microbenchmark \"{0}\": run `rooftile characterize --only {0}` on this GPU",
      entry->supplier);
}

[[noreturn]] void missing(const std::string& source, std::string_view id, EntryKind kind,
                          const std::string& why) {
  throw MissingMetric(fmt::format("{}: {} {} {}; {}", source,
                                  kind == EntryKind::curve ? "curve" : "metric", id, why,
                                  advice(id, kind)));
}

std::string absence(State state, const std::string& reason) {
  return fmt::format("was {} ({})", to_string(state), reason.empty() ? "no reason given" : reason);
}

}  // namespace

double DeviceProfile::value(std::string_view id) const {
  const auto found = metrics.find(id);
  if (found == metrics.end()) missing(source, id, EntryKind::metric, "is absent");
  if (!found->second.value)
    missing(source, id, EntryKind::metric, absence(found->second.state, found->second.reason));
  return *found->second.value;
}

std::optional<double> DeviceProfile::find(std::string_view id) const {
  const auto found = metrics.find(id);
  return found == metrics.end() ? std::nullopt : found->second.value;
}

const Curve& DeviceProfile::curve(std::string_view id) const {
  const auto* found = find_curve(id);
  if (found == nullptr) missing(source, id, EntryKind::curve, "is absent");
  if (found->x.size() < 2)
    missing(source, id, EntryKind::curve,
            found->x.empty() ? absence(found->state, found->reason) : "has only one point");
  return *found;
}

const Table* DeviceProfile::find_table(std::string_view id) const {
  const auto found = tables.find(id);
  return found == tables.end() ? nullptr : &found->second;
}

std::size_t DeviceProfile::column(std::string_view id, std::string_view name) const {
  const std::vector<std::string>& columns = find_table(id)->columns;
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found == columns.end() || columns.front() != "name")
    throw InputError(fmt::format("{}: table {} has no column {}; {}", source, id,
                                 found == columns.end() ? name : "name in front",
                                 advice(id, EntryKind::table)));
  return static_cast<std::size_t>(found - columns.begin()) - 1;
}

void DeviceProfile::refuse_row(std::string_view id, std::string_view row,
                               const std::string& what) const {
  throw InputError(fmt::format("{}: table {}, row {}: {}; {}", source, id, row, what,
                               advice(id, EntryKind::table)));
}

const Curve* DeviceProfile::find_curve(std::string_view id) const {
  const auto found = curves.find(id);
  return found == curves.end() ? nullptr : &found->second;
}

DeviceProfile DeviceProfile::load(const std::string& path) {
  const Json json = parse_json(read_text_file(path), path);
  return from_json(JsonReader(json, path));
}

void DeviceProfile::save(const std::string& path) const {
  write_text_file(path, dump_json(to_json()));
}

double interpolate(const Curve& curve, double x) {
  if (!(x > curve.x.front())) return curve.y.front();
  if (x >= curve.x.back()) return curve.y.back();
  const auto above = std::upper_bound(curve.x.begin(), curve.x.end(), x);
  const auto i = static_cast<std::size_t>(above - curve.x.begin());
  const double fraction = (x - curve.x[i - 1]) / (curve.x[i] - curve.x[i - 1]);
  return std::lerp(curve.y[i - 1], curve.y[i], fraction);
}

}  // namespace rooftile
