// What the GEMM tests on a device share: skipping without one, and running one kernel on one
// problem.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "gemm/compiled_kernel.cuh"
#include "gemm/problem_data.cuh"
#include "gemm/variant.hpp"

namespace rooftile::gemm {

inline std::string text_of(const GemmProblem& p) { return problem_name(p); }

inline GemmProblem scaled(GemmProblem problem, double alpha, double beta) {
  problem.alpha = alpha;
  problem.beta = beta;
  return problem;
}

class GemmDevice : public testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no GPU";
    stream_ = std::make_unique<Stream>();
  }

  /// Runs every compiled kernel that this GPU can run, or that of one variant, on the problem; each
  /// must be right and write nothing outside C.
  void expect_right(const GemmProblem& problem, const DataOptions& options = {},
                    std::string_view only = "") {
    ASSERT_EQ(not_applicable(problem), std::nullopt) << text_of(problem);
    ProblemData data(problem, options, *stream_);
    for (const CompiledKernel& kernel : compiled_kernels()) {
      if ((!only.empty() && kernel.variant != only) || unavailable(kernel)) continue;
      expect_right(kernel, problem, data);
    }
  }

  /// The same of one kernel, which this GPU can run.
  void expect_right(const CompiledKernel& kernel, const GemmProblem& problem, ProblemData& data) {
    data.reset_c();
    launch(kernel, data.arguments(), *stream_);
    EXPECT_EQ(data.check_c().reason, "")
        << kernel.variant << " " << tile_name(kernel.tile) << " on " << text_of(problem);
  }

  std::unique_ptr<Stream> stream_;
};

/// Leading dimensions longer by so many elements.
inline GemmProblem padded(GemmProblem problem, int a, int b, int c) {
  problem.lda += a;
  problem.ldb += b;
  problem.ldc += c;
  return problem;
}

}  // namespace rooftile::gemm
