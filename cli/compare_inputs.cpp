// A file's kind comes from its `schema`: of the whole file, or of its first line (JSON Lines).
#include "cli/compare_inputs.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/inputs.hpp"
#include "cli/quantity.hpp"
#include "model/error.hpp"

namespace rooftile::cli {
namespace {

/// The first line alone where that is a value of its own, else the whole text.
std::string schema_of(const std::string& path) {
  const std::string text = read_text_file(path);
  const std::string line = text.substr(0, text.find('\n'));
  const Json json = parse_json(Json::accept(line) ? line : text, path);
  return JsonReader(json, path).at("schema").text();
}

bool is_profile(const std::string& path) {
  const std::string schema = schema_of(path);
  if (schema == DeviceProfile::schema) return true;
  if (schema == RunRecord::schema) return false;
  throw InputError(
      fmt::format("{}: schema is \"{}\"; compare takes profiles (\"{}\") or runs (\"{}\")", path,
                  schema, DeviceProfile::schema, RunRecord::schema));
}

std::string letter_name(std::size_t i) { return std::string(1, static_cast<char>('A' + i)); }

void check_kinds(const std::vector<std::string>& paths, bool profiles) {
  const auto kind = [](bool profile) { return profile ? "a profile" : "runs"; };
  for (const std::string& path : paths)
    if (is_profile(path) != profiles)
      throw InputError(fmt::format("{} is {} and {} is {}; compare files of one kind",
                                   paths.front(), kind(profiles), path, kind(!profiles)));
}

/// `load` reads a path, `compare` judges two of what it gives.
template <class Load, class Compare>
void compare_all(const std::vector<std::string>& paths, double tolerance, Load load,
                 Compare compare, CompareInputs& inputs) {
  const auto reference = load(paths.front());
  inputs.files.push_back(compared_file(letter_name(0), paths.front(), reference));
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const auto other = load(paths[i]);
    inputs.files.push_back(compared_file(letter_name(i), paths[i], other));
    inputs.comparisons.push_back(
        compare(reference, other, CompareOptions{tolerance, letter_name(0), letter_name(i)}));
  }
}

}  // namespace

CompareInputs load_and_compare(const std::vector<std::string>& paths, double tolerance) {
  CompareInputs inputs;
  inputs.profiles = is_profile(paths.front());
  check_kinds(paths, inputs.profiles);
  if (inputs.profiles)
    compare_all(paths, tolerance, DeviceProfile::load, compare_profiles, inputs);
  else
    compare_all(
        paths, tolerance, [](const std::string& path) { return load_run_files({path}); },
        compare_runs, inputs);
  return inputs;
}

double parse_tolerance(const std::string& text) {
  const bool percent = !text.empty() && text.back() == '%';
  const std::string digits = percent ? text.substr(0, text.size() - 1) : text;
  const double value = parse_number(digits, "--tolerance") / (percent ? 100 : 1);
  if (value < 0 || value >= 1)
    throw InputError(fmt::format(
        "--tolerance: '{}' is not between 0 and 100 %; give 1% or 0.01 for one percent", text));
  return value;
}

}  // namespace rooftile::cli
