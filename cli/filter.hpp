// --filter REGEX and lists of names on the command line: what matches nothing is an error that
// names the nearest.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace rooftile::cli {

/// The `names` in which the regular expression (ECMAScript, found anywhere) occurs, in order; all
/// of them when `pattern` is empty. Throws InputError for a bad expression and for no match.
std::vector<std::string> filter_names(const std::vector<std::string>& names,
                                      const std::string& pattern, const std::string& option);

/// `wanted` itself, after checking that each is one of `names`. Throws InputError with the nearest.
std::vector<std::string> require_names(const std::vector<std::string>& names,
                                       const std::vector<std::string>& wanted,
                                       const std::string& option);

}  // namespace rooftile::cli
