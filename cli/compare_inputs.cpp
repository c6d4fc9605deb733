// A file's kind comes from its `schema`: of the whole file, or of its first line (JSON Lines).
#include "cli/compare_inputs.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

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

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> file_kinds = {
    {{DeviceProfile::schema, "a profile"},
     {RunRecord::schema, "runs"},
     {Prediction::schema, "predictions"}}};

std::string_view kind_name(FileKind kind) {
  return file_kinds[static_cast<std::size_t>(kind)].second;
}

FileKind file_kind(const std::string& path) {
  const std::string schema = schema_of(path);
  for (std::size_t i = 0; i < file_kinds.size(); ++i)
    if (schema == file_kinds[i].first) return static_cast<FileKind>(i);
  throw InputError(
      fmt::format("{}: schema is \"{}\"; compare takes profiles (\"{}\"), runs (\"{}\") or "
                  "predictions (\"{}\")",
                  path, schema, file_kinds[0].first, file_kinds[1].first, file_kinds[2].first));
}

/// A, B, ..., Z, AA, AB, ...
std::string letter_name(std::size_t i) {
  std::string name(1, static_cast<char>('A' + i % 26));
  return i < 26 ? name : letter_name(i / 26 - 1) + name;
}

void check_kinds(const std::vector<std::string>& paths, FileKind kind) {
  for (const std::string& path : paths)
    if (const FileKind other = file_kind(path); other != kind)
      throw InputError(fmt::format("{} is {} and {} is {}; compare files of one kind",
                                   paths.front(), kind_name(kind), path, kind_name(other)));
}

struct PredictionFile {
  std::vector<Prediction> predictions;
  CreatedBy created_by;
  Environment environment;
  std::string notice;
};

PredictionFile load_prediction_file(const std::string& path) {
  const Json json = parse_json(read_text_file(path), path);
  const JsonReader reader(json, path);
  PredictionFile file{predictions_from(reader), {}, {}, {}};
  if (file.predictions.empty()) throw InputError(path + ": holds no predictions");
  read_head(reader, Prediction::schema, Prediction::schema_version, file.created_by,
            file.environment);
  if (reader.has("notice")) file.notice = reader.at("notice").text();
  return file;
}

ComparedFile compared_file(std::string name, std::string path, const PredictionFile& file) {
  return {std::move(name), std::move(path), file.created_by, file.environment, file.notice};
}

Comparison compare_prediction_files(const PredictionFile& reference, const PredictionFile& other,
                                    const CompareOptions& options) {
  return compare_predictions(reference.predictions, other.predictions, options);
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
  inputs.kind = file_kind(paths.front());
  check_kinds(paths, inputs.kind);
  const auto load_runs_of = [](const std::string& path) { return load_run_files({path}); };
  if (inputs.kind == FileKind::profile)
    compare_all(paths, tolerance, DeviceProfile::load, compare_profiles, inputs);
  else if (inputs.kind == FileKind::runs)
    compare_all(paths, tolerance, load_runs_of, compare_runs, inputs);
  else
    compare_all(paths, tolerance, load_prediction_file, compare_prediction_files, inputs);
  return inputs;
}

FleetInputs load_fleet(const std::vector<std::string>& paths, double tolerance) {
  for (const std::string& path : paths)
    if (const FileKind kind = file_kind(path); kind != FileKind::profile)
      throw InputError(fmt::format("{} is {}; --fleet takes profiles", path, kind_name(kind)));
  FleetInputs inputs;
  std::vector<DeviceProfile> profiles;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    profiles.push_back(DeviceProfile::load(paths[i]));
    inputs.files.push_back(compared_file(letter_name(i), paths[i], profiles.back()));
  }
  inputs.metrics = judge_fleet(profiles, tolerance);
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
