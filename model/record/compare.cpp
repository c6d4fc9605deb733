// The rule, and the counts over a comparison.
#include "model/record/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace rooftile {
namespace {

constexpr std::array<std::string_view, 5> verdict_names = {"same", "differs", "only_in_reference",
                                                           "only_in_other", "not_comparable"};
constexpr std::array<std::string_view, 5> compared_kind_names = {"metric", "curve", "table", "run",
                                                                 "prediction"};

/// Half width of the interval on the side of `toward`. An interval that does not hold its own value
/// (a file made by hand) counts with its whole width at most.
double facing_half_width(const Spread& spread, double toward) {
  if (!spread.interval) return 0;
  const Interval& interval = *spread.interval;
  const double half =
      toward >= spread.value ? interval.hi - spread.value : spread.value - interval.lo;
  return std::clamp(half, 0.0, interval.hi - interval.lo);
}

/// z with P(Z > z) = tail, 0 < tail <= 0.5; absolute error below 4.5e-4 (Abramowitz and Stegun
/// 26.2.23).
double normal_upper_quantile(double tail) {
  const double t = std::sqrt(-2 * std::log(tail));
  return t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                 (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  return verdict_names[static_cast<std::size_t>(verdict)];
}

std::string_view to_string(ComparedKind kind) {
  return compared_kind_names[static_cast<std::size_t>(kind)];
}

Gap gap_between(const Spread& reference, const Spread& other, double tolerance, double widening) {
  Gap gap;
  gap.difference = other.value - reference.value;
  gap.uncertainty = widening * std::hypot(facing_half_width(reference, other.value),
                                          facing_half_width(other, reference.value));
  gap.beyond = std::fabs(gap.difference) > gap.uncertainty + tolerance * std::fabs(reference.value);
  return gap;
}

double simultaneous_widening(std::size_t n) {
  if (n <= 1) return 1;
  return normal_upper_quantile(0.025 / static_cast<double>(n)) / normal_upper_quantile(0.025);
}

int Comparison::count(Verdict verdict) const {
  return static_cast<int>(
      std::count_if(entries.begin(), entries.end(),
                    [&](const EntryComparison& entry) { return entry.verdict == verdict; }));
}

int Comparison::missing() const {
  return count(Verdict::only_in_reference) + count(Verdict::only_in_other);
}

std::optional<double> Comparison::coverage() const {
  if (coverable == 0) return std::nullopt;
  return static_cast<double>(covered) / coverable;
}

std::optional<double> Comparison::mean_ratio() const {
  double logs = 0;
  int ratios = 0;
  for (const EntryComparison& entry : entries) {
    const bool is_time = entry.kind == ComparedKind::run || entry.kind == ComparedKind::prediction;
    if (!is_time || entry.verdict == Verdict::not_comparable) continue;
    if (!entry.reference || !entry.other) continue;
    logs += std::log(*entry.other / *entry.reference);
    ++ratios;
  }
  if (ratios == 0) return std::nullopt;
  return std::exp(logs / ratios);
}

}  // namespace rooftile
