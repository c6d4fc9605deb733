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

[[noreturn]] void missing(std::string_view kind_name, std::string_view id, EntryKind kind,
                          const std::string& why) {
  throw MissingMetric(fmt::format("profile: {} {} {}; {}", kind_name, id, why, advice(id, kind)));
}

std::string absence(State state, const std::string& reason) {
  return fmt::format("was {} ({})", to_string(state), reason.empty() ? "no reason given" : reason);
}

}  // namespace

double DeviceProfile::value(std::string_view id) const {
  const auto found = metrics.find(id);
  if (found == metrics.end()) missing("metric", id, EntryKind::metric, "is absent");
  if (!found->second.value)
    missing("metric", id, EntryKind::metric, absence(found->second.state, found->second.reason));
  return *found->second.value;
}

std::optional<double> DeviceProfile::find(std::string_view id) const {
  const auto found = metrics.find(id);
  return found == metrics.end() ? std::nullopt : found->second.value;
}

const Curve& DeviceProfile::curve(std::string_view id) const {
  const auto* found = find_curve(id);
  if (found == nullptr) missing("curve", id, EntryKind::curve, "is absent");
  if (found->x.size() < 2)
    missing("curve", id, EntryKind::curve,
            found->x.empty() ? absence(found->state, found->reason) : "has only one point");
  return *found;
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
