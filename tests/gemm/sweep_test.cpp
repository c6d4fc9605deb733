// Sweeps with a synthetic runner: what is planned, in which order, resumed, interrupted, counted.
#include "gemm/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "model/error.hpp"
#include "model/record/libraries.hpp"

namespace rooftile {
namespace {

namespace fs = std::filesystem;

const std::string data = std::string(ROOFTILE_SOURCE_DIR) + "/data/";

Splits splits() { return Splits::load(data + "splits.json"); }

/// Whatever its problem: by its family.
bool is_sealed(const Variant& variant) {
  return splits().is_sealed(make_problem(1, 1, 1), std::string(variant.family));
}

/// Answers at once; `end_after` cells later a signal arrives; variant "naive" gives wrong results.
class FakeRunner : public GemmRunner {
 public:
  std::vector<std::string> ran;
  std::size_t end_after = 1000000;

  Environment environment() override { return {}; }
  RunRecord run(const std::string& variant, const Tile& tile, const GemmProblem& problem,
                CacheState cache, const SampleOptions&) override {
    if (ran.size() == end_after) throw Interrupted(2);
    ran.push_back(variant + " " + shape_name(problem));
    RunRecord record;
    record.variant = variant;
    record.tile = tile;
    record.problem = problem;
    record.cache = cache;
    if (variant == "naive") {
      record.state = State::failed;
      record.reason = "wrong result";
    } else {
      record.time = TimeSummary{
          .median = 1e-3, .p5 = 1e-3, .p95 = 1e-3, .n = 7, .ci95 = {1e-3, 1e-3}, .converged = true};
    }
    return record;
  }
};

class SweepTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = (fs::temp_directory_path() /
             ("rooftile_sweep_" +
              std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "_" +
              std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + ".jsonl"))
                .string();
    fs::remove(path_);
  }
  void TearDown() override { fs::remove(path_); }

  SweepPlan small_plan(std::vector<std::string> names = {"smem_tile", "cublas"}) {
    return plan_sweep({.problems = {make_problem(256, 256, 256), make_problem(128, 128, 128)},
                       .variants = std::move(names)},
                      splits());
  }

  /// Of two shapes and these kernels, a JSON array.
  Suite suite_of(const std::string& kernels) const {
    write_text_file(path_, R"({"schema": "rooftile.suite", "schema_version": 1,
                               "shapes": ["128", "64x32x16"], "kernels": )" +
                               kernels + "}");
    return load_suite(path_);
  }

  std::string path_;
};

TEST_F(SweepTest, SuiteIsBroadAndNeverSealed) {
  const auto suite = load_suite(data + "suite.json").problems;
  EXPECT_GE(suite.size(), 24U);
  std::set<std::string> families;
  const Splits s = splits();
  for (const GemmProblem& problem : suite) {
    EXPECT_FALSE(s.is_sealed(problem, "naive")) << shape_name(problem);
    const auto same = [&](const auto& shape) { return shape.shape == shape_name(problem); };
    const auto found = std::find_if(s.shapes.begin(), s.shapes.end(), same);
    ASSERT_NE(found, s.shapes.end()) << shape_name(problem);
    families.insert(found->family);
  }
  for (const auto& shape : s.shapes) EXPECT_TRUE(families.count(shape.family)) << shape.family;
}

TEST_F(SweepTest, TheLandscapeIsBroadLegalAndNeverSealed) {
  const Suite suite = load_suite(data + "landscape.json");
  EXPECT_GE(suite.problems.size(), 40U);
  std::map<std::string, std::set<Tile>> tiles;
  for (const SweepKernel& kernel : suite.kernels) tiles[kernel.variant].insert(kernel.tile);
  EXPECT_EQ(tiles.erase("cublas"), 1U);
  EXPECT_GE(suite.kernels.size(), 151U);
  for (const Variant& variant : variants()) {
    if (!variant.not_predicted.empty() || is_sealed(variant)) continue;
    if (variant.name == "split_k_workspace") continue;  // predicted since the tiles were drawn
    EXPECT_TRUE(tiles[std::string(variant.name)].count(variant.default_tile)) << variant.name;
    EXPECT_GE(tiles[std::string(variant.name)].size(), 3U) << variant.name;
  }
  const SweepPlan plan =
      plan_sweep({.problems = suite.problems, .kernels = suite.kernels}, splits());
  EXPECT_EQ(plan.cells.size(), suite.problems.size() * suite.kernels.size());
  EXPECT_EQ(plan.sealed_left_out, 0U);
  EXPECT_THAT(plan.left_out, testing::IsEmpty());
}

TEST_F(SweepTest, ASuiteMayNameItsKernels) {
  const Suite suite = suite_of(R"([{"variant": "warp_tile", "tile": "64x64x8/8x8/64x32"},
                                   {"variant": "warp_tile"}, {"variant": "cublas"}])");
  const SweepPlan plan =
      plan_sweep({.problems = suite.problems, .kernels = suite.kernels}, splits());
  ASSERT_EQ(plan.cells.size(), 6U);
  EXPECT_EQ(plan.cells[0].problem.M, 64);
  EXPECT_EQ(tile_name(plan.cells[0].tile), "64x64x8/8x8/64x32");
  EXPECT_EQ(plan.cells[1].tile, require_variant("warp_tile").default_tile);
  EXPECT_EQ(plan.cells[2].variant, "cublas");
  for (const char* bad : {"[]", R"([{"variant": "no_such"}])", R"([{"tile": "64x64x8/8x8"}])",
                          R"([{"variant": "warp_tile", "tile": "64x64"}])",
                          R"([{"variant": "naive"}, {"variant": "naive", "tile": "32x32x1/1x1"}])"})
    EXPECT_THROW(suite_of(bad), InputError) << bad;
}

TEST_F(SweepTest, WhatIsWrongWithAKernelOfASuiteIsSaidWithItsPlace) {
  for (const auto& [kernel, said] : std::vector<std::pair<std::string, std::string>>{
           {R"({"variant": "no_such"})", ": kernels[1].variant: unknown variant 'no_such'"},
           {R"({"variant": "warp_tile", "tile": "64x64"})", ": kernels[1].tile: "},
           {R"({"variant": "warp_tile", "tiles": "64x64x8/8x8/64x32"})",
            ": kernels[1]: unknown member \"tiles\""},
           {R"({"variant": "cublas", "tile": "64x64x8/8x8"})",
            ": kernels[1].tile: expected no tile, since cublas chooses its own"},
           {R"({"variant": "cublaslt", "tile": "64x64x8/8x8"})",
            ": kernels[1].tile: expected no tile, since cublaslt chooses its own"}})
    try {
      suite_of(R"([{"variant": "naive"}, )" + kernel + "]");
      ADD_FAILURE() << kernel;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith(path_ + said));
    }
}

TEST_F(SweepTest, AKernelIsCompiledOnce) {
  const Tile tile = parse_tile("64x64x8/8x8/64x32", Tile{});
  const auto seconds = [&](std::vector<GemmProblem> problems) {
    return plan_sweep({.problems = std::move(problems), .variants = {"warp_tile"}, .tiles = {tile}},
                      splits())
        .estimated_s();
  };
  const double one = seconds({make_problem(128, 128, 128)});
  EXPECT_LT(seconds({make_problem(128, 128, 128), make_problem(128, 128, 256)}), 1.5 * one);
}

TEST_F(SweepTest, PlanIsShapeMajorWithAllVariantsAndTheBaseline) {
  const auto plan = plan_sweep(
      {.problems = {make_problem(256, 256, 256), make_problem(128, 128, 128)}}, splits());
  const auto measured = static_cast<std::size_t>(
      std::count_if(variants().begin(), variants().end(),
                    [&](const Variant& variant) { return !is_sealed(variant); }));
  ASSERT_EQ(plan.cells.size(), 2 * (measured + 1));
  EXPECT_EQ(plan.sealed_left_out, 2 * (variants().size() - measured));
  for (std::size_t i = 0; i < plan.cells.size(); ++i)
    EXPECT_EQ(plan.cells[i].problem.M, i <= measured ? 128 : 256);
  EXPECT_EQ(plan.cells[measured].variant, "cublas");
  EXPECT_GT(plan.estimated_s(), 0);
}

TEST_F(SweepTest, LibrariesAreMeasuredWithoutATileWhereNamed) {
  SweepRequest request{.problems = {make_problem(128, 128, 128)},
                       .variants = {library_names.begin(), library_names.end()},
                       .tiles = {require_variant("warp_tile").default_tile}};
  const auto plan = plan_sweep(request, splits());
  ASSERT_EQ(plan.cells.size(), library_names.size());
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    EXPECT_EQ(plan.cells[i].variant, library_names[i]);
    EXPECT_EQ(plan.cells[i].tile, Tile{});
    EXPECT_FALSE(plan.cells[i].compiled_at_run_time());
  }
  const Suite suite = suite_of(R"([{"variant": "cublaslt"}])");
  EXPECT_EQ(plan_sweep({.problems = suite.problems, .kernels = suite.kernels}, splits())
                .cells.front()
                .variant,
            cublaslt_name);
  request.problems = {make_problem(192, 192, 192)};
  EXPECT_THROW(plan_sweep(request, splits()), InputError) << "a sealed shape";
}

TEST_F(SweepTest, ChoosingAmongHeuristicsTakesTime) {
  const auto seconds = [&](const char* library) {
    return plan_sweep({.problems = {make_problem(8192, 8192, 8192)}, .variants = {library}},
                      splits())
        .estimated_s();
  };
  EXPECT_GT(seconds(cublaslt_name), 3 * seconds(cublas_name));
}

TEST_F(SweepTest, SealedPairsAreLeftOutUnlessAskedFor) {
  SweepRequest request{.problems = {make_problem(192, 192, 192), make_problem(128, 128, 128)},
                       .variants = {"naive"}};
  const auto plan = plan_sweep(request, splits());
  EXPECT_EQ(plan.cells.size(), 1U);
  EXPECT_EQ(plan.sealed_left_out, 1U);
  request.include_sealed = true;
  EXPECT_EQ(plan_sweep(request, splits()).cells.size(), 2U);
  request.include_sealed = false;
  request.problems.pop_back();
  EXPECT_THROW(plan_sweep(request, splits()), InputError);
}

TEST_F(SweepTest, RefusesWhatItCannotRun) {
  EXPECT_THROW(plan_sweep({}, splits()), InputError);
  EXPECT_THROW(small_plan({"no_such_variant"}), InputError);
  Tile odd = require_variant("warp_tile").default_tile;
  odd.BM = 100;
  try {
    plan_sweep(
        {.problems = {make_problem(128, 128, 128)}, .variants = {"warp_tile"}, .tiles = {odd}},
        splits());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("divide"));
  }
}

TEST_F(SweepTest, RunsOnceAndResumes) {
  FakeRunner runner;
  {
    RunLog log(path_, ExistingLog::refuse);
    const auto result = run_sweep(runner, small_plan(), log, {}, true);
    EXPECT_EQ(result.measured, 4U);
    EXPECT_EQ(result.ok, 4U);
  }
  EXPECT_EQ(runner.ran.front(), "smem_tile 128x128x128");
  RunLog log(path_, ExistingLog::resume);
  const auto again = run_sweep(runner, small_plan(), log, {}, true);
  EXPECT_EQ(again.measured, 0U);
  EXPECT_EQ(again.resumed, 4U);
  EXPECT_EQ(runner.ran.size(), 4U);
}

TEST_F(SweepTest, AnInterruptionLeavesAValidFileThatResumeFinishes) {
  FakeRunner runner;
  runner.end_after = 3;
  {
    RunLog log(path_, ExistingLog::refuse);
    EXPECT_THROW(run_sweep(runner, small_plan(), log, {}, true), Interrupted);
  }
  EXPECT_EQ(load_runs(path_).size(), 3U);
  runner.end_after = 1000;
  RunLog log(path_, ExistingLog::resume);
  const auto result = run_sweep(runner, small_plan(), log, {}, true);
  EXPECT_EQ(result.resumed, 3U);
  EXPECT_EQ(result.measured, 1U);
  EXPECT_EQ(load_runs(path_).size(), 4U);
}

TEST_F(SweepTest, CountsFailuresAndNamesThem) {
  FakeRunner runner;
  RunLog log(path_, ExistingLog::refuse);
  const auto result = run_sweep(runner, small_plan({"naive", "cublas"}), log, {}, true);
  EXPECT_EQ(result.failed, 2U);
  EXPECT_EQ(result.ok, 2U);
  ASSERT_EQ(result.problems.size(), 2U);
  EXPECT_EQ(result.problems[0], "naive 128x128x128: wrong result");
}

}  // namespace
}  // namespace rooftile
