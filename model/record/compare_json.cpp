// comparison.json, and what the heads of the files say differently.
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>

#include "model/record/compare.hpp"

namespace rooftile {
namespace {

struct HeadMember {
  const char* name;
  std::function<std::string(const ComparedFile&)> text;
};

std::string megahertz(double hz) { return hz > 0 ? fmt::format("{:.0f} MHz", hz / 1e6) : ""; }

std::string reasons_text(const DeviceCondition& condition) {
  if (!condition.available) return "";
  std::string text;
  for (const std::string& reason : condition.throttle_reasons)
    text += (text.empty() ? "" : ", ") + reason;
  return text.empty() ? "none" : text;
}

std::string capability_text(const Environment& e) {
  return fmt::format("{}.{}", e.compute_capability_major, e.compute_capability_minor);
}

std::vector<HeadMember> head_members() {
  using F = const ComparedFile&;
  return {{"GPU", [](F f) { return f.environment.gpu_name; }},
          {"GPU UUID", [](F f) { return f.environment.gpu_uuid; }},
          {"compute capability", [](F f) { return capability_text(f.environment); }},
          {"SMs", [](F f) { return std::to_string(f.environment.sm_count); }},
          {"driver", [](F f) { return f.environment.driver_version; }},
          {"CUDA runtime", [](F f) { return f.environment.cuda_runtime_version; }},
          {"cuBLAS", [](F f) { return f.environment.cublas_version; }},
          {"power limit", [](F f) { return fmt::format("{:g} W", f.environment.power_limit_w); }},
          {"ECC", [](F f) { return f.environment.ecc; }},
          {"MIG", [](F f) { return f.environment.mig; }},
          {"host", [](F f) { return f.environment.host; }},
          {"CPU", [](F f) { return f.environment.cpu; }},
          {"SM clock, start", [](F f) { return megahertz(f.environment.start.sm_clock_hz); }},
          {"SM clock, end", [](F f) { return megahertz(f.environment.end.sm_clock_hz); }},
          {"memory clock", [](F f) { return megahertz(f.environment.start.memory_clock_hz); }},
          {"throttled at start", [](F f) { return reasons_text(f.environment.start); }},
          {"throttled at end", [](F f) { return reasons_text(f.environment.end); }},
          {"rooftile", [](F f) { return f.created_by.version; }},
          {"revision", [](F f) { return f.created_by.git_revision; }},
          {"build type", [](F f) { return f.created_by.build_type; }},
          {"notice", [](F f) { return f.notice; }}};
}

Json point_json(const ComparedPoint& point) {
  Json json = Json::object();
  if (point.x) json["x"] = *point.x;
  if (!point.x) json["row"] = point.row;
  if (!point.x) json["column"] = point.column;
  json["reference"] = number_or_null(point.reference);
  json["other"] = number_or_null(point.other);
  json["difference"] = number_or_null(point.difference);
  json["uncertainty"] = number_or_null(point.uncertainty);
  json["differs"] = point.beyond;
  return json;
}

Json entry_json(const EntryComparison& entry) {
  Json changes = Json::array();
  for (const ComparedPoint& point : entry.changes) changes.push_back(point_json(point));
  return {{"id", entry.id},
          {"kind", to_string(entry.kind)},
          {"unit", entry.unit},
          {"x_unit", entry.x_unit},
          {"verdict", to_string(entry.verdict)},
          {"reference", number_or_null(entry.reference)},
          {"reference_interval", to_json(entry.reference_interval)},
          {"other", number_or_null(entry.other)},
          {"other_interval", to_json(entry.other_interval)},
          {"difference", number_or_null(entry.difference)},
          {"uncertainty", number_or_null(entry.uncertainty)},
          {"compared", entry.compared},
          {"differing", entry.differing},
          {"largest", entry.largest ? point_json(*entry.largest) : Json(nullptr)},
          {"changes", changes},
          {"note", entry.note}};
}

Json one_comparison_json(const ComparedFile& file, const Comparison& comparison) {
  Json entries = Json::array();
  for (const EntryComparison& entry : comparison.entries) entries.push_back(entry_json(entry));
  return {{"file", file.name},
          {"same", comparison.count(Verdict::same)},
          {"differ", comparison.count(Verdict::differs)},
          {"missing", comparison.missing()},
          {"not_comparable", comparison.count(Verdict::not_comparable)},
          {"coverage",
           {{"covered", comparison.covered},
            {"of", comparison.coverable},
            {"share", number_or_null(comparison.coverage())}}},
          {"mean_ratio", number_or_null(comparison.mean_ratio())},
          {"entries", entries}};
}

}  // namespace

ComparedFile compared_file(std::string name, std::string path, const DeviceProfile& profile) {
  return {std::move(name), std::move(path), profile.created_by, profile.environment};
}

ComparedFile compared_file(std::string name, std::string path, std::span<const RunRecord> runs) {
  ComparedFile file{std::move(name), std::move(path), {}, {}};
  if (runs.empty()) return file;
  file.created_by = runs.front().created_by;
  file.environment = runs.front().environment;
  file.environment.end = runs.back().environment.end;
  return file;
}

Json compared_files_json(std::span<const ComparedFile> files) {
  Json json = Json::array();
  for (const ComparedFile& file : files)
    json.push_back({{"name", file.name},
                    {"path", file.path},
                    {"created_by", to_json(file.created_by)},
                    {"environment", to_json(file.environment)}});
  return json;
}

std::vector<HeadDifference> head_differences(std::span<const ComparedFile> files) {
  std::vector<HeadDifference> differences;
  for (const HeadMember& member : head_members()) {
    HeadDifference difference{member.name, {}};
    for (const ComparedFile& file : files) difference.values.push_back(member.text(file));
    const auto& values = difference.values;
    if (std::any_of(values.begin(), values.end(),
                    [&](const std::string& value) { return value != values.front(); }))
      differences.push_back(std::move(difference));
  }
  return differences;
}

Json comparison_json(std::span<const ComparedFile> files, std::span<const Comparison> comparisons,
                     double tolerance) {
  Json json = file_head("rooftile.comparison", 1, this_build(), files.front().environment);
  json["tolerance"] = tolerance;
  json["files"] = compared_files_json(files);
  json["head_differences"] = Json::array();
  for (const HeadDifference& difference : head_differences(files))
    json["head_differences"].push_back(
        {{"member", difference.member}, {"values", difference.values}});
  json["comparisons"] = Json::array();
  for (std::size_t i = 0; i < comparisons.size(); ++i)
    json["comparisons"].push_back(one_comparison_json(files[i + 1], comparisons[i]));
  return json;
}

}  // namespace rooftile
