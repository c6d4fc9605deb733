// rooftile validate: predictions beside measured runs, and accuracy gates.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/compiled.hpp"
#include "cli/model_options.hpp"
#include "cli/prediction.hpp"
#include "cli/threshold.hpp"
#include "cli/validate_stage.hpp"

namespace rooftile::cli {
namespace {

class Validate : public Command {
 public:
  void define(CLI::App& app) override {
    inputs_.define(app);
    app.add_flag("--ablate", ablate_,
                 "Also the errors with each part of the model taken out, one at a time");
    CLI::Option* from_tiles =
        app.add_flag("--from-tiles", from_tiles_,
                     "Predict each run from its tile alone, as tune does: registers are estimated");
    app.add_flag("--compile", compile_,
                 "Compile the kernels of the runs that no folder lists, so that sass can read "
                 "them; needs no GPU")
        ->excludes(from_tiles);
    app.add_option("--predictions", stated_,
                   "Judge these predictions, which were stated before, and make none")
        ->type_name("FILE...")
        ->excludes("--ablate")
        ->excludes("--from-tiles")
        ->excludes("--compile");
    app.add_option("--fail-above", above_, "Exit 1 when a figure is above the limit (a fraction)")
        ->type_name("FIGURE=LIMIT...");
    app.add_option("--fail-below", below_, "Exit 1 when a figure is below the limit")
        ->type_name("FIGURE=LIMIT...");
    document_.define(app, "validation.json");
    output_.define(app);
  }

  int run() override {
    output_.check();
    document_.check(output_.replace());
    const std::vector<Threshold> thresholds = parse_thresholds();
    auto [profile, runs] = inputs_.load();
    if (compile_) compile_lacking(profile, kernels_of(runs.runs), output_.quiet);
    const ValidationReport report =
        stated_.empty()
            ? validate_inputs(profile, runs, ablate_, from_tiles_ ? Known::tile : Known::compiled)
            : validate_stated_files(stated_, profile, runs);
    const Results results = validation_results(report, notice(joint_notice(profile, runs)));
    document_.save(results);
    emit(results, output_);
    const std::vector<std::string> failures = crossed(report, thresholds);
    for (const std::string& failure : failures) print_error(failure);
    return failures.empty() ? exit_ok : exit_failed;
  }

 private:
  /// With what the figures cannot tell by themselves.
  std::string notice(const std::string& inputs) const {
    const std::string how = from_tiles_       ? "predicted from tiles alone"
                            : stated_.empty() ? ""
                                              : "predictions stated before";
    return fmt::format("{}{}{}", inputs, inputs.empty() || how.empty() ? "" : "; ", how);
  }

  std::vector<Threshold> parse_thresholds() const {
    std::vector<Threshold> thresholds;
    for (const std::string& text : above_)
      thresholds.push_back(parse_threshold(text, "--fail-above", true));
    for (const std::string& text : below_)
      thresholds.push_back(parse_threshold(text, "--fail-below", false));
    return thresholds;
  }

  bool ablate_ = false, from_tiles_ = false, compile_ = false;
  std::vector<std::string> above_, below_, stated_;
  MeasuredOptions inputs_;
  DocumentOptions document_;
  OutputOptions output_;
};

}  // namespace

const CommandEntry validate_command{
    "validate",
    "compare predictions with measured runs; gate on accuracy",
    "Compares every predictor with the measured runs: MAPE, bias, percentiles, rank correlation, "
    "regret. Needs no GPU.",
    {"rooftile validate", "rooftile validate --profile profile.json --runs runs.jsonl",
     "rooftile validate --fail-above sass.dev.mape=0.1 --fail-below sass.dev.kendall_tau_b=0.7",
     "rooftile validate --from-tiles --runs landscape.jsonl",
     "rooftile validate --compile --runs landscape.jsonl",
     "rooftile validate --predictions prediction.json --runs runs.jsonl",
     "rooftile validate --ablate --md validation.md", "rooftile validate --json - --quiet"},
    make_command<Validate>};

}  // namespace rooftile::cli
