// Two profiles entry by entry: metrics by their values, curves at the x that both have, tables by
// the rows and columns that both have.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/record/compare.hpp"

namespace rooftile {
namespace {

bool is_absent(State state) { return state == State::skipped || state == State::failed; }

std::string state_in(State state, const std::string& file, const std::string& reason) {
  return fmt::format("{} in {}{}", to_string(state), file, reason.empty() ? "" : ": " + reason);
}

std::string joined_notes(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + "; " + second;
}

/// "failed in B: why" for each side whose state is not ok.
template <class Entry>
std::string state_notes(const Entry& a, const Entry& b, const CompareOptions& options) {
  if (a.state == b.state && a.reason == b.reason && a.state != State::ok)
    return state_in(a.state, "both", a.reason);
  const auto note = [](const Entry& entry, const std::string& file) {
    return entry.state == State::ok ? "" : state_in(entry.state, file, entry.reason);
  };
  return joined_notes(note(a, options.reference), note(b, options.other));
}

/// One side has no value, or the units differ: says so in `entry`.
template <class Entry>
bool cannot_compare(const Entry& a, const Entry& b, const std::string& unit_a,
                    const std::string& unit_b, const CompareOptions& options,
                    EntryComparison& entry) {
  entry.note = state_notes(a, b, options);
  if (is_absent(a.state) || is_absent(b.state)) {
    entry.verdict = Verdict::not_comparable;
    entry.both_absent = a.state == b.state;
    return true;
  }
  if (unit_a == unit_b) return false;
  entry.verdict = Verdict::not_comparable;
  entry.note = joined_notes(
      fmt::format("{} in {}, {} in {}", unit_a, options.reference, unit_b, options.other),
      entry.note);
  return true;
}

/// A difference that a noisy or throttled side may have made is evidence of nothing.
template <class Entry>
Verdict judged(bool beyond, const Entry& a, const Entry& b) {
  if (!beyond) return Verdict::same;
  return a.state == State::suspect || b.state == State::suspect ? Verdict::not_comparable
                                                                : Verdict::differs;
}

/// Nothing where the whole is 0, or so small that the fraction is no number.
std::optional<double> fraction_of(double part, double whole) {
  if (part == 0) return 0.0;
  const double fraction = part / std::fabs(whole);
  return std::isfinite(fraction) ? std::optional(fraction) : std::nullopt;
}

void compare_metric(const Metric& a, const Metric& b, const CompareOptions& options,
                    EntryComparison& entry) {
  entry.reference = a.value;
  entry.other = b.value;
  entry.reference_interval = interval_of_another_run(a);
  entry.other_interval = interval_of_another_run(b);
  if (cannot_compare(a, b, a.unit, b.unit, options, entry)) return;
  const bool without_interval = !entry.reference_interval && !entry.other_interval;
  const double tolerance =
      without_interval ? tolerance_without_interval(*a.value, *b.value, a.unit, options.tolerance)
                       : options.tolerance;
  const Gap gap = gap_between({*a.value, entry.reference_interval},
                              {*b.value, entry.other_interval}, tolerance);
  entry.difference = fraction_of(gap.difference, *a.value);
  if (!without_interval)
    entry.uncertainty = fraction_of(gap.uncertainty, *a.value);
  else if (gap.beyond)
    entry.note = joined_notes("neither has an interval", entry.note);
  entry.compared = 1;
  entry.differing = gap.beyond;
  entry.verdict = judged(gap.beyond, a, b);
}

Spread point_spread(const Curve& curve, std::size_t i) {
  return {curve.y[i], curve.ci95.empty() ? std::nullopt : std::optional(curve.ci95[i])};
}

/// Pairs of indices whose x is the same; grids come from files, so all but the last digits count.
std::vector<std::pair<std::size_t, std::size_t>> common_points(const Curve& a, const Curve& b) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0, j = 0; i < a.x.size() && j < b.x.size();) {
    if (std::fabs(a.x[i] - b.x[j]) <= 1e-9 * std::fabs(a.x[i]))
      pairs.emplace_back(i++, j++);
    else
      ++(a.x[i] < b.x[j] ? i : j);
  }
  return pairs;
}

bool larger_difference(const ComparedPoint& a, const ComparedPoint& b) {
  const auto size = [](const ComparedPoint& point) {
    return point.difference ? std::fabs(*point.difference) : HUGE_VAL;
  };
  return std::pair(a.beyond, size(a)) > std::pair(b.beyond, size(b));
}

void add_point(const ComparedPoint& point, EntryComparison& entry) {
  ++entry.compared;
  entry.differing += point.beyond;
  if (!entry.largest || larger_difference(point, *entry.largest)) entry.largest = point;
  if (point.beyond) entry.changes.push_back(point);
}

void take_largest(EntryComparison& entry) {
  if (!entry.largest) return;
  entry.difference = entry.largest->difference;
  entry.uncertainty = entry.largest->uncertainty;
}

void note_unmatched(std::size_t total_a, std::size_t total_b, std::size_t common, const char* what,
                    const CompareOptions& options, EntryComparison& entry) {
  const auto note = [&](std::size_t total, const std::string& file) {
    if (total == common) return;
    entry.note = joined_notes(
        entry.note, fmt::format("{} of {} {} only in {}", total - common, total, what, file));
  };
  note(total_a, options.reference);
  note(total_b, options.other);
}

void compare_curve(const Curve& a, const Curve& b, const CompareOptions& options,
                   EntryComparison& entry) {
  entry.x_unit = a.x_unit;
  if (cannot_compare(a, b, a.y_unit + " over " + a.x_unit, b.y_unit + " over " + b.x_unit, options,
                     entry))
    return;
  const auto common = common_points(a, b);
  const double widening = simultaneous_widening(common.size());
  for (const auto& [i, j] : common) {
    const Gap gap =
        gap_between(point_spread(a, i), point_spread(b, j), options.tolerance, widening);
    add_point({a.x[i], "", "", a.y[i], b.y[j], fraction_of(gap.difference, a.y[i]),
               fraction_of(gap.uncertainty, a.y[i]), gap.beyond},
              entry);
  }
  note_unmatched(a.x.size(), b.x.size(), common.size(), "points", options, entry);
  take_largest(entry);
  entry.verdict = common.empty() ? Verdict::not_comparable : judged(entry.differing > 0, a, b);
}

/// Rows by name, and by number where names repeat or are left out.
std::map<std::string, const Table::Row*> rows_by_name(const Table& table) {
  std::map<std::string, const Table::Row*> rows;
  std::map<std::string, int> seen;
  for (const Table::Row& row : table.rows) {
    const int number = ++seen[row.name];
    const bool plain = number == 1 && !row.name.empty();
    rows[plain ? row.name : fmt::format("{}#{}", row.name, number)] = &row;
  }
  return rows;
}

/// Absent numbers are NaN in memory and null in the file.
std::optional<double> cell_value(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

bool cell_differs(double a, double b, const std::string& unit, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) != std::isnan(b);
  return std::fabs(b - a) > tolerance_without_interval(a, b, unit, tolerance) * std::fabs(a);
}

void compare_row(const std::string& name, const Table::Row& a, const Table::Row& b,
                 const Table& table, const CompareOptions& options, EntryComparison& entry) {
  const std::size_t first = table.columns.size() - a.values.size();  // 1 where rows have names
  for (std::size_t i = 0; i < a.values.size() && i < b.values.size(); ++i) {
    ComparedPoint point;
    point.row = name;
    point.column = table.columns[first + i];
    point.reference = cell_value(a.values[i]);
    point.other = cell_value(b.values[i]);
    if (point.reference && point.other)
      point.difference = fraction_of(b.values[i] - a.values[i], a.values[i]);
    point.beyond =
        cell_differs(a.values[i], b.values[i], table.units[first + i], options.tolerance);
    add_point(point, entry);
  }
}

void compare_table(const Table& a, const Table& b, const CompareOptions& options,
                   EntryComparison& entry) {
  if (a.columns != b.columns || a.units != b.units) {
    entry.verdict = Verdict::not_comparable;
    entry.note =
        fmt::format("columns or units differ between {} and {}", options.reference, options.other);
    return;
  }
  const auto rows_a = rows_by_name(a), rows_b = rows_by_name(b);
  std::size_t common = 0;
  for (const auto& [name, row] : rows_a) {
    const auto found = rows_b.find(name);
    if (found == rows_b.end()) continue;
    ++common;
    compare_row(name, *row, *found->second, a, options, entry);
  }
  note_unmatched(rows_a.size(), rows_b.size(), common, "rows", options, entry);
  take_largest(entry);
  entry.verdict = entry.differing > 0 ? Verdict::differs : Verdict::same;
  if (common == 0 && !(rows_a.empty() && rows_b.empty())) entry.verdict = Verdict::not_comparable;
}

const std::string& unit_of(const Metric& metric) { return metric.unit; }
const std::string& unit_of(const Curve& curve) { return curve.y_unit; }
std::string unit_of(const Table&) { return ""; }

/// Every id of either map, in order; `compare` judges those that both have.
template <class Map, class Compare>
void compare_entries(const Map& a, const Map& b, ComparedKind kind, Compare compare,
                     Comparison& comparison) {
  std::set<std::string> ids;
  for (const auto& [id, unused] : a) ids.insert(id);
  for (const auto& [id, unused] : b) ids.insert(id);
  for (const std::string& id : ids) {
    const auto in_a = a.find(id), in_b = b.find(id);
    EntryComparison entry;
    entry.kind = kind;
    entry.id = id;
    entry.unit = unit_of(in_a != a.end() ? in_a->second : in_b->second);
    if (in_b == b.end())
      entry.verdict = Verdict::only_in_reference;
    else if (in_a == a.end())
      entry.verdict = Verdict::only_in_other;
    else
      compare(in_a->second, in_b->second, entry);
    comparison.entries.push_back(std::move(entry));
  }
}

/// What one file alone has is shown with its value.
void show_lone_values(const DeviceProfile& a, const DeviceProfile& b, Comparison& comparison) {
  for (EntryComparison& entry : comparison.entries) {
    if (entry.kind != ComparedKind::metric) continue;
    if (entry.verdict == Verdict::only_in_reference) entry.reference = a.find(entry.id);
    if (entry.verdict == Verdict::only_in_other) entry.other = b.find(entry.id);
  }
}

void count_coverage(const DeviceProfile& a, const DeviceProfile& b, Comparison& comparison) {
  for (const auto& [id, metric] : a.metrics) {
    const auto found = b.metrics.find(id);
    if (!metric.repeat95 || found == b.metrics.end() || !found->second.value) continue;
    if (found->second.unit != metric.unit) continue;
    ++comparison.coverable;
    comparison.covered +=
        *found->second.value >= metric.repeat95->lo && *found->second.value <= metric.repeat95->hi;
  }
}

}  // namespace

std::optional<Interval> interval_of_another_run(const Metric& metric) {
  return metric.repeat95 ? metric.repeat95 : metric.ci95;
}

double tolerance_without_interval(double a, double b, const std::string& unit, double tolerance) {
  const bool counts = (unit == "count" || unit == "byte" || unit == "1") && a == std::floor(a) &&
                      b == std::floor(b);
  return counts ? tolerance : std::max(tolerance, reading_tolerance);
}

Comparison compare_profiles(const DeviceProfile& reference, const DeviceProfile& other,
                            const CompareOptions& options) {
  Comparison comparison;
  const auto with = [&](auto compare) {
    return [&options, compare](const auto& a, const auto& b, EntryComparison& entry) {
      compare(a, b, options, entry);
    };
  };
  compare_entries(reference.metrics, other.metrics, ComparedKind::metric, with(compare_metric),
                  comparison);
  compare_entries(reference.curves, other.curves, ComparedKind::curve, with(compare_curve),
                  comparison);
  compare_entries(reference.tables, other.tables, ComparedKind::table, with(compare_table),
                  comparison);
  show_lone_values(reference, other, comparison);
  count_coverage(reference, other, comparison);
  return comparison;
}

}  // namespace rooftile
