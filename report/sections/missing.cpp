// What to say where data are absent, and how curves are read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/profile/metric_catalog.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

const CatalogEntry* catalog_entry(const std::string& id) {
  for (const auto kind : {EntryKind::metric, EntryKind::curve, EntryKind::table})
    if (const auto* entry = find_catalog_entry(id, kind)) return entry;
  return nullptr;
}

/// Finite, and far enough from the limits of double that axes can be scaled.
bool drawable(double x) { return std::isfinite(x) && std::abs(x) < 1e18; }

std::string recorded_reason(const DeviceProfile& profile, const std::string& id) {
  const auto explain = [](State state, const std::string& reason) {
    if (state == State::ok && reason.empty()) return std::string();
    return fmt::format(" It was recorded as {}{}.", to_string(state),
                       reason.empty() ? "" : ": " + reason);
  };
  if (const auto m = profile.metrics.find(id); m != profile.metrics.end())
    return explain(m->second.state, m->second.reason);
  if (const auto c = profile.curves.find(id); c != profile.curves.end())
    return explain(c->second.state, c->second.reason);
  return {};
}

}  // namespace

std::string entry_command(const std::string& id) {
  const CatalogEntry* entry = catalog_entry(id);
  return entry ? fmt::format("rooftile characterize --filter {}", entry->supplier)
               : "rooftile characterize";
}

Paragraph missing_entry(const DeviceProfile& profile, const std::string& id) {
  const CatalogEntry* entry = catalog_entry(id);
  Paragraph p;
  p.tone = Tone::missing;
  p.text =
      fmt::format("The profile has no usable {}{}.{}", id,
                  entry ? fmt::format(" ({})", entry->meaning) : "", recorded_reason(profile, id));
  p.command = entry_command(id);
  return p;
}

Paragraph missing_runs(const std::string& what) {
  return {fmt::format("{}: there are no runs to show it from.", what), Tone::missing,
          "rooftile measure"};
}

Paragraph missing_predictions(const std::string& what) {
  return {fmt::format("{}: there are no predictions of these runs.", what), Tone::missing,
          "rooftile validate"};
}

Points points_of(const DeviceProfile& profile, const std::string& id, bool positive_x) {
  const auto found = profile.curves.find(id);
  Points points;
  if (found == profile.curves.end()) return points;
  const Curve& curve = found->second;
  if (curve.state == State::failed || curve.state == State::skipped) return points;
  const std::size_t n = std::min(curve.x.size(), curve.y.size());
  const bool intervals = n > 0 && curve.ci95.size() == n;
  for (std::size_t i = 0; i < n; ++i) {
    if (!drawable(curve.x[i]) || !drawable(curve.y[i])) continue;
    if (positive_x && curve.x[i] <= 0) continue;
    points.x.push_back(curve.x[i]);
    points.y.push_back(curve.y[i]);
    if (!intervals) continue;
    const Interval ci = curve.ci95[i];
    const bool finite = drawable(ci.lo) && drawable(ci.hi);
    points.lo.push_back(finite ? ci.lo : curve.y[i]);
    points.hi.push_back(finite ? ci.hi : curve.y[i]);
  }
  return points;
}

}  // namespace rooftile::report
