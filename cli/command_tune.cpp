// rooftile tune: the best tiles for a problem, by branch and bound over every legal tile.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/command.hpp"
#include "cli/compiled.hpp"
#include "cli/device_options.hpp"
#include "cli/inputs.hpp"
#include "cli/measure_stage.hpp"
#include "cli/model_options.hpp"
#include "cli/output.hpp"
#include "cli/prediction.hpp"
#include "cli/problem_options.hpp"
#include "cli/quantity.hpp"
#include "cli/second_look.hpp"
#include "cli/tile_search.hpp"
#include "model/error.hpp"
#include "model/record/data_path.hpp"
#include "model/record/splits.hpp"

namespace rooftile::cli {
namespace {

constexpr std::size_t most_shown = 1000;

struct Measured {
  std::size_t place;  ///< among the top
  RunRecord run;
};

struct Tuned : TileSearch {
  std::vector<Measured> measured;
};

void add_tie_note(const Tuned& tuned, ResultTable& table) {
  if (tuned.ties <= 1) return;
  std::string note =
      fmt::format("the first {} lie within the uncertainty of the profile: a tie", tuned.ties);
  if (tuned.ties > tuned.top.size() && tuned.ties <= most_shown)
    note += fmt::format("; --top {} shows all", tuned.ties);
  table.notes.push_back(std::move(note));
}

ResultTable tuned_table(const Tuned& tuned, const std::string& first_predictor) {
  ResultTable table{fmt::format("best tiles for {} by {}", shape_name(tuned.problem),
                                tuned.top.front().predictor),
                    {{"rank", "rank", ""},
                     {"variant", "variant", ""},
                     {"tile", "tile", ""},
                     {"time", "time", "s"},
                     {"speed", "speed", "flop/s"},
                     {"bound", "bound", ""},
                     {"occupancy", "occupancy", "percent"},
                     {"waves", "waves", "1"},
                     {"shape", "shape", ""}},
                    {},
                    {}};
  if (!tuned.first_places.empty()) table.columns.push_back({"first rank", "first_rank", "count"});
  for (std::size_t i = 0; i < tuned.top.size(); ++i) {
    const Prediction& p = tuned.top[i];
    table.rows.push_back(
        {i < tuned.ties ? std::string("1") + (tuned.ties > 1 ? "=" : "") : std::to_string(i + 1),
         p.variant, tile_name(p.tile), p.time_s, p.flops(), std::string(to_string(p.bound)),
         p.occupancy, p.waves, shape_name(p.problem)});
    if (!tuned.first_places.empty())
      table.rows.back().push_back(static_cast<double>(tuned.first_places[i]));
  }
  table.notes.push_back(fmt::format("{} legal tiles, {} evaluated, {} pruned by the roofline bound",
                                    tuned.search.considered, tuned.search.ranked.size(),
                                    tuned.search.pruned));
  if (tuned.search.without_sass > 0)
    table.notes.back() += fmt::format(", {} without a listing to read", tuned.search.without_sass);
  if (tuned.by_code > 0)
    table.notes.push_back(
        fmt::format("{} of them were compiled and ranked by sass, from their machine code; first "
                    "rank is their place by {}",
                    tuned.by_code, first_predictor));
  add_tie_note(tuned, table);
  if (tuned.measured.empty())
    table.notes.push_back(
        fmt::format("predicted, not measured: `rooftile validate` says how far off predictions "
                    "bound by {} are",
                    to_string(tuned.top.front().bound)));
  return table;
}

ResultTable measured_table(const Tuned& tuned) {
  ResultTable table{fmt::format("measured on {}", shape_name(tuned.problem)),
                    {{"variant", "variant", ""},
                     {"tile", "tile", ""},
                     {"predicted", "predicted", "s"},
                     {"measured", "measured", "s"},
                     {"state", "state", ""},
                     {"reason", "reason", ""}},
                    {},
                    {}};
  for (const auto& [place, run] : tuned.measured)
    table.rows.push_back({run.variant, tile_name(run.tile), tuned.top[place].time_s,
                          run.time ? Cell(run.time->median) : Cell(),
                          std::string(to_string(run.state)), run.reason});
  return table;
}

class Tune : public Command {
 public:
  void define(CLI::App& app) override {
    question_.define(app);
    app.add_option("--predictor", predictor_, "The predictor whose optimum is sought")
        ->capture_default_str()
        ->type_name("NAME");
    app.add_option("--top", top_, "How many tiles to show")
        ->check(CLI::Range(std::size_t{1}, most_shown))
        ->capture_default_str()
        ->type_name("N");
    app.add_flag("--explain", explain_, "Terms, resources, bytes and inputs of each shown tile");
    app.add_option("--compile", compile_,
                   "Compile N of the best and rank them by sass, from their machine code; needs no "
                   "GPU")
        ->check(CLI::Range(std::size_t{1}, most_shown))
        ->type_name("N");
    define_measuring(app);
    model_.define(app);
    output_.define(app);
  }

  int run() override {
    output_.check();
    if (measure_ > 0) check_output_path(runs_file_, output_.replace(), "--output");
    if (predictor_ == "all")
      throw InputError("--predictor: a search follows one predictor; name it, e.g. analytic");
    if (compile_ > 0 && predictor_ == "sass")
      throw InputError(
          "--compile: sass ranks anew what another predictor found; leave --predictor at analytic");
    const auto selected = question_.selected();
    const auto problems = question_.problems();
    ProfileInput profile = model_.load_profile();
    const auto evaluator = std::move(make_predictors({predictor_}, profile).front());
    const auto roofline = make_predictor("roofline", profile.profile);
    std::vector<Tuned> all;
    for (const GemmProblem& problem : problems)
      all.push_back(
          {search_tiles(problem, selected, *roofline, *evaluator, shown(), compile_ == 0), {}});
    if (compile_ > 0) look_again(all, profile);
    const bool measured_all = measure_ == 0 || measure_top(all);
    report(all, profile);
    return measured_all ? exit_ok : exit_failed;
  }

 private:
  void define_measuring(CLI::App& app) {
    app.add_option("--measure", measure_, "Also measure the first N")
        ->check(CLI::Range(std::size_t{1}, most_shown))
        ->type_name("N")
        ->group("Measuring");
    device_.define(app);
    device_.define_counters(app);
    app.add_option("--output", runs_file_, "Where --measure writes its runs")
        ->capture_default_str()
        ->type_name("FILE")
        ->group("Measuring");
  }

  std::size_t shown() const { return std::max(top_, measure_); }

  /// A round's kernels of all problems are compiled together.
  void look_again(std::vector<Tuned>& all, ProfileInput& profile) const {
    make_predictor("sass", profile.profile);  // what the profile lacks is said before compiling
    std::vector<SecondLook> looks;
    for (Tuned& tuned : all) looks.emplace_back(tuned, compile_);
    for (std::size_t round = 0; round < SecondLook::rounds; ++round) {
      std::set<KernelName> kernels;
      for (SecondLook& look : looks) kernels.merge(look.next_round());
      compile_lacking(profile, kernels, output_.quiet);
      const auto sass = make_predictor("sass", profile.profile, profile.kernels);
      for (SecondLook& look : looks) look.read(*sass);
    }
    for (SecondLook& look : looks) look.finish(shown());
  }

  std::size_t measured_of(const Tuned& tuned) const { return std::min(tuned.top.size(), measure_); }

  /// The leading tiles but those of the sealed split; where they stand goes to `all`.
  SweepPlan measuring_plan(std::vector<Tuned>& all) const {
    const Splits splits = Splits::load(data_path("splits.json"));
    SweepPlan plan;
    for (Tuned& tuned : all)
      for (std::size_t i = 0; i < measured_of(tuned); ++i) {
        const Prediction& p = tuned.top[i];
        if (splits.is_sealed(tuned.problem, std::string(require_variant(p.variant).family))) {
          ++plan.sealed_left_out;
          continue;
        }
        tuned.measured.push_back({i, {}});
        plan.cells.push_back(
            {p.variant, p.tile, tuned.problem, CacheState::hot, SampleOptions{}.wall_cap_s});
      }
    if (plan.cells.empty())
      throw InputError("--measure: every pair asked for is sealed (data/splits.json)");
    return plan;
  }

  /// Measures the leading tiles; false when not one of them has a time.
  bool measure_top(std::vector<Tuned>& all) const {
    const SweepPlan plan = measuring_plan(all);
    say_plan(plan, false);
    const std::unique_ptr<GemmRunner> runner = device_.gemm_runner();
    MeasureOutcome outcome =
        measure(*runner, plan, runs_file_, existing_log(false, output_.replace()), SampleOptions{},
                output_.quiet);
    auto next = outcome.runs.begin();
    for (Tuned& tuned : all)
      for (Measured& measured : tuned.measured) measured.run = *next++;
    return std::any_of(outcome.runs.begin(), outcome.runs.end(),
                       [](const RunRecord& run) { return run.time.has_value(); });
  }

  void report(const std::vector<Tuned>& all, const ProfileInput& profile) const {
    std::vector<Prediction> predictions;
    Results results{Json::object(), {}, profile.origin.notice};
    for (const Tuned& tuned : all) {
      results.tables.push_back(tuned_table(tuned, predictor_));
      if (!tuned.measured.empty()) results.tables.push_back(measured_table(tuned));
      for (const Prediction& p : tuned.top) {
        predictions.push_back(p);
        if (explain_) results.tables.push_back(explanation(p));
      }
    }
    results.json = predictions_file(predictions, this_build(), profile.profile.environment);
    add_search_json(results.json, all);
    emit(results, output_);
  }

  static void add_search_json(Json& json, const std::vector<Tuned>& all) {
    json["searches"] = Json::array();
    for (const Tuned& tuned : all)
      json["searches"].push_back({{"shape", shape_name(tuned.problem)},
                                  {"considered", tuned.search.considered},
                                  {"evaluated", tuned.search.ranked.size()},
                                  {"pruned", tuned.search.pruned},
                                  {"compiled", tuned.by_code},
                                  {"first_ranks", tuned.first_places},
                                  {"ties", tuned.ties}});
  }

  std::string predictor_ = "analytic", runs_file_ = "tune-runs.jsonl";
  std::size_t top_ = 5, measure_ = 0, compile_ = 0;
  bool explain_ = false;
  ProblemOptions question_;
  DeviceOptions device_;
  ModelOptions model_;
  OutputOptions output_;
};

}  // namespace

const CommandEntry tune_command{"tune",
                                "find the best tiles for a problem",
                                "Searches every legal tile of the variants for the fastest by one "
                                "predictor; exact, by branch and "
                                "bound. --compile looks at good ones again, by their machine "
                                "code. Needs no GPU without --measure.",
                                {"rooftile tune --shape 4096x11008x4096 --top 10",
                                 "rooftile tune --shape 4096 --variant warp_tile --explain",
                                 "rooftile tune --shape 4096 --compile 20",
                                 "rooftile tune --shape 2048 --compile 20 --measure 5"},
                                make_command<Tune>};

}  // namespace rooftile::cli
