// Measures one cell: a checked first launch, then the sampler, then (on request) counters.
//
// Inputs and the FP64 reference belong to the problem and are kept until the problem changes. The
// checked launch also tells how slow the kernel is: short ones are repeated within a sample (events
// resolve half a microsecond), slow ones take three samples. `cold` writes twice the L2 between
// samples, untimed. Pitfall: with beta != 0 a run changes its own input, so C is reset before each
// sample. Of cublasLt the cell's launch is the fastest of its heuristics, chosen on the same data
// and in the same way.
#include "gemm/cuda_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gemm/compiled_kernel.cuh"
#include "gemm/cublas_gemm.cuh"
#include "gemm/cublaslt_gemm.cuh"
#include "gemm/jit.hpp"
#include "gemm/kernel_ids.hpp"
#include "gemm/problem_data.cuh"
#include "gemm/variant.hpp"
#include "gpu/cuda/counters.hpp"
#include "gpu/cuda/device.hpp"
#include "gpu/environment.hpp"
#include "gpu/interrupt.hpp"
#include "model/error.hpp"
#include "model/record/launches.hpp"
#include "model/record/libraries.hpp"

namespace rooftile {

namespace {

using Launch = std::function<void(cudaStream_t)>;

/// A cell that cannot or must not run; becomes a record.
struct CellEnd {
  State state;
  std::string reason;
};

SampleOptions options_for(double launch_s, SampleOptions options) {
  if (launch_s * options.block < options.wall_cap_s) return options;
  options.min_samples = options.block = std::min(3, options.min_samples);
  return options;
}

/// One of the launches that a cell may choose, and its samples in seconds.
struct Candidate {
  std::size_t index = 0;
  Launch launch;
  double launch_s = 0;  ///< about
  std::vector<double> samples_s{};

  double median_s() const {
    std::vector<double> sorted = samples_s;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + "; " + second;
}

/// Everything that tells problems apart, as text.
std::string key_of(const GemmProblem& problem) {
  RunRecord record;
  record.problem = problem;
  return run_key(record);
}

class CudaGemmRunner : public GemmRunner {
 public:
  CudaGemmRunner(const std::string& device, const CudaGemmOptions& options)
      : device_(device), options_(options), cublas_(device_.stream()) {
    if (options.counters) counters_ = make_counters(device_.index());
  }

  Environment environment() override { return device_.environment(); }

  RunRecord run(const std::string& variant, const Tile& tile, const GemmProblem& problem,
                CacheState cache, const SampleOptions& options) override {
    RunRecord record;
    record.variant = variant;
    record.tile = tile;
    record.problem = problem;
    record.cache = cache;
    record.created_by = this_build();
    record.environment = as_of_now(environment_, device_.condition());
    if (!counters_) record.counters.reason = "not asked for (--counters)";
    try {
      if (!broken_.empty()) throw CellEnd{State::failed, broken_};
      measure(record, options);
    } catch (const CellEnd& end) {
      finish(record, end);
    } catch (const InputError& error) {
      finish(record, {State::skipped, error.what()});
    } catch (const GpuError& error) {
      finish(record, after(error));
    }
    record.environment.end = device_.condition();
    return record;
  }

 private:
  void measure(RunRecord& record, const SampleOptions& options) {
    const CompiledKernel* kernel = kernel_of(record);
    load(record.problem);
    const Launch launch = launch_of(kernel, record);
    const double launch_s = check_first(launch, record);
    time(launch, launch_s, record, options);
    if (counters_) record.counters = counters_->collect([&] { launch(device_.stream()); });
  }

  Launch launch_of(const CompiledKernel* kernel, RunRecord& record) {
    const gemm::Arguments arguments = data_->arguments();
    if (record.variant == cublaslt_name) return fastest_heuristic(arguments, record);
    if (kernel == nullptr)
      return [this, arguments](cudaStream_t) { gemm::cublas_gemm(cublas_, arguments); };
    describe_compiled(*kernel, arguments, record);
    return [kernel, arguments](cudaStream_t s) { rooftile::launch(*kernel, arguments, s); };
  }

  /// Leaves in `record` which it is.
  Launch fastest_heuristic(const gemm::Arguments& arguments, RunRecord& record) {
    if (!cublaslt_) cublaslt_ = std::make_unique<gemm::CublasLt>();
    const auto gemm = std::make_shared<const gemm::CublasLtGemm>(*cublaslt_, arguments);
    if (gemm->heuristics() == 0)
      throw CellEnd{State::skipped, "cublasLt has no heuristic for this problem"};
    std::vector<Candidate> candidates = running_heuristics(gemm);
    sample_in_turn(candidates, record);
    const auto faster = [](const Candidate& a, const Candidate& b) {
      return a.median_s() < b.median_s();
    };
    const auto best = std::min_element(candidates.begin(), candidates.end(), faster);
    record.reason = gemm->describe(best->index);
    return best->launch;
  }

  /// Those that run, each launched for the first time, which loads its kernel.
  std::vector<Candidate> running_heuristics(const std::shared_ptr<const gemm::CublasLtGemm>& gemm) {
    std::vector<Candidate> candidates;
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    data_->reset_c();
    for (std::size_t i = 0; i < gemm->heuristics(); ++i) {
      status = gemm->launch(i, device_.stream());
      if (status != CUBLAS_STATUS_SUCCESS) continue;
      check(cudaStreamSynchronize(device_.stream()), "cublasLtMatmul");
      Launch launch = [gemm, i](cudaStream_t stream) {
        check(gemm->launch(i, stream), "cublasLtMatmul");
      };
      const double launch_s = launch_seconds(launch, 0);
      candidates.push_back({i, std::move(launch), launch_s});
    }
    if (candidates.empty()) check(status, "cublasLtMatmul, by each of its heuristics");
    return candidates;
  }

  /// In turn, so that a clock that changes does so for all.
  void sample_in_turn(std::vector<Candidate>& candidates, const RunRecord& record) {
    constexpr int rounds = 5;
    for (int round = 0; round < rounds; ++round)
      for (Candidate& candidate : candidates) {
        throw_if_interrupted();
        candidate.samples_s.push_back(
            timed_case(candidate.launch, candidate.launch_s, record).sample());
      }
  }

  /// nullptr for libraries.
  const CompiledKernel* kernel_of(const RunRecord& record) const {
    const GemmProblem& p = record.problem;
    if (is_library(record.variant)) return nullptr;
    const Variant& variant = require_variant(record.variant);
    if (const auto reason = not_applicable(p)) throw CellEnd{State::skipped, *reason};
    const CompiledKernel& kernel = gemm::kernel_for(variant, record.tile);
    if (const auto reason = unavailable(kernel)) throw CellEnd{State::skipped, *reason};
    return &kernel;
  }

  void load(const GemmProblem& problem) {
    const std::string key = key_of(problem);
    if (data_ && key == data_key_) return;
    data_.reset();
    data_key_.clear();
    std::size_t free_bytes = 0, total_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    const auto needed = gemm::ProblemData::bytes_needed(problem);
    if (static_cast<double>(needed) > 0.97 * static_cast<double>(free_bytes))
      throw CellEnd{State::skipped,
                    fmt::format("needs {} of {} bytes of free device memory", needed, free_bytes)};
    data_.emplace(problem, gemm::DataOptions{.seed = options_.seed}, device_.stream());
    data_key_ = key;
  }

  static void describe_compiled(const CompiledKernel& kernel, const gemm::Arguments& arguments,
                                RunRecord& record) {
    const KernelUse use = use_of(kernel, arguments);
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, use.function), "cudaFuncGetAttributes");
    record.resources = {.registers_per_thread = attributes.numRegs,
                        .static_shared_bytes = static_cast<int>(attributes.sharedSizeBytes),
                        .dynamic_shared_bytes = use.dynamic_shared_bytes,
                        .spill_bytes = static_cast<int>(attributes.localSizeBytes),
                        .compiled = true};
    if (use.path)
      record.kernel_id = kernel.paths != nullptr
                             ? kernel.paths->kernel_id(*use.path)
                             : gemm::compiled_kernel_id(kernel.variant, kernel.tile, *use.path,
                                                        attributes.binaryVersion);
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &record.occupancy_blocks_per_sm, use.function, use.threads,
              static_cast<std::size_t>(use.dynamic_shared_bytes)),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  }

  /// Runs once on a poisoned C and compares; returns the launch's duration in seconds.
  double check_first(const Launch& launch, RunRecord& record) {
    data_->reset_c();
    Event start, stop;
    start.record(device_.stream());
    launch(device_.stream());
    stop.record(device_.stream());
    stop.synchronize();
    const auto verdict = data_->check_c();
    record.correctness = verdict.correctness;
    if (!verdict.reason.empty()) throw CellEnd{State::failed, verdict.reason};
    return launch_seconds(launch, stop.seconds_since(start));
  }

  /// The first launch holds what happens once (loading the kernel, the host's delay on an idle
  /// GPU): one that may be short is timed again, without them.
  double launch_seconds(const Launch& launch, double first_s) {
    constexpr double long_s = 0.02;  // loading takes milliseconds
    if (first_s < long_s) first_s = EventTimedCase(device_, launch).sample();
    return std::max(first_s, 1e-7);
  }

  /// Samples of `launch`, which takes about `launch_s`, as this cell asks for them.
  EventTimedCase timed_case(const Launch& launch, double launch_s, const RunRecord& record) {
    const bool cold = record.cache == CacheState::cold, updates = record.problem.beta != 0;
    std::function<void()> before;
    if (cold || updates)
      before = [this, cold, updates] {
        if (updates) data_->reset_c();
        if (cold) flush_l2();
      };
    return EventTimedCase(device_, launch, before ? 1 : launches_a_sample(launch_s), before);
  }

  void time(const Launch& launch, double launch_s, RunRecord& record,
            const SampleOptions& options) {
    EventTimedCase timed = timed_case(launch, launch_s, record);
    const SampleResult result = sample(timed, options_for(launch_s, options));
    record.time = result.summary();
    record.sm_clock_hz = result.clock_hz();
    record.condition = result.end;
    record.state = result.state();
    record.reason = joined(result.reason(), record.reason);
  }

  void flush_l2() {
    if (flush_.size() == 0)
      flush_ = DeviceBuffer<char>(2 * static_cast<std::size_t>(device_.properties().l2CacheSize));
    check(cudaMemsetAsync(flush_.data(), 0, flush_.size_bytes(), device_.stream()), "flush L2");
  }

  static void finish(RunRecord& record, const CellEnd& end) {
    record.state = end.state;
    record.reason = joined(end.reason, record.reason);
    record.time.reset();
  }

  /// Out of memory skips the cell. A sticky error (illegal address, ...) leaves no usable context:
  /// every later cell fails at once and says why.
  CellEnd after(const GpuError& error) {
    data_.reset();
    data_key_.clear();
    cudaGetLastError();
    if (const cudaError_t now = cudaDeviceSynchronize(); now != cudaSuccess)
      broken_ = fmt::format(
          "an earlier cell broke the CUDA context ({}: {}); start again with "
          "--resume",
          cudaGetErrorName(now), error.what());
    const bool memory = error.name() == "cudaErrorMemoryAllocation";
    return {memory ? State::skipped : State::failed, error.what()};
  }

  Device device_;
  CudaGemmOptions options_;
  CublasHandle cublas_;
  std::unique_ptr<gemm::CublasLt> cublaslt_;         // from its first cell on
  Environment environment_ = device_.environment();  // what a cell does not change
  std::unique_ptr<Counters> counters_;
  std::optional<gemm::ProblemData> data_;
  std::string data_key_, broken_;
  DeviceBuffer<char> flush_;
};

}  // namespace

std::unique_ptr<GemmRunner> make_cuda_gemm_runner(const std::string& device,
                                                  const CudaGemmOptions& options) {
  return std::make_unique<CudaGemmRunner>(device, options);
}

std::unique_ptr<GemmRunner> make_cuda_gemm_runner(const std::string& device) {
  return make_cuda_gemm_runner(device, CudaGemmOptions{});
}

}  // namespace rooftile
