// The hand-scheduled kernel alone, where its own machinery could go wrong: Stream-K's hand-over of
// sums, the ragged edges of TMA boxes, the copies of operands that TMA does not take.
#include <random>

#include "gemm/variant.hpp"
#include "gemm_fixture.hpp"

namespace rooftile::gemm {
namespace {

constexpr const char* hand_variant = "hand_scheduled";

class GemmHand : public GemmDevice {
 protected:
  void SetUp() override {
    GemmDevice::SetUp();
    if (IsSkipped()) return;
    kernel_ = find_kernel(hand_variant, require_variant(hand_variant).default_tile);
    ASSERT_NE(kernel_, nullptr);
    if (const auto why = unavailable(*kernel_)) GTEST_SKIP() << *why;
  }

  void check_one(const GemmProblem& problem, const DataOptions& options = {}) {
    expect_right(problem, options, hand_variant);
  }

  const CompiledKernel* kernel_ = nullptr;
};

GemmProblem with_scalars(GemmProblem problem, double alpha, double beta) {
  problem.alpha = alpha;
  problem.beta = beta;
  return problem;
}

TEST_F(GemmHand, Tiny) {
  for (const int m : {1, 2, 255, 256, 257})
    for (const int n : {1, 3, 127, 128, 129})
      for (const int k : {1, 2, 31, 32, 33, 65}) check_one(make_problem(m, n, k));
}

TEST_F(GemmHand, AlphaBeta) {
  for (const auto& shape : {make_problem(257, 132, 36), make_problem(512, 256, 64),
                            make_problem(1000, 900, 700), make_problem(255, 127, 4096)})
    for (const double alpha : {0.0, 1.0, -2.5})
      for (const double beta : {0.0, 1.0, 0.5}) check_one(with_scalars(shape, alpha, beta));
}

TEST_F(GemmHand, AlphaZeroIgnoresAAndB) {
  DataOptions nan_inputs;
  nan_inputs.poison_inputs = true;
  for (const double beta : {0.0, 1.0, -1.5})
    check_one(with_scalars(make_problem(300, 200, 100), 0, beta), nan_inputs);
}

/// One tile by all blocks, several blocks a tile, tiles across blocks, one to two waves, more.
TEST_F(GemmHand, StreamK) {
  for (const auto& shape :
       {make_problem(128, 128, 16384), make_problem(256, 128, 32768), make_problem(512, 512, 8192),
        make_problem(1024, 1024, 1024), make_problem(1024, 1536, 2048),
        make_problem(2048, 2048, 2048), make_problem(3000, 3001, 1111),
        make_problem(4096, 4096, 512), make_problem(4095, 4097, 33)}) {
    check_one(shape);
    check_one(with_scalars(shape, 0.75, -1.5));
  }
}

TEST_F(GemmHand, TallAndWide) {
  check_one(make_problem(65536, 128, 128));
  check_one(make_problem(128, 65536, 128));
  check_one(make_problem(70000, 1, 2));
  check_one(make_problem(1, 70000, 40));
}

TEST_F(GemmHand, PitchesAndAlignment) {
  for (int offset = 0; offset < 4; ++offset)
    for (int pad = 0; pad < 6; ++pad) {
      GemmProblem problem = with_scalars(make_problem(300, 260, 97), 1.5, 0.5);
      DataOptions options;
      for (const int which : {0, 1, 2}) {
        (which == 0 ? options.offset_a : which == 1 ? options.offset_b : options.offset_c) = offset;
        (which == 0 ? problem.lda : which == 1 ? problem.ldb : problem.ldc) += pad;
        check_one(problem, options);
      }
    }
}

TEST_F(GemmHand, ThreeHundredRandomProblems) {
  std::mt19937 random(20261130);
  std::uniform_int_distribution<int> size(1, 1500), pad(0, 5), offset(0, 3), pick(0, 3);
  const double scalars[] = {1, 0, -1.5, 0.25};
  for (int i = 0; i < 300; ++i) {
    GemmProblem problem = make_problem(size(random), size(random), size(random));
    problem.lda += pad(random), problem.ldb += pad(random), problem.ldc += pad(random);
    problem = with_scalars(problem, scalars[pick(random)], scalars[pick(random)]);
    DataOptions options;
    options.seed = 5000U + static_cast<unsigned>(i);
    options.offset_a = offset(random);
    options.offset_b = offset(random);
    options.offset_c = offset(random);
    check_one(problem, options);
  }
}

/// The order of additions is fixed, and flags are zero again after each launch.
TEST_F(GemmHand, RepeatedLaunchesAgreeToTheBit) {
  ProblemData data(make_problem(1024, 1536, 2048), {}, *stream_);
  std::vector<float> first, now(1024U * 1536U);
  for (int i = 0; i < 50; ++i) {
    data.reset_c();
    launch(*kernel_, data.arguments(), *stream_);
    check(cudaMemcpyAsync(now.data(), data.c().data, 4 * now.size(), cudaMemcpyDeviceToHost,
                          *stream_),
          "cudaMemcpyAsync");
    stream_->synchronize();
    if (i == 0) first = now;
    ASSERT_EQ(first, now) << "launch " << i;
  }
  EXPECT_EQ(data.check_c().reason, "");
}

}  // namespace
}  // namespace rooftile::gemm
