// Variants and runs to kernel descriptions, descriptions to predictions.
#include "cli/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/axes.hpp"
#include "cli/filter.hpp"
#include "cli/quantity.hpp"
#include "model/error.hpp"

namespace rooftile::cli {

namespace {

std::vector<std::string> predicted_names() {
  std::vector<std::string> names;
  for (const Variant& variant : variants())
    if (variant.not_predicted.empty()) names.emplace_back(variant.name);
  return names;
}

}  // namespace

std::vector<GemmProblem> asked_problems(const std::vector<std::string>& shapes) {
  std::vector<GemmProblem> problems = parse_shapes(shapes);
  if (const std::string hint = cubes_hint(shapes); !hint.empty()) print_note(hint);
  return problems;
}

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  for (const Variant& variant : variants()) names.emplace_back(variant.name);
  return names;
}

std::vector<const Variant*> select_variants(const std::vector<std::string>& names,
                                            const std::string& filter) {
  const std::vector<std::string> wanted =
      names.empty() ? predicted_names() : require_names(variant_names(), names, "--variant");
  std::vector<const Variant*> selected;
  for (const std::string& name : filter_names(wanted, filter, "--filter")) {
    selected.push_back(&require_variant(name));
    if (const auto why = selected.back()->not_predicted; !why.empty())
      throw InputError(fmt::format("--variant: {} is measured, never predicted: {}", name, why));
  }
  return selected;
}

std::optional<DescribedRun> describe_run(const RunRecord& run) {
  const Variant* variant = find_variant(run.variant);
  if (variant == nullptr || !variant->not_predicted.empty() || variant->illegal(run.tile) ||
      not_applicable(run.problem))
    return std::nullopt;
  KernelDescription kernel = variant->describe(run.tile, run.problem);
  if (run.resources.compiled) kernel.resources = run.resources;
  kernel.kernel_id = run.kernel_id;
  return DescribedRun{std::move(kernel), std::string(variant->family)};
}

std::set<KernelName> kernels_of(const std::vector<RunRecord>& runs) {
  std::set<KernelName> kernels;
  for (const RunRecord& run : runs)
    if (const auto described = describe_run(run))
      kernels.insert(kernel_name(described->kernel, run.problem));
  return kernels;
}

std::vector<std::unique_ptr<Predictor>> make_predictors(const std::vector<std::string>& names,
                                                        const ProfileInput& profile) {
  const bool all = std::find(names.begin(), names.end(), "all") != names.end();
  if (all) return available_predictors(profile);
  std::vector<std::unique_ptr<Predictor>> predictors;
  for (const std::string& name : require_names(predictor_names(), names, "--predictor"))
    predictors.push_back(make_predictor(name, profile.profile, profile.kernels));
  return predictors;
}

std::vector<std::unique_ptr<Predictor>> available_predictors(const ProfileInput& profile) {
  std::vector<std::unique_ptr<Predictor>> predictors;
  std::optional<MissingMetric> missing;
  for (const std::string& name : predictor_names()) {
    try {
      predictors.push_back(make_predictor(name, profile.profile, profile.kernels));
    } catch (const MissingMetric& error) {
      print_warning(fmt::format("predictor {} is left out: {}", name, error.what()));
      missing = error;
    }
  }
  if (predictors.empty() && missing) throw *missing;
  return predictors;
}

std::vector<Prediction> predict_runs(const Predictors& predictors,
                                     const std::vector<RunRecord>& runs) {
  std::vector<Prediction> predictions;
  for (const RunRecord& run : runs) {
    if (!run.time) continue;
    const std::optional<DescribedRun> described = describe_run(run);
    if (!described) continue;
    for (const auto& predictor : predictors) {
      try {
        predictions.push_back(predictor->explain(described->kernel, run.problem));
      } catch (const NoSass&) {
        continue;  // validate counts them
      }
    }
  }
  return predictions;
}

}  // namespace rooftile::cli
