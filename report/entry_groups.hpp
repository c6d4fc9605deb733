// The groups in which the profile's entries are shown, by the first word of their ids.
#pragma once

#include <string>
#include <vector>

namespace rooftile::report {

/// Title of the group of an entry, e.g. "Caches and memory" for l2.latency; "Other" for none.
std::string entry_group(const std::string& id);

/// All titles in the order of the page, "Other" last.
std::vector<std::string> entry_group_titles();

}  // namespace rooftile::report
