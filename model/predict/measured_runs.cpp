#include "model/predict/measured_runs.hpp"

#include <fmt/core.h>

#include "model/record/libraries.hpp"

namespace rooftile {

std::vector<MeasuredRun> measured_runs(std::span<const RunRecord> runs, const Splits& splits,
                                       const DescribeRun& describe,
                                       std::map<std::string, double>& cublas,
                                       std::vector<std::string>& skipped) {
  std::map<std::string, const RunRecord*> latest;
  for (const RunRecord& run : runs) latest[run_key(run)] = &run;
  std::vector<MeasuredRun> result;
  for (const auto& [key, run] : latest) {
    const bool timed = run->time && run->time->median > 0;
    if (run->state != State::ok || !timed) {
      skipped.push_back(fmt::format("{}: {} {}", key, to_string(run->state), run->reason));
    } else if (run->cache != CacheState::hot) {
      skipped.push_back(key + ": cold cache is not predicted");
    } else if (run->variant == cublas_name) {
      cublas[shape_name(run->problem)] = run->time->median;
    } else if (is_library(run->variant)) {
      skipped.push_back(key + ": of a library, which is not predicted");
    } else if (auto described = describe(*run)) {
      if (run->resources.compiled) described->kernel.resources = run->resources;
      described->kernel.kernel_id = run->kernel_id;
      result.push_back({{std::move(described->kernel), run->problem, run->time->median},
                        splits.split_of(run->problem, described->family)});
    } else {
      skipped.push_back(key + ": no description of this variant");
    }
  }
  return result;
}

ErrorCase case_of(const Predictor& predictor, const MeasuredRun& measured) {
  ErrorCase c;
  c.predictor = predictor.name();
  c.variant = measured.run.kernel.variant;
  c.tile = tile_name(measured.run.kernel.tile);
  c.shape = shape_name(measured.run.problem);
  c.split = measured.split;
  c.measured_s = measured.run.measured_s;
  return c;
}

}  // namespace rooftile
