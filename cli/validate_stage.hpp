// Validation and report as stages that `run`, `validate` and `report` share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/inputs.hpp"
#include "cli/output.hpp"
#include "cli/prediction.hpp"
#include "model/record/validation.hpp"
#include "report/report.hpp"

namespace rooftile::cli {

/// What is known of a kernel before its time: its tile alone, so that its registers are estimated,
/// as a search has it; or also the resources and the code that it was compiled to.
enum class Known { tile, compiled };

/// Predictions beside the runs, by the splits of the data directory; with `ablate` also the errors
/// without each part of the model.
ValidationReport validate_inputs(const ProfileInput& profile, const RunsInput& runs,
                                 bool ablate = false, Known known = Known::compiled);

/// Predictions of `files` (prediction.json), which were stated before, beside the runs. Throws
/// InputError where they hold none of the runs.
ValidationReport validate_stated_files(const std::vector<std::string>& files,
                                       const ProfileInput& profile, const RunsInput& runs);

/// What `rooftile validate` prints: the figures by predictor and split, by variant and by bound,
/// the ablation where there is one, baselines, the worst cases. The first table
/// holds every figure, for CSV; an ablation takes its place there.
Results validation_results(const ValidationReport& report, const std::string& notice);

/// All that the page shows: predictions of the runs, texts of the variants, claims of the data
/// directory where it has them. `sources` pairs each input file with the command that made it.
/// The outlook is left empty.
ReportInput report_input(const ProfileInput& profile, const Predictors& predictors,
                         const RunsInput& runs, const ValidationReport& validation);

/// Writes the page; `landscape` is the option for find_landscape(): where it is empty, a file that
/// cannot be used is left out with a warning.
ReportOutput write_page(const ProfileInput& profile, const RunsInput& runs,
                        const ValidationReport& validation, const std::string& folder,
                        const std::string& landscape = "");

/// The notice of inputs that belong together.
std::string joint_notice(const ProfileInput& profile, const RunsInput& runs);

}  // namespace rooftile::cli
