// Parsing of shapes and sweeps: text to axes, axes to the product of their values; bounded, so that
// a typing error cannot ask for a million problems.
#include "cli/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/error.hpp"

namespace rooftile::cli {
namespace {

constexpr std::size_t max_problems = 100000;
constexpr std::int64_t max_exponent = 40;

[[noreturn]] void fail(const std::string& text, const std::string& why) {
  throw InputError(fmt::format(
      "--shape: '{}': {}; write 4096, 4Ki, 4096x11008x4096, M=[1024:8192:1024] or K[pow2]=[8:13]",
      text, why));
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// A size such as 4096 or 4Ki, by the grammar of shapes.
std::int64_t size_value(const std::string& part, const std::string& axis) {
  if (part.empty() || part.find('x') != std::string::npos) fail(axis, "a size is missing");
  return parse_shape(part).M;
}

std::int64_t exponent_value(const std::string& part, const std::string& axis) {
  const bool digits = !part.empty() && part.size() <= 2 &&
                      part.find_first_not_of("0123456789") == std::string::npos;
  const std::int64_t exponent = digits ? std::stoll(part) : max_exponent + 1;
  if (exponent > max_exponent)
    fail(axis, fmt::format("'{}' is no exponent from 0 to {}", part, max_exponent));
  return exponent;
}

std::vector<std::int64_t> expand_range(std::int64_t first, std::int64_t last, std::int64_t step,
                                       const std::string& axis) {
  if (step < 1) fail(axis, "the step must be at least 1");
  if (last < first) fail(axis, "the last value is below the first");
  if (static_cast<std::uint64_t>((last - first) / step) >= max_problems)
    fail(axis, fmt::format("more than {} values", max_problems));
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value <= last; value += step) values.push_back(value);
  return values;
}

using ValueParser = std::int64_t (*)(const std::string&, const std::string&);

std::vector<std::int64_t> range_values(const std::string& inside, const std::string& axis,
                                       ValueParser parse) {
  const std::vector<std::string> parts = split(inside, ':');
  if (parts.size() > 3) fail(axis, "a range is first:last or first:last:step");
  const std::int64_t step = parts.size() == 3 ? parse(parts[2], axis) : 1;
  return expand_range(parse(parts[0], axis), parse(parts[1], axis), step, axis);
}

std::vector<std::int64_t> parse_values(const std::string& value, const std::string& axis,
                                       ValueParser parse) {
  if (value.empty()) fail(axis, "no value after '='");
  if (value.front() != '[') return {parse(value, axis)};
  if (value.back() != ']') fail(axis, "the list has no closing ']'");
  if (value.size() < 3) fail(axis, "the list is empty");
  const std::string inside = value.substr(1, value.size() - 2);
  if (inside.find(':') != std::string::npos) return range_values(inside, axis, parse);
  std::vector<std::int64_t> values;
  for (const std::string& part : split(inside, ',')) values.push_back(parse(part, axis));
  return values;
}

/// Cuts "M=[1,2] N=3,K=4" at spaces and at commas outside brackets.
std::vector<std::string> cut_axes(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (depth == 0 && (c == ' ' || c == ','))
      parts.emplace_back();
    else
      parts.back() += c;
  }
  parts.erase(std::remove(parts.begin(), parts.end(), ""), parts.end());
  return parts;
}

std::vector<GemmProblem> expand(const std::vector<Axis>& axes) {
  std::vector<GemmProblem> problems{make_problem(1, 1, 1)};
  for (const Axis& axis : axes) {
    if (problems.size() * axis.values.size() > max_problems)
      throw InputError(fmt::format("--shape: the sweep has more than {} problems", max_problems));
    std::vector<GemmProblem> longer;
    for (const GemmProblem& base : problems) {
      for (std::int64_t value : axis.values) {
        auto pick = [&](char name, std::int64_t old) {
          return axis.dimensions.find(name) == std::string::npos ? old : value;
        };
        longer.push_back(make_problem(pick('M', base.M), pick('N', base.N), pick('K', base.K)));
      }
    }
    problems = std::move(longer);
  }
  return problems;
}

/// Every dimension exactly once.
void check_dimensions(const std::vector<Axis>& axes) {
  std::string seen;
  for (const Axis& axis : axes) seen += axis.dimensions;
  for (char name : {'M', 'N', 'K'}) {
    const auto count = std::count(seen.begin(), seen.end(), name);
    if (count == 0)
      throw InputError(fmt::format(
          "--shape: the sweep has no axis {0}; add {0}=4096, or use MNK=[...] for cubes", name));
    if (count > 1) throw InputError(fmt::format("--shape: axis {} is given twice", name));
  }
}

}  // namespace

Axis parse_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) fail(text, "an axis needs '='");
  std::string name = text.substr(0, equals);
  ValueParser parse = size_value;
  const std::string suffix = "[pow2]";
  const bool powers = name.size() > suffix.size() &&
                      name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
  if (powers) {
    name.resize(name.size() - suffix.size());
    parse = exponent_value;
  }
  if (name.empty() || name.find_first_not_of("MNK") != std::string::npos)
    fail(text, fmt::format("'{}' is not made of M, N and K", name));
  Axis axis{name, parse_values(text.substr(equals + 1), text, parse)};
  if (powers)
    for (std::int64_t& value : axis.values) value = std::int64_t{1} << value;
  return axis;
}

std::vector<GemmProblem> parse_shapes(const std::vector<std::string>& arguments) {
  std::vector<GemmProblem> problems;
  std::vector<Axis> axes;
  for (const std::string& argument : arguments) {
    if (argument.find('=') == std::string::npos) {
      problems.push_back(parse_shape(argument));
      continue;
    }
    for (const std::string& part : cut_axes(argument)) axes.push_back(parse_axis(part));
  }
  if (!axes.empty()) {
    check_dimensions(axes);
    for (const GemmProblem& problem : expand(axes)) problems.push_back(problem);
  }
  std::set<std::string> seen;
  std::vector<GemmProblem> unique;
  for (const GemmProblem& problem : problems)
    if (seen.insert(shape_name(problem)).second) unique.push_back(problem);
  return unique;
}

std::string cubes_hint(const std::vector<std::string>& arguments) {
  const auto single = [](const std::string& text) {
    return text.find_first_of("x=") == std::string::npos;
  };
  if (arguments.size() != 3 || !std::all_of(arguments.begin(), arguments.end(), single)) return "";
  return fmt::format("--shape {} are three cubes; one problem of M x N x K is --shape {}",
                     fmt::join(arguments, " "), fmt::join(arguments, "x"));
}

}  // namespace rooftile::cli
