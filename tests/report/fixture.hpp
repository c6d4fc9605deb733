// A made-up but plausible GPU with runs, predictions and a validation, drawn from a seed.
#pragma once

#include <cstdint>

#include "report/report.hpp"
#include "tests/support/temporary_folder.hpp"

namespace rooftile::test {

/// The first `shapes` problems of eleven.
ReportInput plausible_input(std::uint32_t seed = 1, std::size_t shapes = 11);

/// Removes a random part of everything: metrics, curves, points, tables, runs, predictions,
/// summaries; values become absent, not finite, zero or negative.
void damage(ReportInput& input, std::uint32_t seed);

}  // namespace rooftile::test
