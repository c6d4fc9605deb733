#include "cli/calibration.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/output.hpp"
#include "model/error.hpp"
#include "model/predict/conformal.hpp"
#include "model/predict/measured_runs.hpp"
#include "model/predict/summarize.hpp"
#include "model/record/data_path.hpp"
#include "model/record/splits.hpp"

namespace rooftile::cli {
namespace {

/// Nothing that is wrong with them keeps a prediction from being made.
std::optional<RunsInput> usable_runs(const ProfileInput& profile) {
  try {
    return find_runs_if_any(profile);
  } catch (const InputError& error) {
    print_warning(fmt::format("predictions go without prediction_interval: {}", error.what()));
    return std::nullopt;
  }
}

/// Of kernels that are as they come: other tiles go wrong by more.
std::vector<MeasuredRun> calibrating_runs(const ProfileInput& profile) {
  const auto runs = usable_runs(profile);
  if (!runs) return {};
  std::map<std::string, double> cublas;
  std::vector<std::string> skipped;
  std::vector<MeasuredRun> measured = measured_runs(
      runs->runs, Splits::load(data_path("splits.json")), describe_run, cublas, skipped);
  std::erase_if(measured, [](const MeasuredRun& run) {
    return run.split != "dev" ||
           run.run.kernel.tile != require_variant(run.run.kernel.variant).default_tile;
  });
  return measured;
}

}  // namespace

Calibration::Calibration(const Predictors& predictors, const ProfileInput& profile, bool what_if)
    : gpu_name_(profile.profile.environment.gpu_name) {
  if (what_if) return;
  const std::vector<MeasuredRun> measured = calibrating_runs(profile);
  for (const auto& predictor : predictors)
    for (const MeasuredRun& run : measured) {
      try {
        const double time_s = predictor->time_s(run.run.kernel, run.run.problem);
        pairs_[std::string(predictor->name())].push_back(
            {shape_name(run.run.problem), conformal_score(time_s, run.run.measured_s)});
      } catch (const InputError&) {
        continue;  // validate says which and why
      }
    }
}

void Calibration::apply(Prediction& prediction) const {
  const auto found = pairs_.find(prediction.predictor);
  if (found == pairs_.end() || prediction.tile != require_variant(prediction.variant).default_tile)
    return;
  std::vector<double> scores;
  for (const Pair& pair : found->second)
    if (pair.shape != shape_name(prediction.problem)) scores.push_back(pair.score);
  if (const auto calibrated = calibrate(scores, interval_coverage_goal))
    prediction.prediction_interval = conformal_interval(*calibrated, prediction.time_s);
}

std::vector<std::string> Calibration::notes() const {
  std::vector<std::string> notes;
  for (const auto& [name, pairs] : pairs_) {
    std::vector<double> scores;
    for (const Pair& pair : pairs) scores.push_back(pair.score);
    const auto calibrated = calibrate(scores, interval_coverage_goal);
    if (!calibrated) continue;
    const Interval factors = conformal_interval(*calibrated, 1);
    notes.push_back(fmt::format(
        "{}: of {} pairs measured on {} {:.0f} in 100 took {:.2f} to {:.2f} times what "
        "it says",
        name, calibrated->n, gpu_name_, 100 * interval_coverage_goal, factors.lo, factors.hi));
  }
  return notes;
}

}  // namespace rooftile::cli
