// What is learned of a tile from the code of others, against the same regression written as a
// Gaussian process: there only what two kernels have in common appears.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <Eigen/Dense>
#include <cmath>

#include "model/predict/code_correction.hpp"

namespace rooftile {
namespace {

KernelDescription arbitrary_kernel() {
  KernelDescription kernel;
  kernel.variant = *rc::gen::element<std::string>("cp_async", "double_buffer", "warp_tile");
  Tile& t = kernel.tile;
  t.TM = *rc::gen::element(4, 8);
  t.TN = *rc::gen::element(4, 8, 16);
  t.WM = t.TM * *rc::gen::element(0, 4, 8);
  t.WN = t.TN * 4;
  t.BK = *rc::gen::element(8, 16);
  t.stages = *rc::gen::element(1, 2, 3);
  kernel.threads_per_block = *rc::gen::element(64, 128);
  return kernel;
}

int shared_traits(const KernelDescription& a, const KernelDescription& b) {
  const bool variant = a.variant == b.variant;
  const bool thread_tile = a.tile.TM == b.tile.TM && a.tile.TN == b.tile.TN;
  const bool threads = a.threads_per_block == b.threads_per_block;
  const bool lanes = a.tile.WM / a.tile.TM == b.tile.WM / b.tile.TM &&
                     a.tile.WN / a.tile.TN == b.tile.WN / b.tile.TN;
  return variant + thread_tile + threads + (a.tile.BK == b.tile.BK) + lanes +
         (a.tile.stages == b.tile.stages) + (variant && thread_tile) + (thread_tile && threads);
}

TEST(CodeCorrection, IsTheGaussianProcessOverSharedTraits) {
  EXPECT_TRUE(rc::check("for any kernels and ratios", [] {
    constexpr double prior = CodeCorrection::prior_sd * CodeCorrection::prior_sd;
    constexpr double noise = CodeCorrection::noise_sd * CodeCorrection::noise_sd;
    const int seen = *rc::gen::inRange(0, 12);
    std::vector<KernelDescription> kernels;
    for (int i = 0; i <= seen; ++i) kernels.push_back(arbitrary_kernel());
    std::vector<const KernelDescription*> pointers;
    for (const auto& kernel : kernels) pointers.push_back(&kernel);
    CodeCorrection correction(pointers);

    Eigen::MatrixXd covariance(seen, seen);
    Eigen::VectorXd y(seen), with_last(seen);
    for (int i = 0; i < seen; ++i) {
      y[i] = *rc::gen::inRange(-100, 100) / 100.0;
      correction.observe(static_cast<std::size_t>(i), y[i]);
      with_last[i] = prior * shared_traits(kernels[i], kernels.back());
      for (int j = 0; j < seen; ++j)
        covariance(i, j) = prior * shared_traits(kernels[i], kernels[j]) + (i == j ? noise : 0);
    }
    const Eigen::LDLT<Eigen::MatrixXd> solver(covariance);
    const double mean = with_last.dot(solver.solve(y));
    const double variance = prior * 8 - with_last.dot(solver.solve(with_last));
    const auto estimate = correction.estimate(static_cast<std::size_t>(seen));
    RC_ASSERT(std::abs(estimate.mean - mean) < 1e-9);
    RC_ASSERT(std::abs(estimate.sd * estimate.sd - variance) < 1e-9);
  }));
}

TEST(CodeCorrection, KnowsNothingBeforeTheFirst) {
  const KernelDescription kernel;
  const KernelDescription* const kernels[] = {&kernel};
  const auto estimate = CodeCorrection(kernels).estimate(0);
  EXPECT_EQ(estimate.mean, 0);
  EXPECT_DOUBLE_EQ(estimate.sd, CodeCorrection::prior_sd * std::sqrt(8));
}

}  // namespace
}  // namespace rooftile
