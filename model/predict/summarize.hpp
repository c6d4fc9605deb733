// Summaries of error cases: MAPE, bias, quantiles, Kendall's tau-b, regret and interval coverage.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/record/validation.hpp"

namespace rooftile {

/// Coverage that prediction intervals are calibrated for.
inline constexpr double interval_coverage_goal = 0.9;

using CasePointers = std::vector<const ErrorCase*>;

/// Cases by `key`, in order of key.
std::map<std::string, CasePointers> group_cases(
    std::span<const ErrorCase* const> cases,
    const std::function<std::string(const ErrorCase&)>& key);

/// Errors over all cases; tau-b as the mean over shapes with at least three kernels, regret over
/// shapes with at least two; no interval coverage.
ErrorSummary summarize(std::span<const ErrorCase* const> cases);

/// Share of `cases` inside the interval calibrated on `calibration`. Cases of a shape are never
/// judged by an interval that was calibrated on the same shape. nullopt when nothing could be
/// judged.
std::optional<double> interval_coverage(std::span<const ErrorCase* const> cases,
                                        std::span<const ErrorCase* const> calibration);

}  // namespace rooftile
