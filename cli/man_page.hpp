// Manual pages in roff (the man macros), generated from the option tables.
#pragma once

#include <string>
#include <vector>

#include "cli/reference.hpp"

namespace rooftile::cli {

/// rooftile-<command>(1).
std::string command_man_page(const CommandReference& command);

/// rooftile(1): what the commands are and what they share.
std::string overview_man_page(const std::vector<CommandReference>& commands);

}  // namespace rooftile::cli
