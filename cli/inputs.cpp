// The search for a profile and its runs: options, environment, working directory, recorded data.
#include "cli/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "model/error.hpp"
#include "model/record/data_path.hpp"
#include "model/record/splits.hpp"

namespace rooftile::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* default_gpu_folder = "h200";

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

ProfileInput given_profile(const std::string& path) {
  return {DeviceProfile::load(path), {{path}, false, ""}};
}

/// Recorded data count as "this machine" only where a GPU of that model is present.
ProfileInput recorded_profile() {
  const std::string present = gpu_present();
  const std::string own = present.empty() ? "" : recorded_folder_of(present);
  const std::string path =
      data_path((own.empty() ? std::string(default_gpu_folder) : own) + "/profile.json");
  ProfileInput input{DeviceProfile::load(path), {{path}, true, ""}};
  input.origin.notice =
      fmt::format("using recorded {}, not this machine", input.profile.environment.gpu_name);
  print_note(input.origin.notice);
  return input;
}

void check_same_gpu(const RunsInput& input, const DeviceProfile& profile) {
  const std::string& expected = profile.environment.gpu_name;
  for (const RunRecord& run : input.runs)
    if (run.environment.gpu_name != expected)
      throw InputError(fmt::format(
          "{}: environment.gpu_name is '{}' but the profile is of '{}'; give --profile and --runs "
          "of the same GPU",
          fmt::join(input.origin.files, ", "), run.environment.gpu_name, expected));
}

/// No files where there is none.
Origin default_runs(const ProfileInput& profile) {
  if (!profile.origin.recorded)
    for (const char* beside : {"runs.jsonl", "runs.jsonl.gz"})
      if (fs::exists(beside)) return {{beside}, false, ""};
  const std::string& gpu = profile.profile.environment.gpu_name;
  const std::string folder = recorded_folder_of(gpu);
  if (folder.empty()) return {};
  return {run_files(data_path(folder)), true,
          fmt::format("using recorded {}, not this machine", gpu)};
}

Origin required_runs(const ProfileInput& profile) {
  Origin origin = default_runs(profile);
  if (origin.files.empty() && !origin.recorded)
    throw InputError(
        fmt::format("no runs: ./runs.jsonl does not exist and nothing is recorded for '{}'; make "
                    "them with `rooftile measure`, or name a file with --runs",
                    profile.profile.environment.gpu_name));
  if (profile.origin.notice.empty() && !origin.notice.empty()) print_note(origin.notice);
  return origin;
}

RunsInput load_runs_of(Origin origin, const ProfileInput& profile) {
  RunsInput input{{}, std::move(origin), {}};
  input.runs = load_run_files(input.origin.files);
  check_same_gpu(input, profile.profile);
  return input;
}

/// The folder of the latest opening of the sealed split, sealed/N; empty where there is none.
fs::path latest_opening(const std::string& gpu) {
  const fs::path folder = data_path(recorded_folder_of(gpu)) + "/sealed";
  int latest = 0;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    latest = std::max(latest, std::atoi(entry.path().filename().c_str()));
  return latest == 0 ? fs::path() : folder / std::to_string(latest);
}

/// Of the latest opening the sealed pairs of default tiles; others were measured beside them.
std::vector<RunRecord> opened_runs(const std::string& gpu) {
  const fs::path folder = latest_opening(gpu);
  const Splits splits = Splits::load(data_path("splits.json"));
  std::vector<RunRecord> sealed;
  for (const char* name : {"ladder.runs.jsonl.gz", "persistent.runs.jsonl.gz"}) {
    if (folder.empty() || !fs::exists(folder / name)) continue;
    for (RunRecord& run : load_run_files({(folder / name).string()}))
      if (const Variant* variant = find_variant(run.variant);
          variant != nullptr && splits.is_sealed(run.problem, std::string(variant->family)))
        sealed.push_back(std::move(run));
  }
  return sealed;
}

/// The same.
Origin default_landscape(const RunsInput& runs) {
  Origin origin{{}, runs.origin.recorded, runs.origin.notice};
  std::string folder;
  if (origin.recorded)
    folder = data_path(recorded_folder_of(runs.runs.front().environment.gpu_name)) + "/";
  for (const char* name : {"landscape.jsonl", "landscape.jsonl.gz"})
    if (origin.files.empty() && fs::exists(folder + name)) origin.files.push_back(folder + name);
  return origin;
}

}  // namespace

ProfileInput find_profile(const std::string& option, const std::string& kernels) {
  const std::string variable = environment_variable("ROOFTILE_PROFILE");
  ProfileInput input = !option.empty()              ? given_profile(option)
                       : !variable.empty()          ? given_profile(variable)
                       : fs::exists("profile.json") ? given_profile("profile.json")
                                                    : recorded_profile();
  input.kernels = find_kernels(kernels, input);
  return input;
}

Kernels find_kernels(const std::string& option, const ProfileInput& profile) {
  if (!option.empty()) return open_kernel_folder(option);
  if (!profile.origin.recorded && fs::exists("kernels/index.json"))
    return open_kernel_folder("kernels");
  const std::string recorded = recorded_folder_of(profile.profile.environment.gpu_name);
  if (recorded.empty()) return nullptr;
  const std::string folder = data_path(recorded) + "/kernels";
  return fs::exists(folder) ? open_kernel_folder(folder) : nullptr;
}

std::vector<RunRecord> load_run_files(const std::vector<std::string>& files) {
  std::vector<RunRecord> runs;
  for (const std::string& file : files) {
    bool truncated = false;
    for (RunRecord& run : load_runs(file, &truncated)) runs.push_back(std::move(run));
    if (truncated)
      print_warning(
          fmt::format("{}: ignored an incomplete last line (an interrupted sweep; "
                      "`rooftile measure --resume` finishes it)",
                      file));
  }
  if (runs.empty())
    throw InputError(
        fmt::format("{}: no runs; make some with `rooftile measure`",
                    files.empty() ? "recorded data" : fmt::format("{}", fmt::join(files, ", "))));
  return runs;
}

RunsInput find_runs(const std::vector<std::string>& options, const ProfileInput& profile) {
  RunsInput input =
      load_runs_of(options.empty() ? required_runs(profile) : Origin{options, false, ""}, profile);
  if (input.origin.recorded) input.sealed = opened_runs(profile.profile.environment.gpu_name);
  return input;
}

std::optional<RunsInput> find_runs_if_any(const ProfileInput& profile) {
  Origin origin = default_runs(profile);
  if (origin.files.empty()) return std::nullopt;
  return load_runs_of(std::move(origin), profile);
}

std::optional<RunsInput> find_landscape(const std::string& option, const ProfileInput& profile,
                                        const RunsInput& runs) {
  const Origin origin = option.empty() ? default_landscape(runs) : Origin{{option}, false, ""};
  if (origin.files.empty()) return std::nullopt;
  return load_runs_of(origin, profile);
}

Suite find_suite(const std::string& name) {
  if (name.empty()) return load_suite(data_path("suite.json"));
  const std::string recorded = data_directory() + "/" + name;
  std::error_code ignored;
  const bool here = fs::exists(name, ignored);
  return load_suite(!here && fs::exists(recorded, ignored) ? recorded : name);
}

void check_suite_serves(const Suite& suite, bool shapes_given, bool kernels_given) {
  if (!suite.kernels.empty() && kernels_given)
    throw InputError(fmt::format(
        "{} names its kernels: leave out --variant and --tile, or choose by --filter", suite.path));
  if (suite.kernels.empty() && shapes_given)
    throw InputError(
        fmt::format("{} names shapes alone: leave out --shape, or --suite", suite.path));
}

std::string recorded_folder_of(const std::string& gpu_name) {
  for (const std::string& folder : recorded_gpus()) {
    const std::string path = data_path(folder + "/profile.json");
    const Json json = parse_json(read_text_file(path), path);
    const JsonReader reader(json, path);
    if (reader.at("environment").text_or("gpu_name", "") == gpu_name) return folder;
  }
  return "";
}

std::string gpu_present(const std::string& proc) {
  std::error_code ignored;
  std::vector<std::string> folders;
  for (const auto& entry : fs::directory_iterator(proc + "/gpus", ignored))
    folders.push_back(entry.path().string());
  std::sort(folders.begin(), folders.end());
  if (folders.empty()) return "";
  std::ifstream file(folders.front() + "/information");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("Model:", 0) != 0) continue;
    const std::size_t start = line.find_first_not_of(" \t", 6);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

}  // namespace rooftile::cli
