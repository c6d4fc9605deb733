// Edits of a loaded profile; values scale with their intervals.
#include "cli/what_if.hpp"

#include <fmt/format.h>

#include "cli/quantity.hpp"
#include "model/error.hpp"
#include "model/profile/metric_catalog.hpp"
#include "model/profile/plausible.hpp"

namespace rooftile::cli {
namespace {

struct Edit {
  std::string id;
  double number;
  bool factor;
};

Edit parse_edit(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw InputError(
        fmt::format("--set: '{}' is not ID=VALUE; write ffma.throughput=2x or =128", text));
  Edit edit{text.substr(0, equals), 0, text.back() == 'x'};
  std::string number = text.substr(equals + 1);
  if (edit.factor) number.pop_back();
  edit.number = parse_number(number, "--set " + edit.id);
  if (edit.number <= 0)
    throw InputError(fmt::format("--set {}: '{}' is not above 0", edit.id, number));
  return edit;
}

void scale(Interval& interval, double factor) {
  interval.lo *= factor;
  interval.hi *= factor;
}

void scale(Metric& metric, const Edit& edit) {
  if (!metric.value)
    throw InputError(
        fmt::format("--set {}: the profile has no value to scale ({}); give one with "
                    "={}",
                    edit.id, metric.reason, "VALUE"));
  *metric.value *= edit.number;
  if (metric.mad) *metric.mad *= edit.number;
  if (metric.ci95) scale(*metric.ci95, edit.number);
  if (metric.repeat95) scale(*metric.repeat95, edit.number);
}

void replace(Metric& metric, double value) {
  metric.value = value;
  metric.mad.reset();
  metric.ci95.reset();
  metric.repeat95.reset();
  metric.state = State::ok;
  metric.reason.clear();
}

void check_plausible(const std::string& id, const std::string& unit, double value,
                     const std::string& option) {
  if (const auto expected = implausible(id, unit, value))
    throw InputError(fmt::format("--set {}: gives {:g}; must be {}", option, value, *expected));
}

void edit_metric(Metric& metric, const Edit& edit, const std::string& text) {
  if (edit.factor)
    scale(metric, edit);
  else
    replace(metric, edit.number);
  check_plausible(edit.id, metric.unit, *metric.value, edit.id);
  for (auto* interval : {&metric.ci95, &metric.repeat95})
    if (*interval) *interval = plausible_part(edit.id, metric.unit, **interval);
  metric.estimator = "what-if";
  metric.method = "--set " + text;
}

void edit_curve(Curve& curve, const Edit& edit, const std::string& text) {
  if (!edit.factor)
    throw InputError(
        fmt::format("--set {}: a curve can only be scaled; write {}=2x", edit.id, edit.id));
  for (double& y : curve.y) {
    y *= edit.number;
    check_plausible("", curve.y_unit, y, edit.id);
  }
  for (Interval& interval : curve.ci95) scale(interval, edit.number);
  curve.method = "--set " + text;
}

}  // namespace

void apply_what_if(DeviceProfile& profile, const std::vector<std::string>& edits) {
  for (const std::string& text : edits) {
    const Edit edit = parse_edit(text);
    const auto metric = profile.metrics.find(edit.id);
    const auto curve = profile.curves.find(edit.id);
    if (metric == profile.metrics.end() && curve == profile.curves.end())
      throw InputError(
          fmt::format("--set: the profile has no '{}'; nearest: {} (all: `rooftile "
                      "list metrics`)",
                      edit.id, nearest_ids(edit.id)));
    if (metric != profile.metrics.end())
      edit_metric(metric->second, edit, text);
    else
      edit_curve(curve->second, edit, text);
  }
}

}  // namespace rooftile::cli
