// Gathers curves into panels.
#include "report/curve_panel.hpp"

#include <algorithm>
#include <functional>

#include "report/curve_shape.hpp"
#include "report/entry_groups.hpp"

namespace rooftile::report {
namespace {

/// Curves that the sections on memory and shared memory draw with more to say.
constexpr std::string_view drawn_elsewhere[] = {
    "memory.latency.over_footprint", "memory.bandwidth.over_footprint",
    "l2.bandwidth.over_active_sms",  "dram.bandwidth.over_active_sms",
    "smem.conflict.lds32",           "smem.conflict.lds64",
    "smem.conflict.lds128"};

bool drawn_here(const CatalogEntry& entry) {
  return entry.kind == EntryKind::curve &&
         std::find(std::begin(drawn_elsewhere), std::end(drawn_elsewhere), entry.id) ==
             std::end(drawn_elsewhere);
}

CurvePanel empty_panel(const CatalogEntry& entry) {
  CurvePanel panel;
  panel.supplier = entry.supplier;
  panel.x_unit = entry.x_unit;
  panel.y_unit = entry.unit;
  panel.group = entry_group(std::string(entry.id));
  panel.x = x_quantity(entry);
  return panel;
}

void finish(CurvePanel& panel) {
  std::vector<const CatalogEntry*> entries;
  for (const NamedCurve& curve : panel.curves) entries.push_back(curve.entry);
  const std::vector<std::string> names = short_names(entries);
  panel.without_first = true;
  for (std::size_t i = 0; i < names.size(); ++i) {
    panel.curves[i].name = names[i];
    panel.without_first = panel.without_first && first_point_apart(panel.curves[i].points.y);
  }
}

}  // namespace

std::vector<CurvePanel> curve_panels(const DeviceProfile& profile) {
  std::vector<CurvePanel> panels;
  for (const CatalogEntry& entry : metric_catalog()) {
    if (!drawn_here(entry)) continue;
    Points points = points_of(profile, std::string(entry.id), false);
    if (!points.usable()) continue;
    if (shown_beyond_x(entry))
      std::transform(points.y.begin(), points.y.end(), points.x.begin(), points.y.begin(),
                     std::minus<>());
    auto found = std::find_if(panels.begin(), panels.end(),
                              [&](const CurvePanel& panel) { return panel.holds(entry); });
    if (found == panels.end()) found = panels.insert(panels.end(), empty_panel(entry));
    found->curves.push_back({&entry, std::move(points), {}});
  }
  for (CurvePanel& panel : panels) finish(panel);
  return panels;
}

}  // namespace rooftile::report
