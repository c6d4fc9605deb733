// DeviceProfile: everything the microbenchmarks found out about one GPU. The only description of
// the hardware that the predictors see. Ids, units and the microbenchmark behind each are listed in
// metric_catalog.hpp.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/record/provenance.hpp"

namespace rooftile {

enum class State { ok, skipped, failed, suspect };
std::string_view to_string(State state);
State state_from(const JsonReader& json);

struct Interval {
  double lo = 0, hi = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};
Json to_json(const std::optional<Interval>& interval);  ///< [lo, hi] or null
Interval interval_from(const JsonReader& json);         ///< refuses lo > hi
/// Member `key` as [lo, hi]; nullopt when absent or null.
std::optional<Interval> optional_interval(const JsonReader& json, std::string_view key);

/// One number with its uncertainty. `value` is absent when skipped or failed, and then `reason`
/// says why.
struct Metric {
  std::optional<double> value;
  std::string unit;
  std::string estimator;  ///< e.g. "median", "difference of medians", "device attribute"
  int n = 0;              ///< independent repetitions behind the value
  std::optional<double> mad;
  std::optional<Interval> ci95;      ///< for the estimate; from at least 5 repetitions
  std::optional<Interval> repeat95;  ///< where another run will fall
  std::string method;
  State state = State::ok;
  std::string reason;
};

/// y over x, x ascending. `ci95` is empty or has one interval a point.
struct Curve {
  std::string x_unit, y_unit;
  std::vector<double> x, y;
  std::vector<Interval> ci95;
  std::string method;
  State state = State::ok;
  std::string reason;
};

/// Rows of named numbers, such as the lane patterns with measured and modelled wavefronts.
struct Table {
  std::vector<std::string> columns;  ///< "name" first where rows are named, then numeric columns
  std::vector<std::string> units;    ///< one a column; "" for names
  struct Row {
    std::string name;
    std::vector<double> values;  ///< one for each column after "name"
  };
  std::vector<Row> rows;
  std::string method;
};

/// A microbenchmark that ran to its end, all rounds of it: what a resumed run may keep.
struct Completion {
  std::string git_revision;  ///< of the program that ran it
  bool quick = false;        ///< with fewer repetitions and points
};

/// Independent repetitions of one quantity in one round, in the unit of its entry.
struct Repetitions {
  std::vector<double> values;
  State state = State::ok;  ///< suspect when the clock moved or the device throttled
  std::string reason;
};

/// What the whole rounds so far of a microbenchmark found, until its last round is through: from
/// here an interrupted run is resumed.
struct Unfinished {
  int rounds = 0;
  Completion by;
  std::map<std::string, std::vector<Repetitions>, std::less<>> metrics;  ///< one a round
  std::map<std::string, std::map<double, std::vector<Repetitions>>, std::less<>> curves;  ///< by x
};

class DeviceProfile {
 public:
  static constexpr std::string_view schema = "rooftile.profile";
  static constexpr int schema_version = 1;

  /// What messages about it name: the file that it was read from.
  std::string source = "profile";
  CreatedBy created_by;
  Environment environment;
  std::map<std::string, Metric, std::less<>> metrics;
  std::map<std::string, Curve, std::less<>> curves;
  std::map<std::string, Table, std::less<>> tables;
  std::map<std::string, Completion, std::less<>> completed;   ///< by microbenchmark
  std::map<std::string, Unfinished, std::less<>> unfinished;  ///< by microbenchmark

  /// Value of metric `id`. Throws MissingMetric when absent, skipped or failed; names the supplier.
  double value(std::string_view id) const;
  std::optional<double> find(std::string_view id) const;
  /// Curve `id` with at least two points. Throws MissingMetric otherwise.
  const Curve& curve(std::string_view id) const;
  const Curve* find_curve(std::string_view id) const;
  const Table* find_table(std::string_view id) const;
  /// Where the rows of table `id`, which is there, hold the numbers of column `name`. Throws
  /// InputError that names the file, the table and the column where they hold none.
  std::size_t column(std::string_view id, std::string_view name) const;
  /// For a row that cannot be: InputError that names the file, the table and the row, and says
  /// `what` of it.
  [[noreturn]] void refuse_row(std::string_view id, std::string_view row,
                               const std::string& what) const;

  Json to_json() const;
  /// Throws InputError that names the field. Units outside the closed list are refused.
  static DeviceProfile from_json(const JsonReader& json);
  static DeviceProfile load(const std::string& path);
  void save(const std::string& path) const;
};

/// y at `x`, linear between points, clamped at both ends. The curve has at least one point.
double interpolate(const Curve& curve, double x);

}  // namespace rooftile
