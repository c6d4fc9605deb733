// The row-major form of a problem: the same elements meet in the same products.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "gemm/problem_arguments.hpp"
#include "model/kernel/problem.hpp"

namespace rooftile::gemm {
namespace {

/// Where element (row, column) of op(X) lies in memory, straight from the meaning of layout and
/// transposition.
std::int64_t place(Layout layout, bool transposed, std::int64_t leading, std::int64_t row,
                   std::int64_t column) {
  if (transposed) std::swap(row, column);
  return layout == Layout::row_major ? row * leading + column : column * leading + row;
}

GemmProblem any_problem() {
  GemmProblem p;
  const auto size = rc::gen::inRange<std::int64_t>(1, 50),
             pad = rc::gen::inRange<std::int64_t>(0, 9);
  p.M = *size, p.N = *size, p.K = *size;
  p.batch = *rc::gen::inRange<std::int64_t>(1, 4);
  p.layout = *rc::gen::element(Layout::row_major, Layout::column_major);
  p.trans_a = *rc::gen::arbitrary<bool>();
  p.trans_b = *rc::gen::arbitrary<bool>();
  pack(p);
  p.lda += *pad, p.ldb += *pad, p.ldc += *pad;
  const auto strides = packed_strides(p);
  p.stride_a = strides[0] + *pad, p.stride_b = strides[1] + *pad, p.stride_c = strides[2] + *pad;
  return p;
}

TEST(Canonical, NamesTheSameElements) {
  EXPECT_TRUE(rc::check("elements", [] {
    const GemmProblem p = any_problem(), q = canonical(p);
    const std::int64_t m = *rc::gen::inRange<std::int64_t>(0, p.M);
    const std::int64_t n = *rc::gen::inRange<std::int64_t>(0, p.N);
    const std::int64_t k = *rc::gen::inRange<std::int64_t>(0, p.K);
    const bool turned = p.layout == Layout::column_major;
    const auto a = place(p.layout, p.trans_a, p.lda, m, k);
    const auto b = place(p.layout, p.trans_b, p.ldb, k, n);
    const auto c = place(p.layout, false, p.ldc, m, n);
    const auto row = turned ? n : m, column = turned ? m : n;
    RC_ASSERT(q.layout == Layout::row_major);
    RC_ASSERT(place(q.layout, q.trans_a, q.lda, row, k) == (turned ? b : a));
    RC_ASSERT(place(q.layout, q.trans_b, q.ldb, k, column) == (turned ? a : b));
    RC_ASSERT(place(q.layout, false, q.ldc, row, column) == c);
    RC_ASSERT(q.stride_a == (turned ? p.stride_b : p.stride_a));
    RC_ASSERT(q.stride_c == p.stride_c);
    RC_ASSERT(q.flop() == p.flop());
  }));
}

TEST(Canonical, IsLegalAndItsOwnCanonicalForm) {
  EXPECT_TRUE(rc::check("idempotent", [] {
    const GemmProblem p = any_problem(), q = canonical(p);
    check_problem(p, "given");
    check_problem(q, "canonical");
    RC_ASSERT(canonical(q) == q);
    RC_ASSERT((p.layout == Layout::column_major || q == p));
  }));
}

TEST(Canonical, ArgumentsSwapTheOperandsOfColumnMajorProblems) {
  const float a = 0, b = 0;
  float c = 0;
  GemmProblem p = make_problem(3, 5, 7);
  EXPECT_EQ(arguments_of(p, &a, &b, &c).a, &a);
  p.layout = Layout::column_major;
  p.trans_a = true;
  pack(p);
  const Arguments swapped = arguments_of(p, &a, &b, &c);
  EXPECT_EQ(swapped.a, &b);
  EXPECT_EQ(swapped.b, &a);
  EXPECT_EQ(swapped.M, 5);
  EXPECT_TRUE(swapped.trans_b);
  EXPECT_FALSE(swapped.trans_a);
}

TEST(Pack, FollowsLayoutAndTransposition) {
  GemmProblem p = make_problem(3, 5, 7);
  EXPECT_EQ(p.stride_a, 0);
  p.batch = 2;
  p.trans_a = true;
  pack(p);
  EXPECT_EQ(p.lda, 3);
  EXPECT_EQ(p.stride_a, 21);
  EXPECT_EQ(p.stride_c, 15);
  EXPECT_EQ(stored_lines(p)[0], 7);
}

TEST(ProblemName, SaysWhatIsNotTheHeadline) {
  GemmProblem p = make_problem(3, 5, 7);
  EXPECT_EQ(problem_name(p), "3x5x7");
  p.trans_a = true;
  p.beta = 1;
  pack(p);
  EXPECT_EQ(problem_name(p), "3x5x7 TN beta=1");
}

}  // namespace
}  // namespace rooftile::gemm
