// Tables of a validation, and the gathering of all that the page needs.
#include "cli/validate_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "cli/outlook.hpp"
#include "cli/prediction.hpp"
#include "cli/quantity.hpp"
#include "model/error.hpp"
#include "model/predict/ablate.hpp"
#include "model/record/data_path.hpp"
#include "model/record/splits.hpp"

namespace rooftile::cli {
namespace {

Cell optional_cell(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

std::vector<Column> figure_columns(const std::string& key_header, const std::string& key) {
  return {{"predictor", "predictor", ""},
          {key_header, key, ""},
          {"n", "n", "count"},
          {"MAPE", "mape", "percent"},
          {"bias", "bias", "percent"},
          {"p50", "p50", "percent"},
          {"p95", "p95", "percent"},
          {"max", "max", "percent"},
          {"tau-b", "kendall_tau_b", "1"},
          {"regret", "regret_top1", "percent"},
          {"top-5", "regret_top5", "percent"}};
}

std::vector<Cell> figure_row(const std::string& predictor, const std::string& key,
                             const ErrorSummary& s) {
  return {predictor,
          key,
          static_cast<double>(s.n),
          s.mape,
          s.bias,
          s.p50,
          s.p95,
          s.max,
          optional_cell(s.kendall_tau_b),
          optional_cell(s.regret_top1),
          optional_cell(s.regret_top5)};
}

using Grouped = std::map<std::string, std::map<std::string, ErrorSummary>>;

ResultTable grouped_table(const std::string& title, const std::string& header,
                          const Grouped& groups) {
  ResultTable table{title, figure_columns(header, header), {}, {}};
  for (const auto& [predictor, summaries] : groups)
    for (const auto& [key, summary] : summaries)
      table.rows.push_back(figure_row(predictor, key, summary));
  return table;
}

std::vector<Column> ablation_columns() {
  return {{"predictor", "predictor", ""},
          {"without", "without", ""},
          {"n", "n", "count"},
          {"MAPE", "mape", "percent"},
          {"bias", "bias", "percent"},
          {"tau-b", "kendall_tau_b", "1"},
          {"regret", "regret_top1", "percent"},
          {"worse", "worse", ""}};
}

/// A baseline that only chooses (random, a fixed tile) has a regret but predicts no time.
std::vector<Cell> baseline_row(const std::string& name, const ErrorSummary& summary) {
  std::vector<Cell> row = figure_row(name, "baseline", summary);
  if (summary.max == 0) std::fill(row.begin() + 3, row.begin() + 8, Cell());
  return row;
}

ResultTable baselines_table(const ValidationReport& report) {
  ResultTable table{"baselines on the same runs", figure_columns("of", "of"), {}, {}};
  for (const auto& [name, summary] : report.baselines)
    table.rows.push_back(baseline_row(name, summary));
  table.notes.emplace_back("'-': a choice without a predicted time; n then counts shapes");
  return table;
}

/// Figures in the words of the columns; the whole model has none.
std::string worse_text(const AblationCase& c) {
  if (c.worse.empty()) return c.without == whole_model ? "" : "nothing";
  const std::vector<Column> columns = ablation_columns();
  std::vector<std::string> headers;
  for (const Column& column : columns)
    if (std::find(c.worse.begin(), c.worse.end(), column.key) != c.worse.end())
      headers.push_back(column.header);
  return fmt::format("{}", fmt::join(headers, ", "));
}

ResultTable ablation_table(const ValidationReport& report) {
  ResultTable table{"each part of the model taken out alone (dev)", ablation_columns(), {}, {}};
  for (const AblationCase& c : report.ablation) {
    const ErrorSummary& s = c.summary;
    table.rows.push_back({c.predictor, c.without, static_cast<double>(s.n), s.mape, s.bias,
                          optional_cell(s.kendall_tau_b), optional_cell(s.regret_top1),
                          worse_text(c)});
  }
  for (const PartInfo& part : model_parts())
    table.notes.push_back(fmt::format("without {}: {}", part.name, part.without));
  return table;
}

ResultTable worst_table(const ValidationReport& report) {
  ResultTable table{"worst cases",
                    {{"predictor", "predictor", ""},
                     {"variant", "variant", ""},
                     {"tile", "tile", ""},
                     {"shape", "shape", ""},
                     {"predicted", "predicted", "s"},
                     {"measured", "measured", "s"},
                     {"error", "error", "percent"},
                     {"bound", "bound", ""}},
                    {},
                    {}};
  constexpr std::size_t shown = 10;
  for (const ErrorCase& c : report.worst)
    if (table.rows.size() < shown)
      table.rows.push_back({c.predictor, c.variant, c.tile, c.shape, c.predicted_s, c.measured_s,
                            c.error(), c.bound});
  return table;
}

ProfileInput without_code(ProfileInput profile) {
  profile.kernels = nullptr;
  return profile;
}

RunsInput without_code(RunsInput runs) {
  for (RunRecord& run : runs.runs) {
    run.resources = {};
    run.kernel_id.clear();
  }
  return runs;
}

std::vector<RunRecord> with_sealed(const RunsInput& runs) {
  std::vector<RunRecord> all = runs.runs;
  all.insert(all.end(), runs.sealed.begin(), runs.sealed.end());
  return all;
}

Landscape landscape_of(const ProfileInput& profile, const RunsInput& runs) {
  // Neither asks sass, which has listings of few of these kernels.
  return {validate_inputs(profile, runs, false, Known::tile),
          validate_inputs(without_code(profile), runs), runs.origin.recorded};
}

void add_sources(const RunsInput& runs, ReportInput& input) {
  for (const std::string& file : runs.origin.files)
    input.sources.emplace_back(file, runs.runs.front().environment.command_line);
}

/// `option` is that of find_landscape(). A file that nobody asked for and that cannot be used is
/// left out.
void add_landscape(const std::string& option, const ProfileInput& profile, const RunsInput& runs,
                   ReportInput& input) {
  try {
    const std::optional<RunsInput> tiles = find_landscape(option, profile, runs);
    if (!tiles) return;
    input.landscape = landscape_of(profile, *tiles);
    add_sources(*tiles, input);
  } catch (const std::runtime_error& error) {
    if (!option.empty()) throw;
    print_warning(fmt::format("{}; the page goes without measured tiles", error.what()));
  }
}

/// Counts of equal reasons, so that a thousand sealed pairs take one line.
std::vector<std::string> skipped_notes(const ValidationReport& report) {
  if (report.skipped.empty()) return {};
  std::vector<std::string> notes{fmt::format("left out: {} runs, such as", report.skipped.size())};
  for (std::size_t i = 0; i < report.skipped.size() && i < 3; ++i)
    notes.push_back("  " + report.skipped[i]);
  return notes;
}

}  // namespace

ValidationReport validate_inputs(const ProfileInput& profile, const RunsInput& runs, bool ablate,
                                 Known known) {
  if (known == Known::tile) {
    ValidationReport report = validate_inputs(without_code(profile), without_code(runs), ablate);
    report.without_sass.clear();  // withheld, not missing
    return report;
  }
  const Splits splits = Splits::load(data_path("splits.json"));
  ValidationReport report =
      validate(profile.profile, with_sealed(runs), splits, describe_run, profile.kernels);
  if (report.cases.empty())
    throw InputError(fmt::format("{}: not one run can be compared with a prediction{}{}",
                                 fmt::join(runs.origin.files, ", "),
                                 report.skipped.empty() ? "" : ", e.g. ",
                                 report.skipped.empty() ? "" : report.skipped.front()));
  if (ablate)
    report.ablation =
        rooftile::ablate(profile.profile, runs.runs, splits, describe_run, profile.kernels);
  return report;
}

ValidationReport validate_stated_files(const std::vector<std::string>& files,
                                       const ProfileInput& profile, const RunsInput& runs) {
  std::vector<Prediction> stated;
  for (const std::string& file : files)
    for (Prediction& prediction : load_predictions(file)) stated.push_back(std::move(prediction));
  const Splits splits = Splits::load(data_path("splits.json"));
  ValidationReport report =
      validate_stated(stated, profile.profile, with_sealed(runs), splits, describe_run);
  if (report.cases.empty())
    throw InputError(fmt::format("--predictions: {}: not one run of {} is among the predictions",
                                 fmt::join(files, ", "), fmt::join(runs.origin.files, ", ")));
  return report;
}

Results validation_results(const ValidationReport& report, const std::string& notice) {
  Results results{report.to_json(), {}, notice};
  ResultTable main = grouped_table("predicted against measured (errors in % of the measured time)",
                                   "split", report.predictors);
  main.notes = skipped_notes(report);
  if (!report.without_sass.empty())
    main.notes.push_back(fmt::format("sass: {} pairs without SASS, such as {}",
                                     report.without_sass.size(), report.without_sass.front()));
  main.notes.push_back(fmt::format("{} parameters fitted to GEMM times", report.fitted_parameters));
  results.tables = {main,
                    grouped_table("all predictors on the pairs that each of them predicts", "split",
                                  report.common),
                    grouped_table("by variant (dev)", "variant", report.by_variant),
                    grouped_table("by bound (dev)", "bound", report.by_bound),
                    ablation_table(report),
                    baselines_table(report),
                    worst_table(report)};
  if (!report.ablation.empty()) results.csv = ablation_table(report);
  results.tables.erase(std::remove_if(results.tables.begin() + 1, results.tables.end(),
                                      [](const ResultTable& table) { return table.rows.empty(); }),
                       results.tables.end());
  return results;
}

ReportInput report_input(const ProfileInput& profile, const Predictors& predictors,
                         const RunsInput& runs, const ValidationReport& validation) {
  ReportInput input;
  input.profile = profile.profile;
  input.runs = runs.runs;
  input.predictions = predict_runs(predictors, runs.runs);
  input.validation = validation;
  const std::string claims = data_directory() + "/claims.json";
  if (std::filesystem::exists(claims)) input.claims = Claims::load(claims);
  for (const Variant& v : variants())
    input.variants.push_back(
        {std::string(v.name), std::string(v.title), std::string(v.idea), v.rung, v.default_tile});
  for (const std::string& file : profile.origin.files)
    input.sources.emplace_back(file, profile.profile.environment.command_line);
  add_sources(runs, input);
  input.recorded = profile.origin.recorded || runs.origin.recorded;
  return input;
}

ReportOutput write_page(const ProfileInput& profile, const RunsInput& runs,
                        const ValidationReport& validation, const std::string& folder,
                        const std::string& landscape) {
  const Predictors predictors = available_predictors(profile);
  ReportInput input = report_input(profile, predictors, runs, validation);
  input.outlook = outlook_of(predictors);
  add_landscape(landscape, profile, runs, input);
  return write_report(input, folder);
}

std::string joint_notice(const ProfileInput& profile, const RunsInput& runs) {
  if (profile.origin.notice.empty()) return runs.origin.notice;
  return profile.origin.notice;
}

}  // namespace rooftile::cli
