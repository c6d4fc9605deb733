// A small data folder of a synthetic NVIDIA H200, written once for a test binary.
#include "data_fixture.hpp"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "../model/h200_fixture.hpp"
#include "gemm/variant.hpp"
#include "model/predict/predictor.hpp"
#include "model/profile/metric_catalog.hpp"
#include "tests/support/record_samples.hpp"

namespace rooftile::cli {
namespace {

Environment h200_environment() {
  Environment environment = test::sample_environment();
  environment.gpu_name = "NVIDIA H200";
  environment.gpu_uuid = "GPU-00000000-0000-0000-0000-000000000200";
  environment.command_line = "rooftile characterize";
  return environment;
}

DeviceProfile h200_profile() {
  DeviceProfile profile = test::h200();
  profile.environment = h200_environment();
  profile.created_by = this_build();
  for (const CatalogEntry& entry : metric_catalog()) {
    const auto metric = profile.metrics.find(std::string(entry.id));
    if (metric != profile.metrics.end()) metric->second.unit = entry.unit;
    const auto curve = profile.curves.find(std::string(entry.id));
    if (curve == profile.curves.end()) continue;
    curve->second.x_unit = entry.x_unit;
    curve->second.y_unit = entry.unit;
  }
  return profile;
}

RunRecord synthetic_run(const Variant& variant, const GemmProblem& problem, double time_s) {
  RunRecord run;
  run.variant = variant.name;
  run.tile = variant.default_tile;
  run.problem = problem;
  run.environment = h200_environment();
  run.created_by = this_build();
  run.time = TimeSummary{
      time_s, 0.001 * time_s, 0.99 * time_s, 1.01 * time_s, 21, {0.998 * time_s, 1.002 * time_s},
      true};
  run.sm_clock_hz = 1.968e9;
  run.occupancy_blocks_per_sm = 1;
  run.correctness = Correctness{1e-5, 1e-7, 1e-3, true};
  return run;
}

/// "Measured" times: the analytic ones times a factor that depends on the variant alone.
std::vector<RunRecord> synthetic_runs(const DeviceProfile& profile) {
  const auto predictor = make_predictor("analytic", profile);
  std::vector<RunRecord> runs;
  for (std::int64_t size : {256, 512, 1024}) {
    const GemmProblem problem = make_problem(size, size, size);
    double factor = 1.05;
    for (const Variant& variant : variants()) {
      if (!variant.not_predicted.empty()) continue;
      const double time_s =
          predictor->time_s(variant.describe(variant.default_tile, problem), problem);
      runs.push_back(synthetic_run(variant, problem, factor * time_s));
      factor += 0.02;
    }
  }
  return runs;
}

}  // namespace

DataFixture::DataFixture() {
  namespace fs = std::filesystem;
  for (const char* name : {"splits.json", "suite.json", "claims.json"})
    fs::copy_file(std::string(ROOFTILE_SOURCE_DIR) + "/data/" + name, path(name));
  fs::create_directory(gpu_folder());
  const DeviceProfile profile = h200_profile();
  profile.save(gpu_folder() + "/profile.json");
  runs_ = synthetic_runs(profile);
  std::string lines;
  for (const RunRecord& run : runs_) lines += run.to_json().dump() + "\n";
  spill(gpu_folder() + "/runs-synthetic.jsonl", lines);
}

const DataFixture& data_fixture() {
  static const DataFixture fixture;
  return fixture;
}

ProcessResult DataFixture::run(const std::vector<std::string>& arguments,
                               ProcessOptions options) const {
  const Scratch empty;
  if (options.folder.empty()) options.folder = empty.folder();
  options.environment.push_back("ROOFTILE_DATA_DIR=" + folder());
  return rooftile_process(arguments, options);
}

}  // namespace rooftile::cli
