// What differs between two profiles, two sets of runs or two of predictions, beyond their
// uncertainty.
//
// Rule: a value b differs from the reference a when
//     |b - a| > sqrt(Ua^2 + Ub^2) + tolerance * |a|
// where Ua and Ub are the half widths, on the side that faces the other value, of the intervals in
// which another run will fall: `repeat95`; `ci95` where there is none; 0 for a value that has
// neither: a whole number that counts (count, byte, 1) is exact, any other is a single reading,
// whose tolerance is at least reading_tolerance. Without tolerance this is the E_n score of
// proficiency testing, |b - a| / sqrt(Ua^2 + Ub^2) <= 1 with 95 % expanded uncertainties (ISO
// 13528, ISO/IEC 17043); adding squares is the propagation of independent inputs (JCGM 100:2008,
// GUM, 5.1.2). Each repeat95 foretells the other run by itself, so about 5 % of the values that did
// not change are said to differ, or fewer, as far as the rounds of a run show what changes between
// runs.
//
// A curve is one verdict over n points, so its intervals are widened until all n of them hold
// together with 95 %: z(1 - 0.025 / n) / z(0.975) (Bonferroni). Curves and runs carry ci95 alone,
// which is of the estimate within one run: what changes between runs comes on top, and `tolerance`
// is there for it. Tables carry no interval either and go by the same rule as such values.
// Predictions carry the interval that the profile's uncertainty gives them.
//
// Pitfall: runs of one process on one card share what no interval sees (the card, the driver's
// state); a difference between two cards is real and yet no regression.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile/device_profile.hpp"
#include "model/record/prediction.hpp"
#include "model/record/run.hpp"

namespace rooftile {

/// What two runs of one GPU may differ by in a measured column of a table.
constexpr double reading_tolerance = 0.02;

enum class Verdict { same, differs, only_in_reference, only_in_other, not_comparable };
std::string_view to_string(Verdict verdict);  ///< "same", "differs", "only_in_reference", ...

enum class ComparedKind { metric, curve, table, run, prediction };
std::string_view to_string(ComparedKind kind);

/// A value and where another run will fall; exact without an interval.
struct Spread {
  double value = 0;
  std::optional<Interval> interval;
};

/// repeat95 of a metric, or ci95 where it has none.
std::optional<Interval> interval_of_another_run(const Metric& metric);
/// The tolerance between two values without an interval: what counts must be equal, what was
/// measured agrees within reading_tolerance, or `tolerance` where that is larger.
double tolerance_without_interval(double a, double b, const std::string& unit, double tolerance);

/// Two spreads against each other. `uncertainty` is sqrt(Ua^2 + Ub^2), in the unit of the values.
struct Gap {
  double difference = 0;  ///< other - reference
  double uncertainty = 0;
  bool beyond = false;  ///< beyond uncertainty and tolerance
};
/// `widening` multiplies both intervals (simultaneous_widening() for a curve).
Gap gap_between(const Spread& reference, const Spread& other, double tolerance,
                double widening = 1);
/// z(1 - 0.025 / n) / z(0.975), n >= 1: makes n 95 % intervals hold together.
double simultaneous_widening(std::size_t n);

/// One point of a curve or one cell of a table. Fractions are of the reference's magnitude, and
/// absent where that is 0.
struct ComparedPoint {
  std::optional<double> x;  ///< of a curve
  std::string row, column;  ///< of a table; `column` is empty where the whole row is meant
  std::optional<double> reference, other;
  std::optional<double> difference, uncertainty;
  bool beyond = false;
};

/// One id (or one cell of a sweep) in both files.
struct EntryComparison {
  ComparedKind kind = ComparedKind::metric;
  std::string id, unit, x_unit;
  Verdict verdict = Verdict::same;
  std::string note;  ///< why it is not comparable, and what else to know
  /// Value and interval of metrics, runs (median) and predictions (both in seconds); nothing for
  /// curves and tables.
  std::optional<double> reference, other;
  std::optional<Interval> reference_interval, other_interval;
  std::optional<double> difference, uncertainty;  ///< fractions; of a curve or table the largest
  int compared = 0, differing = 0;                ///< points or cells; 1 for a single value
  std::optional<ComparedPoint> largest;           ///< largest difference of a curve or table
  std::vector<ComparedPoint> changes;             ///< the points or cells that differ
  bool both_absent = false;                       ///< skipped or failed in both alike
};

/// The other file against the reference, entries in the order of kind and id.
struct Comparison {
  std::vector<EntryComparison> entries;

  int count(Verdict verdict) const;
  int missing() const;  ///< only in one of them
  /// Metrics whose repeat95 in the reference holds the value of the other, and those that have
  /// both.
  int covered = 0, coverable = 0;
  std::optional<double> coverage() const;    ///< covered / coverable
  std::optional<double> mean_ratio() const;  ///< geometric mean of other / reference over times
};

struct CompareOptions {
  double tolerance = 0;                      ///< fraction of the reference
  std::string reference = "A", other = "B";  ///< names of the files in notes
};

Comparison compare_profiles(const DeviceProfile& reference, const DeviceProfile& other,
                            const CompareOptions& options);
/// Of several records of one cell the last with a time stands.
Comparison compare_runs(std::span<const RunRecord> reference, std::span<const RunRecord> other,
                        const CompareOptions& options);
/// Of several predictions of one kernel and problem by one predictor the last stands.
Comparison compare_predictions(std::span<const Prediction> reference,
                               std::span<const Prediction> other, const CompareOptions& options);

/// One file of a comparison. Of runs, `environment` is that of the first with the last one's end.
struct ComparedFile {
  std::string name;  ///< "A"
  std::string path;
  CreatedBy created_by;
  Environment environment;
  std::string notice = {};  ///< of predictions: recorded data, what-if edits
};
ComparedFile compared_file(std::string name, std::string path, const DeviceProfile& profile);
ComparedFile compared_file(std::string name, std::string path, std::span<const RunRecord> runs);
/// `files` of rooftile.comparison and rooftile.fleet.
Json compared_files_json(std::span<const ComparedFile> files);

/// A member of the heads that is not the same in all files: GPU, driver, clocks, throttle reasons,
/// the program. Time, command line, power and temperature always differ and are left out.
struct HeadDifference {
  std::string member;
  std::vector<std::string> values;  ///< one a file
};
std::vector<HeadDifference> head_differences(std::span<const ComparedFile> files);

/// rooftile.comparison: `comparisons[i]` is of files[i + 1] against files[0]. All entries are in
/// it, the same ones too.
Json comparison_json(std::span<const ComparedFile> files, std::span<const Comparison> comparisons,
                     double tolerance);

}  // namespace rooftile
