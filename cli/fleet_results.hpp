// What compare --fleet prints: the cards, then the metrics in which some stand apart.
#pragma once

#include <string>
#include <vector>

#include "cli/compare_inputs.hpp"
#include "cli/output.hpp"

namespace rooftile::cli {

/// `all` shows metrics without an outlier too; the JSON always holds everything.
Results fleet_results(const FleetInputs& inputs, double tolerance, bool all);

/// One sentence for each card that stands apart in a metric whose id matches `pattern`, and for
/// each such metric that cannot be judged, of all cards or of one; nothing where no card has a
/// value. Throws InputError for a pattern that matches no id.
std::vector<std::string> fleet_failures(const FleetInputs& inputs, const std::string& pattern);

}  // namespace rooftile::cli
