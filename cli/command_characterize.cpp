// rooftile characterize: microbenchmarks -> profile.json.
#include <fmt/format.h>

#include "cli/characterize_stage.hpp"
#include "cli/command.hpp"
#include "cli/device_options.hpp"
#include "cli/output.hpp"
#include "cli/profile_results.hpp"
#include "cli/quantity.hpp"
#include "model/error.hpp"

namespace rooftile::cli {
namespace {

class Characterize : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_flag("--quick", quick_, "Fewer repetitions and points; wider intervals");
    app.add_option("--only,--filter", only_, "Only microbenchmarks that match")->type_name("REGEX");
    CLI::Option* resume = app.add_flag(
        "--resume", resume_, "Keep what --output has of this build and mode, run the rest");
    app.add_flag("--force", force_, "Overwrite an existing --output")->excludes(resume);
    app.add_flag("--strict", strict_, "Exit 5 when a result is suspect (noisy, throttled)");
    app.add_flag("--dry-run", dry_run_, "Print what would run and the estimated time");
    device_.define(app);
    output_.define(app, file_, "The profile");
  }

  int run() override {
    output_.check();
    if (!dry_run_)
      check_output_path(file_, resume_ || force_, "--output",
                        "--resume to continue it, --force to replace it");
    const std::unique_ptr<MicroRunner> runner = device_.micro_runner();
    CharacterizePlan plan;
    plan.path = file_;
    plan.quick = quick_;
    plan.resume = resume_;
    plan.quiet = output_.quiet;
    plan = plan_characterize(*runner, std::move(plan), only_);
    if (dry_run_) return print_plan(plan);
    const DeviceProfile profile = characterize(*runner, std::move(plan));
    emit(profile_results(profile, file_, device_.notice()), output_);
    return profile_exit_code(profile, strict_);
  }

 private:
  int print_plan(const CharacterizePlan& plan) const {
    emit(characterize_plan_results(plan, device_.notice()), output_);
    return exit_ok;
  }

  bool quick_ = false, resume_ = false, force_ = false, strict_ = false, dry_run_ = false;
  std::string only_, file_ = "profile.json";
  DeviceOptions device_;
  OutputOptions output_;
};

}  // namespace

const CommandEntry characterize_command{
    "characterize",
    "measure what the GPU can do: write profile.json",
    "Runs the microbenchmarks and writes the device profile. Needs a GPU.",
    {"rooftile characterize", "rooftile characterize --quick --output /tmp/profile.json",
     "rooftile characterize --only '^smem' --resume", "rooftile characterize --dry-run"},
    make_command<Characterize>};

}  // namespace rooftile::cli
