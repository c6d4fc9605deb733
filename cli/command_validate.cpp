// rooftile validate: predictions beside measured runs, and accuracy gates.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/model_options.hpp"
#include "cli/threshold.hpp"
#include "cli/validate_stage.hpp"

namespace rooftile::cli {
namespace {

class Validate : public Command {
 public:
  void define(CLI::App& app) override {
    model_.define(app);
    app.add_option("--runs", runs_, "Measured runs (default: ./runs.jsonl, recorded data)")
        ->type_name("FILE...")
        ->group("Model");
    app.add_option("--fail-above", above_, "Exit 1 when a figure is above the limit (a fraction)")
        ->type_name("FIGURE=LIMIT...");
    app.add_option("--fail-below", below_, "Exit 1 when a figure is below the limit")
        ->type_name("FIGURE=LIMIT...");
    app.add_option("--output", output_file_, "Also write the JSON here, e.g. validation.json")
        ->type_name("FILE")
        ->group("Output");
    app.add_flag("--force", force_, "Overwrite an existing --output")->group("Output");
    output_.define(app);
  }

  int run() override {
    output_.check();
    const std::vector<Threshold> thresholds = parse_thresholds();
    const ProfileInput profile = model_.load_profile();
    const RunsInput runs = find_runs(runs_, profile);
    const ValidationReport report = validate_inputs(profile, runs);
    const Results results = validation_results(report, joint_notice(profile, runs));
    if (!output_file_.empty()) save_document(results, output_file_, force_);
    emit(results, output_);
    const std::vector<std::string> failures = crossed(report, thresholds);
    for (const std::string& failure : failures) print_error(failure);
    return failures.empty() ? exit_ok : exit_failed;
  }

 private:
  std::vector<Threshold> parse_thresholds() const {
    std::vector<Threshold> thresholds;
    for (const std::string& text : above_)
      thresholds.push_back(parse_threshold(text, "--fail-above", true));
    for (const std::string& text : below_)
      thresholds.push_back(parse_threshold(text, "--fail-below", false));
    return thresholds;
  }

  std::vector<std::string> runs_, above_, below_;
  std::string output_file_;
  bool force_ = false;
  ModelOptions model_;
  OutputOptions output_;
};

}  // namespace

const CommandEntry validate_command{
    "validate",
    "compare predictions with measured runs; gate on accuracy",
    "Compares every predictor with the measured runs: MAPE, bias, percentiles, rank correlation, "
    "regret. Needs no GPU.",
    {"rooftile validate", "rooftile validate --profile profile.json --runs runs.jsonl",
     "rooftile validate --fail-above analytic.dev.mape=0.2 --fail-below "
     "analytic.dev.kendall_tau_b=0.8",
     "rooftile validate --json - --quiet"},
    make_command<Validate>};

}  // namespace rooftile::cli
