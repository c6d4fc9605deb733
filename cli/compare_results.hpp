// What compare prints: the heads first, then what differs, then the counts.
#pragma once

#include <string>
#include <vector>

#include "cli/compare_inputs.hpp"
#include "cli/output.hpp"

namespace rooftile::cli {

/// `all` shows what is the same too; the JSON always holds everything.
Results compare_results(const CompareInputs& inputs, double tolerance, bool all);

/// One sentence for each entry whose id matches `pattern` and that differs, is missing from one
/// file or cannot be compared (unless it is absent from both alike): a gate that judges nothing
/// must not pass. Throws InputError for a pattern that matches no id.
std::vector<std::string> gate_failures(const CompareInputs& inputs, const std::string& pattern);

}  // namespace rooftile::cli
