// The checker itself: the FP64 reference against Eigen, and that wrong results are caught.
#include <Eigen/Dense>
#include <limits>

#include "gemm_fixture.hpp"

namespace rooftile::gemm {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix download(const MatrixView& view) {
  std::vector<float> host(static_cast<std::size_t>(view.rows * view.columns));
  check(cudaMemcpy2D(host.data(), static_cast<std::size_t>(view.columns) * 4, view.data,
                     static_cast<std::size_t>(view.pitch) * 4,
                     static_cast<std::size_t>(view.columns) * 4,
                     static_cast<std::size_t>(view.rows), cudaMemcpyDeviceToHost),
        "cudaMemcpy2D");
  return Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
             host.data(), view.rows, view.columns)
      .cast<double>();
}

class GemmCheck : public GemmDevice {
 protected:
  void expect_reference_is_eigens(const GemmProblem& problem) {
    ProblemData data(problem, {}, *stream_);
    data.reset_c();
    stream_->synchronize();
    Matrix expected = problem.alpha * (download(data.a().view()) * download(data.b().view()));
    if (problem.beta != 0) expected += problem.beta * download(data.c());
    auto reference = data.reference();
    const Eigen::Map<Matrix> actual(reference.data(), problem.M, problem.N);
    EXPECT_LT((actual - expected).cwiseAbs().maxCoeff(), 1e-11) << shape_name(problem);
    EXPECT_GT(expected.cwiseAbs().maxCoeff(), 1e-3);
  }

  /// The verdict after `word` was written `elements` past the start of C of a right result.
  std::string reason_after(std::int64_t elements, float word) {
    GemmProblem problem = make_problem(100, 90, 1000);
    problem.ldc = 96;
    ProblemData data(problem, {}, *stream_);
    data.reset_c();
    const CompiledKernel& kernel = compiled_kernels().front();
    launch(kernel, data.arguments(), *stream_);
    stream_->synchronize();
    EXPECT_EQ(data.check_c().reason, "");
    check(cudaMemcpy(data.c().data + elements, &word, 4, cudaMemcpyHostToDevice), "cudaMemcpy");
    return data.check_c().reason;
  }
};

TEST_F(GemmCheck, ReferenceAgreesWithEigen) {
  for (const auto& shape : {make_problem(1, 1, 1), make_problem(33, 47, 65),
                            make_problem(512, 512, 512), make_problem(500, 3, 511)}) {
    expect_reference_is_eigens(shape);
    GemmProblem scaled = shape;
    scaled.alpha = 0.75;
    scaled.beta = -1.5;
    scaled.ldc += 3;
    expect_reference_is_eigens(scaled);
  }
}

TEST_F(GemmCheck, InputsAreSpreadOverMinusOneToOne) {
  const ProblemData data(make_problem(300, 200, 500), {}, *stream_);
  stream_->synchronize();
  const Matrix a = download(data.a().view()), b = download(data.b().view());
  EXPECT_GE(a.minCoeff(), -1);
  EXPECT_LT(a.maxCoeff(), 1);
  EXPECT_LT(a.minCoeff(), -0.999);
  EXPECT_GT(a.maxCoeff(), 0.999);
  EXPECT_NEAR(a.mean(), 0, 0.01);
  EXPECT_NEAR(a.array().square().mean(), 1.0 / 3, 0.01);
  EXPECT_NE(a(0, 0), b(0, 0));
}

TEST_F(GemmCheck, NanIsNeverRight) {
  EXPECT_NE(reason_after(0, std::numeric_limits<float>::quiet_NaN()).find("not finite"),
            std::string::npos);
  EXPECT_NE(reason_after(99 * 96 + 89, std::numeric_limits<float>::infinity()).find("not finite"),
            std::string::npos);
}

TEST_F(GemmCheck, AWrongElementIsNamed) {
  EXPECT_NE(reason_after(7 * 96 + 5, 1e3F).find("row 7, column 5"), std::string::npos);
}

TEST_F(GemmCheck, WritesOutsideCAreFound) {
  EXPECT_NE(reason_after(-1, 0).find("outside"), std::string::npos);
  EXPECT_NE(reason_after(90, 0).find("outside"), std::string::npos);
  EXPECT_NE(reason_after(99 * 96 + 90, 0).find("outside"), std::string::npos);
}

}  // namespace
}  // namespace rooftile::gemm
