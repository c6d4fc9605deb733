// What characterize and measure need from a machine. Implemented by the CUDA device (micro/, gemm/)
// and by the replay device, which answers from recorded files, so that sweeps, resume and
// interruption are tested without a GPU.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/sampler.hpp"
#include "model/kernel/problem.hpp"
#include "model/kernel/tile.hpp"
#include "model/profile/device_profile.hpp"
#include "model/record/run.hpp"

namespace rooftile {

/// Runs GEMM kernels. Those of libraries (model/record/libraries.hpp) are variants here too.
class GemmRunner {
 public:
  virtual ~GemmRunner() = default;
  virtual Environment environment() = 0;
  /// Checks against FP64, then times. Never throws for a cell that cannot run: the record's state
  /// and reason say why.
  virtual RunRecord run(const std::string& variant, const Tile& tile, const GemmProblem& problem,
                        CacheState cache, const SampleOptions& options) = 0;
};

struct MicrobenchmarkInfo {
  std::string name, summary;
  double estimated_s = 0;  ///< all rounds together
  bool once = false;       ///< runs in the last round only
};

/// How often a full characterize visits each microbenchmark; a quick one visits once.
constexpr int characterize_rounds = 3;

/// Runs microbenchmarks by name and merges what they find into a profile.
class MicroRunner {
 public:
  virtual ~MicroRunner() = default;
  virtual Environment environment() = 0;
  virtual std::vector<MicrobenchmarkInfo> list() = 0;
  /// Adds the metrics, curves and tables of microbenchmark `name` to `profile`. Failures become
  /// entries with state failed. Its repetitions join those in
  /// `profile.unfinished`, whose count of rounds the caller keeps.
  virtual void run(const std::string& name, bool quick, DeviceProfile& profile) = 0;
};

/// Replays recorded files of `folder` (profile.json, runs-*.jsonl). `delay_s` is slept for each
/// unit, for kill tests.
std::unique_ptr<GemmRunner> make_replay_gemm_runner(const std::string& folder, double delay_s);
std::unique_ptr<MicroRunner> make_replay_micro_runner(const std::string& folder, double delay_s);

/// The GPU chosen by `device` (index or UUID; "" = first). Throw NoDeviceError when there is none,
/// or when this build has no CUDA.
std::unique_ptr<GemmRunner> make_cuda_gemm_runner(const std::string& device);
std::unique_ptr<MicroRunner> make_cuda_micro_runner(const std::string& device);

}  // namespace rooftile
