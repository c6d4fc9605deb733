// The replay device: answers from a folder's profile.json and runs-*.jsonl, as the GPU did when
// they were recorded. It sleeps `delay_s` for each unit in steps of 10 ms, so that interruption and
// resume can be tested without a GPU.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <thread>

#include "gpu/interrupt.hpp"
#include "gpu/runner.hpp"
#include "model/error.hpp"
#include "model/profile/metric_catalog.hpp"

namespace rooftile {
namespace {

namespace fs = std::filesystem;

void check_folder(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw InputError(
        fmt::format("{}: not a folder of recorded data (profile.json, runs-*.jsonl)", folder));
}

void check_delay(double delay_s) {
  if (!(std::isfinite(delay_s) && delay_s >= 0))
    throw InputError(
        fmt::format("replay delay {} s: must be a number that is not negative", delay_s));
}

void pause(double delay_s) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(std::min(delay_s, 3600.0)));
  for (throw_if_interrupted(); Clock::now() < end; throw_if_interrupted())
    std::this_thread::sleep_for(
        std::min<Clock::duration>(end - Clock::now(), std::chrono::milliseconds(10)));
}

class ReplayGemm : public GemmRunner {
 public:
  ReplayGemm(const std::string& folder, double delay_s) : folder_(folder), delay_s_(delay_s) {
    check_folder(folder);
    check_delay(delay_s);
    for (const auto& path : run_files(folder))
      for (auto& run : load_runs(path)) keep(std::move(run));
    if (recorded_.empty())
      throw InputError(fmt::format("{}: no recorded runs (runs-*.jsonl) to replay", folder));
  }

  Environment environment() override { return recorded_.begin()->second.environment; }

  RunRecord run(const std::string& variant, const Tile& tile, const GemmProblem& problem,
                CacheState cache, const SampleOptions&) override {
    pause(delay_s_);
    RunRecord asked;
    asked.variant = variant;
    asked.tile = tile;
    asked.problem = problem;
    asked.cache = cache;
    const auto found = recorded_.find(run_key(asked));
    if (found != recorded_.end()) return found->second;
    asked.state = State::skipped;
    asked.reason = fmt::format("not among the recorded runs of {}", folder_);
    asked.created_by = this_build();
    asked.environment = environment();
    return asked;
  }

 private:
  /// Of several records of a cell the last with a time stands.
  void keep(RunRecord run) {
    auto key = run_key(run);
    const auto found = recorded_.find(key);
    if (found == recorded_.end() || run.time || !found->second.time)
      recorded_.insert_or_assign(std::move(key), std::move(run));
  }

  std::string folder_;
  double delay_s_;
  std::map<std::string, RunRecord> recorded_;
};

class ReplayMicro : public MicroRunner {
 public:
  ReplayMicro(const std::string& folder, double delay_s) : delay_s_(delay_s) {
    check_folder(folder);
    check_delay(delay_s);
    recorded_ = DeviceProfile::load((fs::path(folder) / "profile.json").string());
  }

  Environment environment() override { return recorded_.environment; }

  std::vector<MicrobenchmarkInfo> list() override {
    std::vector<MicrobenchmarkInfo> all;
    for (const auto& entry : metric_catalog()) {
      const auto same = [&](const auto& info) { return info.name == entry.supplier; };
      if (std::none_of(all.begin(), all.end(), same))
        all.push_back(
            {std::string(entry.supplier), fmt::format("recorded: {}", entry.meaning), delay_s_});
    }
    return all;
  }

  void run(const std::string& name, bool /*quick*/, DeviceProfile& profile) override {
    require_known(name);
    pause(delay_s_);
    for (const auto& entry : metric_catalog())
      if (entry.supplier == name) copy(entry, profile);
  }

 private:
  void require_known(const std::string& name) {
    std::string names;
    for (const auto& info : list()) {
      if (info.name == name) return;
      names += (names.empty() ? "" : ", ") + info.name;
    }
    throw InputError(fmt::format("microbenchmark \"{}\" is none of {}", name, names));
  }

  void copy(const CatalogEntry& entry, DeviceProfile& profile) const {
    const std::string id(entry.id), unit(entry.unit), reason = "not in the recorded profile";
    if (entry.kind == EntryKind::metric) {
      const auto found = recorded_.metrics.find(id);
      Metric absent;
      absent.unit = unit;
      absent.state = State::skipped;
      absent.reason = reason;
      profile.metrics[id] = found != recorded_.metrics.end() ? found->second : absent;
    } else if (entry.kind == EntryKind::curve) {
      const auto* found = recorded_.find_curve(id);
      const Curve absent{std::string(entry.x_unit), unit, {}, {}, {}, "", State::skipped, reason};
      profile.curves[id] = found != nullptr ? *found : absent;
    } else if (const auto found = recorded_.tables.find(id); found != recorded_.tables.end()) {
      profile.tables[id] = found->second;
    }
  }

  double delay_s_;
  DeviceProfile recorded_;
};

}  // namespace

std::unique_ptr<GemmRunner> make_replay_gemm_runner(const std::string& folder, double delay_s) {
  return std::make_unique<ReplayGemm>(folder, delay_s);
}

std::unique_ptr<MicroRunner> make_replay_micro_runner(const std::string& folder, double delay_s) {
  return std::make_unique<ReplayMicro>(folder, delay_s);
}

}  // namespace rooftile
