// A line of runs.jsonl: writing and checking, and the reading of a file that a kill cut short.
#include "model/record/run.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include "model/error.hpp"
#include "model/record/json_checks.hpp"
#include "model/record/kernel_id.hpp"

namespace rooftile {
namespace {

constexpr std::array<std::string_view, 2> cache_states = {"hot", "cold"};

Json time_json(const std::optional<TimeSummary>& time) {
  if (!time) return nullptr;
  return {{"median", number_or_null(time->median)},
          {"mad", number_or_null(time->mad)},
          {"n", time->n},
          {"p5", number_or_null(time->p5)},
          {"p95", number_or_null(time->p95)},
          {"ci95", to_json(std::optional(time->ci95))},
          {"converged", time->converged}};
}

/// Seconds that a clock can have measured; keeps errors in per cent finite.
double duration(const JsonReader& json) {
  const double value = json.number();
  if (value < 1e-12 || value > 1e12) json.fail("seconds from 1e-12 to 1e12");
  return value;
}

TimeSummary time_from(const JsonReader& json) {
  TimeSummary time;
  time.median = duration(json.at("median"));
  time.mad = not_negative(json.at("mad"));
  time.n = static_cast<int>(json.at("n").integer_in(1, 1'000'000'000));
  time.p5 = duration(json.at("p5"));
  time.p95 = duration(json.at("p95"));
  time.ci95 = interval_from(json.at("ci95"));
  time.converged = json.at("converged").boolean();
  return time;
}

/// A wrong kernel may give NaN: an error that is no number is null in the file, infinite in memory.
Json error_json(double error) { return std::isfinite(error) ? Json(error) : Json(nullptr); }

double error_from(const JsonReader& json) {
  return json.raw().is_null() ? std::numeric_limits<double>::infinity() : not_negative(json);
}

Json correctness_json(const std::optional<Correctness>& correctness) {
  if (!correctness) return nullptr;
  return {{"max_error", error_json(correctness->max_error)},
          {"normwise_error", error_json(correctness->normwise_error)},
          {"bound", error_json(correctness->bound)},
          {"passed", correctness->passed}};
}

Correctness correctness_from(const JsonReader& json) {
  Correctness result{error_from(json.at("max_error")), error_from(json.at("normwise_error")),
                     error_from(json.at("bound")), json.at("passed").boolean()};
  if (result.passed && !std::isfinite(result.max_error))
    json.at("passed").fail("false, since the error is not a number");
  return result;
}

Json counters_json(const CounterSet& counters) {
  Json values = Json::object();
  for (const auto& [name, value] : counters.values)
    if (std::isfinite(value)) values[name] = value;
  return {{"values", values}, {"reason", counters.reason}};
}

CounterSet counters_from(const JsonReader& json) {
  CounterSet counters;
  const auto values = json.at("values");
  for (const auto& name : values.keys())
    counters.values.emplace_back(name, values.at(name).number());
  counters.reason = json.text_or("reason", "");
  return counters;
}

void check_state(const JsonReader& json, const RunRecord& run) {
  const bool timed = run.state == State::ok || run.state == State::suspect;
  if (timed && !run.time) json.at("time").fail("a time, since the state is ok or suspect");
  if (!timed && run.time) json.at("time").fail("null, since the run was skipped or failed");
}

RunRecord run_line(std::string_view line, const std::string& where) {
  const Json json = parse_json(line, where);
  return RunRecord::from_json(JsonReader(json, where));
}

}  // namespace

std::string_view to_string(CacheState cache) {
  return cache_states[static_cast<std::size_t>(cache)];
}

Json to_json(const KernelResources& resources) {
  return {{"registers_per_thread", resources.registers_per_thread},
          {"static_shared_bytes", resources.static_shared_bytes},
          {"dynamic_shared_bytes", resources.dynamic_shared_bytes},
          {"spill_bytes", resources.spill_bytes},
          {"compiled", resources.compiled}};
}

KernelResources resources_from(const JsonReader& json) {
  return {json.at("registers_per_thread").count(), json.at("static_shared_bytes").count(),
          json.at("dynamic_shared_bytes").count(), json.at("spill_bytes").count(),
          json.at("compiled").boolean()};
}

Json RunRecord::to_json() const {
  Json json = file_head(schema, schema_version, created_by, environment);
  json["variant"] = variant;
  json["tile"] = rooftile::to_json(tile);
  json["problem"] = rooftile::to_json(problem);
  json["cache"] = to_string(cache);
  json["state"] = rooftile::to_string(state);
  json["reason"] = reason;
  json["time"] = time_json(time);
  json["resources"] = rooftile::to_json(resources);
  json["occupancy_blocks_per_sm"] = occupancy_blocks_per_sm;
  json["sm_clock_hz"] = number_or_null(sm_clock_hz);
  json["condition"] = rooftile::to_json(condition);
  json["correctness"] = correctness_json(correctness);
  json["counters"] = counters_json(counters);
  json["kernel_id"] = kernel_id;
  return json;
}

RunRecord RunRecord::from_json(const JsonReader& json) {
  RunRecord run;
  read_head(json, schema, schema_version, run.created_by, run.environment);
  run.variant = json.at("variant").text();
  run.tile = tile_from(json.at("tile"));
  run.problem = problem_from(json.at("problem"));
  run.cache = static_cast<CacheState>(json.at("cache").one_of(cache_states));
  run.state = state_from(json.at("state"));
  run.reason = json.text_or("reason", "");
  if (!json.at("time").raw().is_null()) run.time = time_from(json.at("time"));
  check_state(json, run);
  run.resources = resources_from(json.at("resources"));
  run.occupancy_blocks_per_sm = json.at("occupancy_blocks_per_sm").count();
  run.sm_clock_hz = not_negative(json.at("sm_clock_hz"));
  run.condition = condition_from(json.at("condition"));
  if (json.has("correctness")) run.correctness = correctness_from(json.at("correctness"));
  if (json.has("counters")) run.counters = counters_from(json.at("counters"));
  run.kernel_id = json.text_or("kernel_id", "");
  if (!run.kernel_id.empty() && !is_kernel_id(run.kernel_id))
    json.at("kernel_id").fail("16 lower-case hexadecimal digits");
  return run;
}

std::string run_key(const RunRecord& run) {
  return fmt::format("{} {} {} {}", run.variant, tile_name(run.tile), problem_name(run.problem),
                     to_string(run.cache));
}

std::vector<std::string> run_files(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const bool plain = name.ends_with(".jsonl"), packed = name.ends_with(".jsonl.gz");
    const fs::path unpacked = fs::path(entry.path()).replace_extension();
    if (name.starts_with("runs") && (plain || (packed && !fs::exists(unpacked))))
      files.push_back(entry.path().string());
  }
  if (error) throw_file_error(fmt::format("{}: {}", folder, error.message()), error.value());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<RunRecord> load_runs(const std::string& path, bool* truncated) {
  const std::string text = read_text_file(path);
  std::vector<RunRecord> runs;
  if (truncated != nullptr) *truncated = false;
  std::size_t begin = 0;
  for (int line = 1; begin < text.size(); ++line) {
    const auto end = std::min(text.find('\n', begin), text.size());
    const auto content = std::string_view(text).substr(begin, end - begin);
    try {
      if (!content.empty()) runs.push_back(run_line(content, fmt::format("{}:{}", path, line)));
    } catch (const InputError&) {
      // Lines are written whole with their newline: only a kill leaves one without.
      if (end < text.size()) throw;
      if (truncated != nullptr) *truncated = true;
    }
    begin = end + 1;
  }
  return runs;
}

}  // namespace rooftile
