// rooftile run: characterize -> measure -> validate -> report. Stages that are finished are kept,
// so the same command goes on after an interruption. Without a GPU the last two stages run on
// recorded data.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/characterize_stage.hpp"
#include "cli/command.hpp"
#include "cli/device_options.hpp"
#include "cli/inputs.hpp"
#include "cli/measure_stage.hpp"
#include "cli/output.hpp"
#include "cli/profile_results.hpp"
#include "cli/report_output.hpp"
#include "cli/validate_stage.hpp"
#include "model/error.hpp"

namespace rooftile::cli {
namespace {

namespace fs = std::filesystem;

class Run : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_flag("--quick", quick_, "Characterize with fewer repetitions and points");
    app.add_flag("--force", force_, "Start anew instead of keeping finished stages");
    app.add_flag("--resume", resume_, "Keep finished stages (what happens without --force)")
        ->excludes("--force");
    app.add_flag("--strict", strict_, "Exit 5 when a result is suspect (noisy, throttled)");
    app.add_flag("--dry-run", dry_run_, "Print what would run and the estimated time");
    sweep_.define(app);
    device_.define(app);
    device_.define_counters(app);
    app.add_option("--output", folder_,
                   "Folder of profile.json, runs.jsonl, validation.json, report/")
        ->capture_default_str()
        ->type_name("FOLDER")
        ->group("Output");
    output_.define(app);
  }

  int run() override {
    output_.check(folder_);
    const std::unique_ptr<MicroRunner> micro = find_device();
    if (dry_run_) return micro ? print_plan(*micro) : print_recorded_plan();
    make_folder();
    return micro ? run_here(*micro) : run_recorded();
  }

 private:
  std::string in_folder(const char* name) const {
    return (fs::path(folder_) / name).lexically_normal().string();
  }

  void make_folder() const {
    check_report_folder(folder_);
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error)
      throw_file_error(fmt::format("--output: cannot create {}: {}", folder_, error.message()),
                       error.value());
    check_report_folder(in_folder("report"));
    check_output_path(in_folder("validation.json"), true, "--output");
  }

  /// Null when there is no GPU and none was asked for.
  std::unique_ptr<MicroRunner> find_device() const {
    try {
      return device_.micro_runner();
    } catch (const NoDeviceError& error) {
      if (device_.given()) throw;
      // Where there is no GPU nothing has failed; where there is one, what keeps us from it counts.
      print_note(gpu_present().empty()
                     ? "no NVIDIA GPU here, so nothing is measured: going on with recorded data"
                     : error.what());
      return nullptr;
    }
  }

  CharacterizePlan characterize_plan(MicroRunner& micro) const {
    CharacterizePlan plan;
    plan.path = in_folder("profile.json");
    plan.quick = quick_;
    plan.resume = !force_;
    plan.quiet = output_.quiet;
    return plan_characterize(micro, std::move(plan), "");
  }

  int print_plan(MicroRunner& micro) const {
    Results results = characterize_plan_results(characterize_plan(micro), device_.notice());
    const Results measured = sweep_plan_results(sweep_.plan(), in_folder("runs.jsonl"), "");
    results.json = Json{{"characterize", results.json}, {"measure", measured.json}};
    results.tables.push_back(measured.tables.front());
    emit(results, output_);
    return exit_ok;
  }

  int print_recorded_plan() const {
    const ProfileInput profile = find_profile("");
    const RunsInput runs = find_runs({}, profile);
    Results results{Json::object(), {}, joint_notice(profile, runs)};
    results.json["inputs"] = profile.origin.files;
    ResultTable table{"would validate and report", {{"input", "input", ""}}, {}, {}};
    table.rows.push_back({profile.origin.files.front()});
    for (const std::string& file : runs.origin.files) {
      results.json["inputs"].push_back(file);
      table.rows.push_back({file});
    }
    table.notes.push_back("a few seconds");
    results.tables.push_back(std::move(table));
    emit(results, output_);
    return exit_ok;
  }

  int run_here(MicroRunner& micro) const {
    const SweepPlan sweep = sweep_.plan();
    CharacterizePlan plan = characterize_plan(micro);
    if (plan.todo.empty()) print_note(fmt::format("{} is complete; kept", plan.path));
    ProfileInput profile{characterize(micro, std::move(plan)),
                         {{in_folder("profile.json")}, false, device_.notice()}};
    profile.kernels = find_kernels("", profile);
    const int profile_code = profile_exit_code(profile.profile, strict_);
    say_plan(sweep, sweep_.include_sealed);
    const std::unique_ptr<GemmRunner> gemm = device_.gemm_runner();
    MeasureOutcome outcome =
        measure(*gemm, sweep, in_folder("runs.jsonl"), existing_log(!force_, force_),
                sweep_.sampling(), output_.quiet);
    const int measure_code = measure_exit_code(outcome, strict_);
    RunsInput runs{std::move(outcome.runs), {{in_folder("runs.jsonl")}, false, device_.notice()}};
    finish(profile, runs);
    // A failure outranks a suspect result.
    const bool failed = profile_code == exit_failed || measure_code == exit_failed;
    return failed ? exit_failed : std::max(profile_code, measure_code);
  }

  int run_recorded() const {
    const ProfileInput profile = find_profile("");
    finish(profile, find_runs({}, profile));
    return exit_ok;
  }

  void finish(const ProfileInput& profile, const RunsInput& runs) const {
    const std::string notice = joint_notice(profile, runs);
    const ValidationReport validation = validate_inputs(profile, runs);
    Results validated = validation_results(validation, notice);
    save_document(validated, in_folder("validation.json"));
    const ReportOutput page = write_page(profile, runs, validation, in_folder("report"));
    Results results = report_results(page, notice);
    results.json["profile"] = profile.origin.files.front();
    results.json["runs"] = runs.origin.files;
    results.json["validation"] = in_folder("validation.json");
    results.json["predictors"] = validated.json["predictors"];
    results.tables.insert(results.tables.begin(), validated.tables.front());
    emit(results, output_);
  }

  bool quick_ = false, force_ = false, resume_ = false, strict_ = false, dry_run_ = false;
  std::string folder_ = ".";
  SweepOptions sweep_;
  DeviceOptions device_;
  OutputOptions output_;
};

}  // namespace

const CommandEntry run_command{
    "run",
    "all stages: characterize, measure, validate, report",
    "Runs all stages in order and ends with a page to read. Interrupt it at any time: the same "
    "command "
    "goes on. Without a GPU it shows the recorded NVIDIA H200.",
    {"rooftile run", "rooftile run --quick --output /tmp/first-look",
     "rooftile run --shape 1024 4096 --variants warp_tile,cublas --output small",
     "rooftile run --dry-run"},
    make_command<Run>};

}  // namespace rooftile::cli
