// Closed lists behind the options whose values are names: what a shell can complete.
#pragma once

#include <string>
#include <vector>

namespace rooftile::cli {

/// The names that `option` of `command` takes ("variant": its first long name without dashes, or
/// the name of an argument); empty where any text does. "ID=" where a value is to follow.
std::vector<std::string> option_values(const std::string& command, const std::string& option);

/// What `rooftile list` takes.
std::vector<std::string> list_kinds();

}  // namespace rooftile::cli
