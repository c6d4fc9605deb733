// rooftile_bench: every microbenchmark, GEMM variant and predictor under Google Benchmark, with its
// flags and JSON.
//
// GPU entries call the same measuring code as characterize and measure, once each (fixed
// iterations, manual time): Google Benchmark's own engine chooses iterations badly for GPU work.
// Model entries time the predictors on the CPU over every legal tile; items are tiles.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <optional>

#include "cli/inputs.hpp"
#include "cli/output.hpp"
#include "cli/prediction.hpp"
#include "gpu/runner.hpp"
#include "model/error.hpp"
#include "model/profile/metric_catalog.hpp"
#include "model/record/libraries.hpp"

namespace rooftile::cli {
namespace {

/// Google Benchmark ends 0 whatever its entries say, so what failed is remembered here.
class Outcome {
 public:
  void fail(benchmark::State& state, const std::string& why) {
    failed_ = true;
    state.SkipWithError(why.c_str());
  }
  bool failed() const { return failed_; }

 private:
  bool failed_ = false;
};

/// Every legal tile of every variant, described for this problem.
std::vector<KernelDescription> all_kernels(const GemmProblem& problem) {
  std::vector<KernelDescription> kernels;
  for (const Variant& variant : variants())
    if (variant.not_predicted.empty() && !not_applicable(problem))
      for (const Tile& tile : variant.tile_space())
        if (!variant.illegal(tile)) kernels.push_back(variant.describe(tile, problem));
  return kernels;
}

void describe_tiles(benchmark::State& state, const GemmProblem& problem) {
  std::size_t tiles = 0;
  for (auto _ : state) {
    const std::vector<KernelDescription> kernels = all_kernels(problem);
    benchmark::DoNotOptimize(kernels.data());
    tiles += kernels.size();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(tiles));
}

/// False where sass lacks the compiled kernel. Afterwards sass has its schedule cached.
bool predicts(const Predictor& predictor, const KernelDescription& kernel,
              const GemmProblem& problem) {
  try {
    predictor.time_s(kernel, problem);
    return true;
  } catch (const NoSass&) {
    return false;
  }
}

void evaluate_tiles(benchmark::State& state, const Predictor& predictor,
                    const GemmProblem& problem) {
  std::vector<KernelDescription> kernels = all_kernels(problem);
  std::erase_if(kernels, [&](const auto& k) { return !predicts(predictor, k, problem); });
  std::size_t tiles = 0;
  for (auto _ : state) {
    for (const KernelDescription& kernel : kernels)
      benchmark::DoNotOptimize(predictor.time_s(kernel, problem));
    tiles += kernels.size();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(tiles));
}

/// A problem that is new to sass, whose schedules depend on the latency of a load and so on K. Each
/// predictor forgets what others have scheduled; it has met one problem, and so parsed the kernel.
void evaluate_new(benchmark::State& state, const ProfileInput& profile, const Variant& variant,
                  const GemmProblem& problem) {
  const GemmProblem next = make_problem(problem.M, problem.N, 2 * problem.K);
  std::unique_ptr<Predictor> predictor;
  for (auto _ : state) {
    state.PauseTiming();
    predictor = make_predictor("sass", profile.profile, profile.kernels);
    predictor->time_s(variant.describe(variant.default_tile, problem), problem);
    state.ResumeTiming();
    const KernelDescription kernel = variant.describe(variant.default_tile, next);
    benchmark::DoNotOptimize(predictor->time_s(kernel, next));
  }
  state.SetItemsProcessed(state.iterations());
}

void explain_tile(benchmark::State& state, const Predictor& predictor,
                  const KernelDescription& kernel, const GemmProblem& problem) {
  for (auto _ : state) benchmark::DoNotOptimize(predictor.predict(kernel, problem).time_s);
  state.SetItemsProcessed(state.iterations());
}

/// Profile and predictors stay alive as long as the registered entries.
void register_model(const ProfileInput& profile,
                    const std::vector<std::unique_ptr<Predictor>>& predictors) {
  const GemmProblem problem = make_problem(4096, 4096, 4096);
  benchmark::RegisterBenchmark("model/describe/4096", [problem](benchmark::State& state) {
    describe_tiles(state, problem);
  });
  for (const auto& owned : predictors) {
    const Predictor* predictor = owned.get();
    const std::string name(predictor->name());
    benchmark::RegisterBenchmark(
        ("model/time/" + name + "/4096").c_str(),
        [=](benchmark::State& state) { evaluate_tiles(state, *predictor, problem); });
    for (const Variant& variant : variants()) {
      if (!variant.not_predicted.empty()) continue;
      const KernelDescription kernel = variant.describe(variant.default_tile, problem);
      if (!predicts(*predictor, kernel, problem)) continue;
      if (name == "sass")
        benchmark::RegisterBenchmark(fmt::format("model/schedule/{}/4096", variant.name).c_str(),
                                     [=, &profile, &variant](benchmark::State& state) {
                                       evaluate_new(state, profile, variant, problem);
                                     });
      benchmark::RegisterBenchmark(
          fmt::format("model/predict/{}/{}/4096", name, variant.name).c_str(),
          [=](benchmark::State& state) { explain_tile(state, *predictor, kernel, problem); });
    }
  }
}

void add_counters(benchmark::State& state, const RunRecord& run) {
  state.counters["flops"] = run.problem.flop() / run.time->median;
  state.counters["samples"] = run.time->n;
  state.counters["mad_s"] = run.time->mad;
  state.counters["sm_clock_hz"] = run.sm_clock_hz;
  state.counters["blocks_per_sm"] = run.occupancy_blocks_per_sm;
}

void measure_variant(benchmark::State& state, GemmRunner& runner, Outcome& outcome,
                     const std::string& variant, const Tile& tile, const GemmProblem& problem) {
  for (auto _ : state) {
    const RunRecord run = runner.run(variant, tile, problem, CacheState::hot, {});
    if (run.state == State::skipped) return state.SkipWithError(run.reason.c_str());
    if (!run.time) return outcome.fail(state, run.reason);
    state.SetIterationTime(run.time->median);
    add_counters(state, run);
  }
}

void register_variants(GemmRunner& runner, Outcome& outcome) {
  auto add = [&runner, &outcome](const std::string& name, const Tile& tile) {
    for (std::int64_t size : {1024, 4096}) {
      const GemmProblem problem = make_problem(size, size, size);
      benchmark::RegisterBenchmark(fmt::format("gemm/{}/{}", name, size).c_str(),
                                   [=, &runner, &outcome](benchmark::State& state) {
                                     measure_variant(state, runner, outcome, name, tile, problem);
                                   })
          ->UseManualTime()
          ->Iterations(1)
          ->Unit(benchmark::kMicrosecond);
    }
  };
  for (const Variant& variant : variants()) add(std::string(variant.name), variant.default_tile);
  add(cublas_name, Tile{});
}

/// Quick runs of microbenchmarks, one each however many of its entries are asked for.
class QuickRuns {
 public:
  struct Found {
    DeviceProfile profile;
    double seconds = 0;  ///< wall time of the whole microbenchmark
  };

  explicit QuickRuns(MicroRunner& runner) : runner_(runner) {}
  const Found& of(const std::string& microbenchmark) {
    if (const auto found = found_.find(microbenchmark); found != found_.end()) return found->second;
    Found run;
    const auto start = std::chrono::steady_clock::now();
    runner_.run(microbenchmark, true, run.profile);
    run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return found_.emplace(microbenchmark, std::move(run)).first->second;
  }

 private:
  MicroRunner& runner_;
  std::map<std::string, Found> found_;
};

/// The counter of an entry: a metric by its unit, of a curve its ends as "<unit>[x]".
void add_counters(benchmark::State& state, const DeviceProfile& profile, const std::string& id) {
  if (const auto metric = profile.metrics.find(id); metric != profile.metrics.end()) {
    state.counters[metric->second.unit] = metric->second.value.value_or(0);
    return;
  }
  const Curve& curve = profile.curves.at(id);
  for (const std::size_t i : {std::size_t{0}, curve.x.size() - 1})
    if (i < curve.x.size())
      state.counters[fmt::format("{}[{:g}]", curve.y_unit, curve.x[i])] = curve.y[i];
}

/// What became of an entry.
struct Result {
  State state = State::failed;
  std::string reason = "not measured";
};

Result result_of(const DeviceProfile& profile, const CatalogEntry& entry) {
  if (entry.kind == EntryKind::curve) {
    const Curve* curve = profile.find_curve(entry.id);
    return curve == nullptr ? Result{} : Result{curve->state, curve->reason};
  }
  const auto metric = profile.metrics.find(entry.id);
  return metric == profile.metrics.end() ? Result{}
                                         : Result{metric->second.state, metric->second.reason};
}

/// The time is the wall time of the whole microbenchmark; the entry is the counter.
void run_entry(benchmark::State& state, QuickRuns& runs, Outcome& outcome,
               const CatalogEntry& entry) {
  for (auto _ : state) {
    const QuickRuns::Found& found = runs.of(std::string(entry.supplier));
    state.SetIterationTime(found.seconds);
    const Result result = result_of(found.profile, entry);
    const std::string why = fmt::format("{}: {}", to_string(result.state), result.reason);
    if (result.state == State::skipped) return state.SkipWithError(why.c_str());
    if (result.state == State::failed) return outcome.fail(state, why);
    add_counters(state, found.profile, std::string(entry.id));
  }
}

/// One entry of Google Benchmark for each metric and curve: micro/<microbenchmark>/<id>.
void register_microbenchmarks(QuickRuns& runs, Outcome& outcome) {
  for (const CatalogEntry& entry : metric_catalog()) {
    if (entry.kind == EntryKind::table) continue;
    benchmark::RegisterBenchmark(fmt::format("micro/{}/{}", entry.supplier, entry.id).c_str(),
                                 [entry, &runs, &outcome](benchmark::State& state) {
                                   run_entry(state, runs, outcome, entry);
                                 })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
}

struct Runners {
  std::unique_ptr<MicroRunner> micro;
  std::unique_ptr<GemmRunner> gemm;
};

Runners find_gpu() {
  try {
    return {make_cuda_micro_runner(""), make_cuda_gemm_runner("")};
  } catch (const NoDeviceError& error) {
    print_note(fmt::format("only the model's entries are here: {}", error.what()));
    return {};
  }
}

int run_benchmarks(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const ProfileInput profile = find_profile("");
  if (!profile.origin.notice.empty()) benchmark::AddCustomContext("notice", profile.origin.notice);
  const auto predictors = available_predictors(profile);
  const Runners runners = find_gpu();
  Outcome outcome;
  std::optional<QuickRuns> quick_runs;
  if (runners.micro) register_microbenchmarks(quick_runs.emplace(*runners.micro), outcome);
  if (runners.gemm) register_variants(*runners.gemm, outcome);
  register_model(profile, predictors);
  const std::size_t ran = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (ran == 0) print_error("--benchmark_filter matches no entry");
  return ran == 0 ? 2 : outcome.failed() ? 1 : 0;
}

}  // namespace
}  // namespace rooftile::cli

int main(int argc, char** argv) {
  try {
    return rooftile::cli::run_benchmarks(argc, argv);
  } catch (const rooftile::InputError& error) {
    rooftile::cli::print_error(error.what());
    return 2;
  } catch (const std::exception& error) {
    rooftile::cli::print_error(error.what());
    return 1;
  }
}
