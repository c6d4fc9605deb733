// rooftile predict: time, bound and terms of every variant on one or more problems.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/calibration.hpp"
#include "cli/changes.hpp"
#include "cli/command.hpp"
#include "cli/compiled.hpp"
#include "cli/inputs.hpp"
#include "cli/model_options.hpp"
#include "cli/output.hpp"
#include "cli/prediction.hpp"
#include "cli/problem_options.hpp"
#include "model/error.hpp"

namespace rooftile::cli {
namespace {

class Predict : public Command {
 public:
  void define(CLI::App& app) override {
    question_.define(app, ProblemOptions::Suites::taken);
    app.add_option("--tile", tile_, "Another tile than the variant's default: BM=64,BN=64,...")
        ->type_name("TILE");
    app.add_option("--predictor", predictors_, "roofline, analytic, sass or all")
        ->delimiter(',')
        ->capture_default_str()
        ->type_name("NAME...");
    app.add_flag("--explain", explain_,
                 "Terms, resources, bytes and inputs of each prediction, and what would change it");
    app.add_flag("--quick", quick_,
                 "Leave out input_interval, for which each is predicted some forty times");
    app.add_flag("--compile", compile_,
                 "Compile what no folder lists, so that sass can read it; needs no GPU");
    model_.define(app);
    document_.define(app, "prediction.json");
    output_.define(app);
  }

  int run() override {
    output_.check();
    document_.check(output_.replace());
    const Asked asked = ask();
    if (compile_) check_compile_serves(predictors_);
    ProfileInput profile = model_.load_profile();
    if (compile_) compile_lacking(profile, kernels_of(asked), output_.quiet);
    const auto predictors = make_predictors(predictors_, profile);
    if (explain_) fallback_ = changes_fallback(profile);
    std::vector<Prediction> predictions;
    for (const GemmProblem& problem : asked.problems)
      for (const Candidate& candidate : asked.kernels)
        add(predictions, candidate, problem, predictors);
    say_without_sass();
    if (predictions.empty())
      throw InputError(
          "--variant: none of the variants can be predicted on this problem; see the warnings");
    const Calibration calibration(predictors, profile, model_.what_if());
    for (Prediction& prediction : predictions) calibration.apply(prediction);
    report(predictions, profile, calibration);
    return exit_ok;
  }

 private:
  struct Candidate {
    const Variant* variant;
    Tile tile;
  };
  struct Asked {
    std::vector<GemmProblem> problems;
    std::vector<Candidate> kernels;
  };

  /// What a suite names, or else each variant with its default tile or the one given.
  Asked ask() const {
    const Suite suite = question_.named_suite(!tile_.empty());
    Asked asked{question_.problems(suite), {}};
    for (const Variant* variant : question_.selected(suite)) {
      for (const SweepKernel& kernel : suite.kernels)
        if (kernel.variant == variant->name)
          asked.kernels.push_back({variant, legal(*variant, kernel.tile, suite.path)});
      if (suite.kernels.empty()) asked.kernels.push_back({variant, tile_of(*variant)});
    }
    return asked;
  }

  void add(std::vector<Prediction>& predictions, const Candidate& candidate,
           const GemmProblem& problem, const Predictors& predictors) {
    const Variant& variant = *candidate.variant;
    if (const auto why = not_applicable(problem)) {
      print_warning(
          fmt::format("{} is left out on {}: {}", variant.name, shape_name(problem), *why));
      return;
    }
    const KernelDescription kernel = variant.describe(candidate.tile, problem);
    for (const auto& predictor : predictors) {
      try {
        predictions.push_back(quick_ ? predictor->explain(kernel, problem)
                                     : predictor->predict(kernel, problem));
        if (explain_) explain(predictions.back(), variant, kernel, *predictor);
      } catch (const NoSass& error) {
        without_sass_.push_back(
            fmt::format("{} is left out by sass: {}", variant.name, error.what()));
      }
    }
  }

  /// The first of them: a suite may name hundreds.
  void say_without_sass() const {
    constexpr std::size_t most_said = 3;
    const std::string hint = compile_ ? "" : "; --compile compiles what is not listed";
    for (std::size_t i = 0; i < std::min(most_said, without_sass_.size()); ++i)
      print_warning(without_sass_[i] + hint);
    if (without_sass_.size() > most_said)
      print_warning(fmt::format("and {} more are left out by sass{}",
                                without_sass_.size() - most_said, hint));
  }

  Tile tile_of(const Variant& variant) const {
    return legal(variant,
                 tile_.empty() ? variant.default_tile : parse_tile(tile_, variant.default_tile),
                 "--tile");
  }

  static Tile legal(const Variant& variant, const Tile& tile, const std::string& where) {
    if (const auto why = variant.illegal(tile))
      throw InputError(
          fmt::format("{}: {} cannot be {}: {}", where, variant.name, tile_name(tile), *why));
    return tile;
  }

  /// All that will be predicted: with --explain also what would change a prediction.
  std::set<KernelName> kernels_of(const Asked& asked) const {
    std::set<KernelName> kernels;
    for (const GemmProblem& problem : asked.problems)
      for (const auto& [variant, asked_tile] : asked.kernels) {
        if (not_applicable(problem)) continue;
        std::vector<Tile> tiles{asked_tile};
        if (explain_)
          for (const Tile& tile : changed_tiles(*variant, asked_tile)) tiles.push_back(tile);
        for (const Tile& tile : tiles)
          kernels.insert(kernel_name(variant->describe(tile, problem), problem));
      }
    return kernels;
  }

  void explain(Prediction& prediction, const Variant& variant, const KernelDescription& kernel,
               const Predictor& predictor) const {
    prediction.loop = predictor.loop_account(kernel, prediction.problem);
    prediction.changes =
        tile_changes(variant, prediction.tile, prediction.problem, predictor, fallback_.get());
  }

  void report(const std::vector<Prediction>& predictions, const ProfileInput& profile,
              const Calibration& calibration) const {
    Results results{predictions_file(predictions, this_build(), profile.profile.environment),
                    {prediction_table(predictions)},
                    profile.origin.notice};
    results.tables.front().notes = calibration.notes();
    if (explain_)
      for (const Prediction& prediction : predictions) {
        results.tables.push_back(explanation(prediction));
        for (ResultTable& table : loop_tables(prediction))
          results.tables.push_back(std::move(table));
        if (!prediction.changes.empty()) results.tables.push_back(changes_table(prediction));
      }
    document_.save(results);
    emit(results, output_);
  }

  std::vector<std::string> predictors_{"analytic"};
  std::string tile_;
  bool explain_ = false, compile_ = false, quick_ = false;
  std::vector<std::string> without_sass_;  // what it says of kernels that it has no code of
  std::unique_ptr<Predictor> fallback_;    // of changes to tiles that are not compiled
  ProblemOptions question_;
  ModelOptions model_;
  DocumentOptions document_;
  OutputOptions output_;
};

}  // namespace

const CommandEntry predict_command{
    "predict",
    "predict how fast each GEMM variant runs, and why",
    "Predicts time, bound and the terms that add up to the time, from a device profile alone. "
    "Needs "
    "no GPU.",
    {"rooftile predict --shape 4096x4096x4096 --explain",
     "rooftile predict --shape 4Ki --variant warp_tile --predictor all",
     "rooftile predict --shape 4096 --variant warp_tile --tile BM=64 --predictor sass --compile",
     "rooftile predict --shape 4096 --set dram.bandwidth.read=2x --json -",
     "rooftile predict --suite landscape.json --shape 2048 --quick --csv tiles.csv",
     "rooftile predict --shape \"M=[1024:8192:1024] N=4096 K=4096\" --csv predicted.csv"},
    make_command<Predict>};

}  // namespace rooftile::cli
