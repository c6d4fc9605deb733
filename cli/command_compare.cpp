// rooftile compare: what differs between profiles, runs or predictions beyond their uncertainty,
// and which card of a fleet stands apart.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/compare_results.hpp"
#include "cli/fleet_results.hpp"
#include "model/error.hpp"

namespace rooftile::cli {
namespace {

constexpr std::size_t most_files = 26;

class Compare : public Command {
 public:
  void define(CLI::App& app) override {
    // Without an upper limit here: CLI11 would print FILE(2x) as the usage.
    app.add_option("FILE", paths_,
                   "Two or more profiles, runs or predictions; the first is the reference")
        ->required()
        ->expected(2, -1)
        ->type_name("");
    app.add_option("--tolerance", tolerance_,
                   "Differences up to this count as none, beside the uncertainty")
        ->capture_default_str()
        ->type_name("PERCENT");
    app.add_option("--fail-on", fail_on_,
                   "Exit 1 when an id that matches differs, or cannot be judged")
        ->type_name("REGEX");
    app.add_flag("--fleet", fleet_,
                 "Four or more profiles of one model: medians, and the cards that stand apart");
    app.add_flag("--all", all_, "Also what is the same");
    output_.define(app);
  }

  int run() override {
    output_.check();
    const double tolerance = parse_tolerance(tolerance_);
    return fleet_ ? judge_all(tolerance) : compare_with_first(tolerance);
  }

 private:
  int compare_with_first(double tolerance) {
    if (paths_.size() > most_files)
      throw InputError(
          fmt::format("FILE: {} files; {} at most, a column each", paths_.size(), most_files));
    const CompareInputs inputs = load_and_compare(paths_, tolerance);
    std::vector<std::string> failures;
    if (!fail_on_.empty()) failures = gate_failures(inputs, fail_on_);
    return finish(compare_results(inputs, tolerance, all_), failures);
  }

  int judge_all(double tolerance) {
    const FleetInputs inputs = load_fleet(paths_, tolerance);
    std::vector<std::string> failures;
    if (!fail_on_.empty()) failures = fleet_failures(inputs, fail_on_);
    return finish(fleet_results(inputs, tolerance, all_), failures);
  }

  int finish(const Results& results, const std::vector<std::string>& failures) {
    emit(results, output_);
    for (const std::string& failure : failures) print_error(failure);
    return failures.empty() ? exit_ok : exit_failed;
  }

  std::vector<std::string> paths_;
  std::string tolerance_ = "0%", fail_on_;
  bool all_ = false, fleet_ = false;
  OutputOptions output_;
};

}  // namespace

const CommandEntry compare_command{
    "compare",
    "what differs between profiles, runs or predictions beyond uncertainty",
    "Compares files of one kind with the first of them: profiles entry by entry, runs and "
    "predictions cell by cell. With --fleet the profiles of many cards with their median. Needs no "
    "GPU.",
    {"rooftile compare before.json after.json",
     "rooftile compare monday.jsonl tuesday.jsonl --tolerance 1%",
     "rooftile compare a.json b.json c.json --all --csv differences.csv",
     "rooftile compare --fleet node1.json node2.json node3.json node4.json --fail-on '^dram'",
     "rooftile compare reference.json profile.json --fail-on '^(dram|l2)\\.' --tolerance 2%"},
    make_command<Compare>};

}  // namespace rooftile::cli
