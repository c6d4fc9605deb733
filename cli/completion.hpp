// Completion scripts for bash, zsh and fish, generated from the option tables: commands, options,
// closed lists of values, files and folders. The scripts start no process, so a TAB costs nothing.
#pragma once

#include <string>
#include <vector>

#include "cli/reference.hpp"

namespace rooftile::cli {

std::string bash_completion(const std::vector<CommandReference>& commands);
std::string zsh_completion(const std::vector<CommandReference>& commands);
std::string fish_completion(const std::vector<CommandReference>& commands);

/// `text` with a backslash before each of `special`.
std::string escaped(const std::string& text, const std::string& special);

}  // namespace rooftile::cli
