// Selection by regular expression and by name; nothing selected is an error.
#include "cli/filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "cli/suggest.hpp"
#include "model/error.hpp"

namespace rooftile::cli {
namespace {

std::regex compile(const std::string& pattern, const std::string& option) {
  try {
    return std::regex(pattern);
  } catch (const std::regex_error& error) {
    throw InputError(
        fmt::format("{}: '{}' is no regular expression: {}", option, pattern, error.what()));
  }
}

}  // namespace

std::vector<std::string> filter_names(const std::vector<std::string>& names,
                                      const std::string& pattern, const std::string& option) {
  if (pattern.empty()) return names;
  const std::regex expression = compile(pattern, option);
  std::vector<std::string> matching;
  for (const std::string& name : names)
    if (std::regex_search(name, expression)) matching.push_back(name);
  if (matching.empty())
    throw InputError(
        fmt::format("{}: nothing matches '{}': {}", option, pattern, did_you_mean(pattern, names)));
  return matching;
}

std::vector<std::string> require_names(const std::vector<std::string>& names,
                                       const std::vector<std::string>& wanted,
                                       const std::string& option) {
  for (const std::string& name : wanted)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InputError(
          fmt::format("{}: unknown '{}': {}", option, name, did_you_mean(name, names)));
  return wanted;
}

}  // namespace rooftile::cli
