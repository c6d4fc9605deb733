// The runner: what its records say of cells that run, that cannot run, and that must not.
#include <gmock/gmock.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>
#include <tuple>

#include "gemm/variant.hpp"
#include "gemm_fixture.hpp"
#include "gpu/runner.hpp"

namespace rooftile::gemm {
namespace {

class GemmRunnerTest : public GemmDevice {
 protected:
  RunRecord run(const std::string& variant, const GemmProblem& problem,
                CacheState cache = CacheState::hot) {
    const Variant* found = find_variant(variant);
    SampleOptions quick;
    quick.wall_cap_s = 0.2;
    return runner_->run(variant, found ? found->default_tile : Tile{}, problem, cache, quick);
  }
  void SetUp() override {
    GemmDevice::SetUp();
    if (!IsSkipped()) runner_ = make_cuda_gemm_runner("");
  }
  /// On this GPU, whatever the problem.
  static bool cannot_run(const std::string& variant) {
    const Variant* found = find_variant(variant);
    return found != nullptr && unavailable(*find_kernel(variant, found->default_tile)).has_value();
  }
  std::unique_ptr<GemmRunner> runner_;
};

TEST_F(GemmRunnerTest, EveryVariantAndTheBaselineGiveACheckedTime) {
  std::vector<std::string> names{"cublas"};
  for (const Variant& variant : variants()) names.emplace_back(variant.name);
  for (const std::string& name : names)
    for (const auto& problem : {make_problem(512, 512, 512), make_problem(509, 521, 523)}) {
      const RunRecord record = run(name, problem);
      if (cannot_run(name)) {
        EXPECT_EQ(record.state, State::skipped) << name;
        continue;
      }
      ASSERT_TRUE(record.state == State::ok || record.state == State::suspect)
          << name << ": " << record.reason;
      ASSERT_TRUE(record.correctness && record.correctness->passed);
      EXPECT_GT(record.correctness->bound, 0);
      ASSERT_TRUE(record.time);
      EXPECT_GT(record.time->median, 1e-6);
      EXPECT_GE(record.time->n, 3);
      EXPECT_EQ(record.resources.spill_bytes, 0) << name;
      EXPECT_NO_THROW(record.to_json());
      EXPECT_EQ(record.occupancy_blocks_per_sm > 0, name != "cublas") << name;
    }
}

TEST(KernelUse, IsThatOfThePathThatALaunchTakes) {  // needs no GPU
  for (const CompiledKernel& kernel : compiled_kernels()) {
    if (kernel.custom != nullptr) continue;
    const Tile& t = kernel.tile;
    Arguments args{};
    args.M = t.BM * 4;
    args.N = args.ldb = args.ldc = t.BN * 4;
    args.K = args.lda = t.BK * 4;
    args.alpha = 1;
    const KernelUse whole = use_of(kernel, args);
    EXPECT_EQ(whole.function, reinterpret_cast<const void*>(kernel.fast)) << kernel.variant;
    EXPECT_EQ(path_name(*whole.path), "fast NN");
    args.alpha = 0;  // launched without K, and so guarded
    const KernelUse empty = use_of(kernel, args);
    EXPECT_EQ(empty.function, reinterpret_cast<const void*>(kernel.guarded)) << kernel.variant;
    EXPECT_EQ(path_name(*empty.path), "guarded");
    args.alpha = 1;
    args.trans_b = true;
    const bool own = kernel.fast_transposed[1] != nullptr;
    EXPECT_EQ(path_name(*use_of(kernel, args).path), own ? "fast NT" : "guarded");
  }
}

TEST_F(GemmRunnerTest, ColdIsMeasuredToo) {
  const RunRecord cold = run("double_buffer", make_problem(512, 512, 512), CacheState::cold);
  ASSERT_TRUE(cold.time) << cold.reason;
  EXPECT_EQ(cold.cache, CacheState::cold);
}

TEST_F(GemmRunnerTest, ATileThatIsNotCompiledInIsCompiledAndMeasured) {
  Tile other = require_variant("vectorized").default_tile;
  other.BM = 64;
  for (const auto& problem : {make_problem(512, 512, 512), make_problem(509, 521, 523)}) {
    const RunRecord record = runner_->run("vectorized", other, problem, CacheState::hot, {});
    ASSERT_TRUE(record.time) << record.reason;
    EXPECT_EQ(record.tile, other);
    EXPECT_GT(record.resources.registers_per_thread, 64);
    EXPECT_EQ(record.resources.static_shared_bytes, 4 * 8 * (64 + 128));
    EXPECT_EQ(record.resources.spill_bytes, 0);
    EXPECT_GT(record.occupancy_blocks_per_sm, 1);
  }
}

TEST_F(GemmRunnerTest, AnIllegalTileIsSkippedWithTheReason) {
  Tile other = require_variant("vectorized").default_tile;
  other.TM = 3;
  const RunRecord record =
      runner_->run("vectorized", other, make_problem(64, 64, 64), CacheState::hot, {});
  EXPECT_EQ(record.state, State::skipped);
  EXPECT_THAT(record.reason, testing::HasSubstr("divide"));
}

TEST_F(GemmRunnerTest, TooLargeAProblemIsSkippedAndTheNextRuns) {
  const RunRecord record = run("naive", make_problem(1000000, 1000000, 1000000));
  EXPECT_EQ(record.state, State::skipped);
  EXPECT_THAT(record.reason, testing::HasSubstr("needs"));
  EXPECT_FALSE(record.time);
  EXPECT_TRUE(run("naive", make_problem(64, 64, 64)).time);
}

/// Not those of when the runner was made.
TEST_F(GemmRunnerTest, RecordsCarryTheMomentOfTheirCell) {
  const GemmProblem problem = make_problem(2048, 2048, 2048);
  const RunRecord first = run("double_buffer", problem);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  const RunRecord second = run("double_buffer", problem);
  EXPECT_LT(first.environment.utc_time, second.environment.utc_time);
  for (const RunRecord& record : {first, second}) {
    const Environment& e = record.environment;
    EXPECT_EQ(e.start.available, e.end.available);
    if (!e.start.available) continue;  // no NVML
    EXPECT_GT(e.start.sm_clock_hz, 0);
    EXPECT_GT(e.end.power_w, 0);
  }
  // Energy goes on being used: two moments do not read the same to the milliwatt and degree.
  const auto reading = [](const DeviceCondition& c) {
    return std::tuple(c.power_w, c.temperature_c, c.sm_clock_hz);
  };
  if (first.environment.start.available) {
    EXPECT_NE(reading(first.environment.start), reading(second.environment.start));
  }
}

TEST_F(GemmRunnerTest, AnUnknownVariantIsARecordNotAnException) {
  EXPECT_EQ(run("no_such", make_problem(64, 64, 64)).state, State::skipped);
}

}  // namespace
}  // namespace rooftile::gemm
