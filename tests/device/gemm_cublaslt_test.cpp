// cublasLt's heuristics, each of which a cell of the runner may launch, against the FP64 reference.
#include <gmock/gmock.h>

#include <memory>
#include <utility>

#include "gemm/cublaslt_gemm.cuh"
#include "gemm_fixture.hpp"
#include "gpu/runner.hpp"
#include "model/record/libraries.hpp"

namespace rooftile::gemm {
namespace {

class GemmCublasLt : public GemmDevice {
 protected:
  void SetUp() override {
    GemmDevice::SetUp();
    if (!IsSkipped()) library_ = std::make_unique<CublasLt>();
  }

  /// At least one heuristic runs; what runs is right and writes nothing outside C.
  void expect_heuristics_right(const GemmProblem& problem, const DataOptions& options = {}) {
    ProblemData data(problem, options, *stream_);
    const CublasLtGemm gemm(*library_, data.arguments());
    std::size_t ran = 0;
    for (std::size_t i = 0; i < gemm.heuristics(); ++i) {
      data.reset_c();
      if (gemm.launch(i, *stream_) != CUBLAS_STATUS_SUCCESS) continue;
      ++ran;
      EXPECT_EQ(data.check_c().reason, "") << gemm.describe(i) << " on " << text_of(problem);
    }
    EXPECT_GT(ran, 0U) << text_of(problem);
  }

  std::unique_ptr<CublasLt> library_;
};

GemmProblem formed(GemmProblem problem, Layout layout, bool trans_a, bool trans_b) {
  problem.layout = layout;
  problem.trans_a = trans_a;
  problem.trans_b = trans_b;
  pack(problem);
  return problem;
}

/// NN, NT, TN and TT of both layouts, packed and in padded rows.
TEST_F(GemmCublasLt, EveryForm) {
  for (const Layout layout : {Layout::row_major, Layout::column_major})
    for (const bool trans_a : {false, true})
      for (const bool trans_b : {false, true})
        for (const GemmProblem& sizes :
             {make_problem(256, 128, 64), make_problem(127, 129, 131), make_problem(1, 300, 5),
              make_problem(300, 1, 5), make_problem(1, 1, 1)}) {
          const GemmProblem problem = formed(sizes, layout, trans_a, trans_b);
          expect_heuristics_right(problem);
          expect_heuristics_right(scaled(padded(problem, 4, 8, 12), 0.75, -1.5));
          expect_heuristics_right(padded(problem, 1, 3, 5));
        }
}

TEST_F(GemmCublasLt, ScalingReadsCOnlyWithBeta) {
  for (const auto& [alpha, beta] : {std::pair{-2.5, 0.0}, {1.0, 1.0}, {0.75, -1.5}})
    for (const GemmProblem& problem : {make_problem(128, 256, 64), make_problem(129, 65, 17)})
      expect_heuristics_right(scaled(problem, alpha, beta));
}

/// Matrices that follow one another, that lie apart, and one A for all.
TEST_F(GemmCublasLt, Batches) {
  for (const bool trans : {false, true})
    for (const Layout layout : {Layout::row_major, Layout::column_major}) {
      GemmProblem problem = make_problem(96, 64, 48);
      problem.batch = 5;
      problem = formed(problem, layout, trans, !trans);
      expect_heuristics_right(problem);
      problem.stride_a += 12;
      problem.stride_b += 7;
      problem.stride_c += 33;
      expect_heuristics_right(scaled(problem, 0.75, -1.5));
      problem.stride_a = 0;
      expect_heuristics_right(problem);
    }
}

TEST_F(GemmCublasLt, MisalignedPointers) {
  for (int offset = 1; offset < 4; ++offset) {
    DataOptions a, b, c;
    a.offset_a = b.offset_b = c.offset_c = offset;
    for (const DataOptions& options : {a, b, c})
      expect_heuristics_right(scaled(make_problem(128, 128, 32), 1, 0.5), options);
  }
}

TEST_F(GemmCublasLt, ARunIsCheckedAndSaysWhichHeuristicItIs) {
  const auto runner = make_cuda_gemm_runner("");
  SampleOptions quick;
  quick.wall_cap_s = 0.2;
  GemmProblem batched = make_problem(128, 128, 128);
  batched.batch = 3;
  pack(batched);
  for (const CacheState cache : {CacheState::hot, CacheState::cold})
    for (const GemmProblem& problem :
         {make_problem(512, 512, 512), scaled(make_problem(509, 521, 523), 0.75, -1.5), batched}) {
      const RunRecord record = runner->run(cublaslt_name, Tile{}, problem, cache, quick);
      ASSERT_TRUE(record.time) << record.reason;
      ASSERT_TRUE(record.correctness && record.correctness->passed);
      EXPECT_GT(record.time->median, 1e-6);
      EXPECT_EQ(record.tile, Tile{});
      EXPECT_EQ(record.occupancy_blocks_per_sm, 0);
      EXPECT_THAT(record.reason,
                  testing::ContainsRegex("heuristic [1-8] of [1-8]: algorithm [0-9]+, tile "));
      EXPECT_NO_THROW(record.to_json());
    }
}

/// As of any other variant, and the next cell runs.
TEST_F(GemmCublasLt, TooLargeAProblemIsSkipped) {
  const auto runner = make_cuda_gemm_runner("");
  const auto run = [&](const GemmProblem& problem) {
    return runner->run(cublaslt_name, Tile{}, problem, CacheState::hot, {});
  };
  const RunRecord record = run(make_problem(1000000, 1000000, 1000000));
  EXPECT_EQ(record.state, State::skipped);
  EXPECT_FALSE(record.time);
  EXPECT_TRUE(run(make_problem(64, 64, 64)).time);
}

}  // namespace
}  // namespace rooftile::gemm
