// From the registry of variants to predictions: selecting variants and tiles, describing measured
// runs, running predictors over them.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/inputs.hpp"
#include "cli/output.hpp"
#include "gemm/variant.hpp"
#include "model/predict/predictor.hpp"
#include "model/predict/validate.hpp"

namespace rooftile::cli {

/// The problems of --shape; says on stderr where three sizes may have been meant as one problem.
/// Throws InputError.
std::vector<GemmProblem> asked_problems(const std::vector<std::string>& shapes);

/// Variants named by `names` (all that are predicted when empty) whose name matches `filter`.
/// Throws InputError, also for one that is never predicted.
std::vector<const Variant*> select_variants(const std::vector<std::string>& names,
                                            const std::string& filter);
std::vector<std::string> variant_names();

/// Description and family of a measured kernel, with the compiled resources where the run has
/// them; nullopt for kernels that are never predicted (libraries, variants that say so or that this
/// build does not know).
std::optional<DescribedRun> describe_run(const RunRecord& run);

/// The kernels of the runs that describe_run() describes.
std::set<KernelName> kernels_of(const std::vector<RunRecord>& runs);

/// Predictors named by `names`; "all" stands for every available one. Throws InputError,
/// MissingMetric.
std::vector<std::unique_ptr<Predictor>> make_predictors(const std::vector<std::string>& names,
                                                        const ProfileInput& profile);

/// Every predictor that the profile can feed; the others are said on stderr. Throws MissingMetric
/// when there is none.
std::vector<std::unique_ptr<Predictor>> available_predictors(const ProfileInput& profile);

using Predictors = std::vector<std::unique_ptr<Predictor>>;

/// Predictions of all `predictors` for all runs that have a time and a description; those of sass
/// only where the compiled kernel is at hand. Without the interval of the inputs.
std::vector<Prediction> predict_runs(const Predictors& predictors,
                                     const std::vector<RunRecord>& runs);

/// One line each: variant, tile, time, speed, bound and what limits it.
ResultTable prediction_table(const std::vector<Prediction>& predictions);
/// Where the cycles of the compiled main loop go: by cause, and the costliest instructions.
std::vector<ResultTable> loop_tables(const Prediction& prediction);
/// What another choice of the tile would change.
ResultTable changes_table(const Prediction& prediction);
/// Terms that add up, resources, bytes and inputs of one prediction.
ResultTable explanation(const Prediction& prediction);

}  // namespace rooftile::cli
