// rooftile report: the page with plots, from a profile and runs.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/model_options.hpp"
#include "cli/report_output.hpp"
#include "cli/validate_stage.hpp"

namespace rooftile::cli {
namespace {

class Report : public Command {
 public:
  void define(CLI::App& app) override {
    inputs_.define(app);
    app.add_flag("--ablate", ablate_,
                 "Also the errors with each part of the model taken out, one at a time");
    app.add_option("--landscape", landscape_,
                   "Runs of many tiles, shown beside what tune says of them (default: "
                   "./landscape.jsonl or the recorded ones)")
        ->type_name("FILE");
    output_.define(app, folder_, "Folder of the page; refreshed when it exists", "FOLDER");
  }

  int run() override {
    output_.check(folder_);
    check_report_folder(folder_);
    const auto [profile, runs] = inputs_.load();
    const ValidationReport validation = validate_inputs(profile, runs, ablate_);
    const ReportOutput page = write_page(profile, runs, validation, folder_, landscape_);
    emit(report_results(page, joint_notice(profile, runs)), output_);
    return exit_ok;
  }

 private:
  std::string folder_ = "report", landscape_;
  bool ablate_ = false;
  MeasuredOptions inputs_;
  OutputOptions output_;
};

}  // namespace

const CommandEntry report_command{
    "report",
    "write one page with plots that a person reads",
    "Writes index.html, report.md and plots/ from a profile and runs. Needs no GPU; with gnuplot "
    "the "
    "page has plots, without it tables.",
    {"rooftile report", "rooftile report --profile profile.json --runs runs.jsonl --output report",
     "rooftile report --ablate", "rooftile report --output /tmp/h200 --quiet"},
    make_command<Report>};

}  // namespace rooftile::cli
