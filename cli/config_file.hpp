// Options from a file, so that they need not be typed each time. TOML:
//
//   device = 1            # of every command that has --device
//   [predict]
//   predictor = "sass"    # of predict alone
//   shape = ["4096", "8192x8192x512"]
//
// The file is that of --config, of ROOFTILE_CONFIG, ./rooftile.toml or rooftile/config.toml below
// XDG_CONFIG_HOME (~/.config), the first that is named or there. Its options are read as if they
// had been typed, and said on stderr; one that is on the command line stands alone. What is
// recorded as the command of a measurement has them.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace rooftile::cli {

/// Adds --config to `app`.
void add_config_option(CLI::App& app);

/// `arguments` of the command `command`, whose options are those of `app`, and after them the
/// file's. Throws InputError for a file that is named and cannot be read, malformed TOML, an option
/// or a section that does not exist.
std::vector<std::string> with_config_file(const CLI::App& app, std::string_view command,
                                          const std::vector<std::string>& arguments);

}  // namespace rooftile::cli
