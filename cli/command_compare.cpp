// rooftile compare: what differs between profiles, or between runs, beyond their uncertainty.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/compare_results.hpp"
#include "model/error.hpp"

namespace rooftile::cli {
namespace {

constexpr std::size_t most_files = 26;

class Compare : public Command {
 public:
  void define(CLI::App& app) override {
    // Without an upper limit here: CLI11 would print FILE(2x) as the usage.
    app.add_option("FILE", paths_, "Two or more profiles, or runs; the first is the reference")
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
    app.add_flag("--all", all_, "Also what is the same");
    output_.define(app);
  }

  int run() override {
    output_.check();
    if (paths_.size() > most_files)
      throw InputError(
          fmt::format("FILE: {} files; {} at most, a letter each", paths_.size(), most_files));
    const double tolerance = parse_tolerance(tolerance_);
    const CompareInputs inputs = load_and_compare(paths_, tolerance);
    std::vector<std::string> failures;
    if (!fail_on_.empty()) failures = gate_failures(inputs, fail_on_);
    emit(compare_results(inputs, tolerance, all_), output_);
    for (const std::string& failure : failures) print_error(failure);
    return failures.empty() ? exit_ok : exit_failed;
  }

 private:
  std::vector<std::string> paths_;
  std::string tolerance_ = "0%", fail_on_;
  bool all_ = false;
  OutputOptions output_;
};

}  // namespace

const CommandEntry compare_command{
    "compare",
    "what differs between profiles, or runs, beyond uncertainty",
    "Compares files of one kind with the first of them: profiles entry by entry, runs cell by "
    "cell. Needs no GPU.",
    {"rooftile compare before.json after.json",
     "rooftile compare monday.jsonl tuesday.jsonl --tolerance 1%",
     "rooftile compare a.json b.json c.json --all --csv differences.csv",
     "rooftile compare reference.json profile.json --fail-on '^(dram|l2)\\.' --tolerance 2%"},
    make_command<Compare>};

}  // namespace rooftile::cli
