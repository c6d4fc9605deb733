// rooftile measure: GEMM variants -> runs.jsonl.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/device_options.hpp"
#include "cli/measure_stage.hpp"
#include "cli/output.hpp"
#include "gemm/compile_ahead.hpp"
#include "gpu/interrupt.hpp"

namespace rooftile::cli {
namespace {

class Measure : public Command {
 public:
  void define(CLI::App& app) override {
    sweep_.define(app);
    CLI::Option* resume =
        app.add_flag("--resume", resume_, "Keep what --output has, run what is missing or failed");
    app.add_flag("--force", force_, "Overwrite an existing --output")->excludes(resume);
    app.add_flag("--strict", strict_, "Exit 5 when a result is suspect (noisy, throttled)");
    app.add_flag("--dry-run", dry_run_,
                 "Print what would run and the estimated time; needs no GPU");
    app.add_option("--compile-only", compile_for_,
                   "Compile what would run for a GPU of compute capability CC (9.0) into the cache "
                   "of kernels; needs no GPU")
        ->type_name("CC")
        ->excludes(resume);
    device_.define(app);
    device_.define_counters(app);
    output_.define(app, file_, "The runs");
  }

  int run() override {
    output_.check();
    const SweepPlan plan = sweep_.plan();
    say_plan(plan, sweep_.include_sealed);
    if (dry_run_) {
      emit(sweep_plan_results(plan, file_, device_.notice()), output_);
      return exit_ok;
    }
    if (!compile_for_.empty()) {
      install_interrupt_handlers();
      const std::size_t kernels = compile_ahead(plan, compile_for_, output_.quiet);
      emit(compiled_results(kernels, compile_for_), output_);
      return exit_ok;
    }
    check_output_path(file_, resume_ || force_, "--output",
                      "--resume to continue it, --force to replace it");
    const std::unique_ptr<GemmRunner> runner = device_.gemm_runner();
    const MeasureOutcome outcome = measure(*runner, plan, file_, existing_log(resume_, force_),
                                           sweep_.sampling(), output_.quiet);
    emit(measure_results(outcome, runner->environment(), file_, device_.notice()), output_);
    return measure_exit_code(outcome, strict_);
  }

 private:
  bool resume_ = false, force_ = false, strict_ = false, dry_run_ = false;
  std::string file_ = "runs.jsonl", compile_for_;
  SweepOptions sweep_;
  DeviceOptions device_;
  OutputOptions output_;
};

}  // namespace

const CommandEntry measure_command{
    "measure",
    "run the GEMM variants: write runs.jsonl",
    "Checks every variant against FP64, then times it. Needs a GPU.",
    {"rooftile measure", "rooftile measure --shape 4096 --variants warp_tile,cublas --force",
     "rooftile measure --shape \"M=[1024:8192:1024] N=4096 K[pow2]=[8:13]\" --output sweep.jsonl",
     "rooftile measure --filter '^(naive|cublas)' --resume",
     "rooftile measure --shape 2048 --trans TN --layout column --batch 4 --output tn.jsonl",
     "rooftile measure --dry-run",
     "rooftile measure --variant warp_tile --tile BM=64,BN=64,BK=16 --compile-only 9.0"},
    make_command<Measure>};

}  // namespace rooftile::cli
