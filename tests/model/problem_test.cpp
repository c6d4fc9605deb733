// GEMM problems: sizes and shapes from text, legality, JSON.
#include "model/kernel/problem.hpp"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <nlohmann/json.hpp>

#include "tests/support/record_samples.hpp"

namespace rooftile::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Problem, PackedLeadingDimensionsAsInBlas) {
  auto problem = make_problem(3, 5, 7);
  EXPECT_EQ(packed_leading_dimensions(problem), (std::array<std::int64_t, 3>{7, 5, 5}));
  problem.trans_a = problem.trans_b = true;
  EXPECT_EQ(packed_leading_dimensions(problem), (std::array<std::int64_t, 3>{3, 7, 5}));
  problem.layout = Layout::column_major;
  EXPECT_EQ(packed_leading_dimensions(problem), (std::array<std::int64_t, 3>{7, 5, 3}));
  problem.trans_a = problem.trans_b = false;
  EXPECT_EQ(packed_leading_dimensions(problem), (std::array<std::int64_t, 3>{3, 7, 3}));
}

TEST(Problem, FlopDoesNotOverflow) {
  auto problem = make_problem(max_dimension, 1, 1);
  problem.N = problem.K = max_dimension;
  EXPECT_GT(problem.flop(), 1.9e28);
}

TEST(Problem, ParsesShapes) {
  EXPECT_EQ(parse_shape("4096"), make_problem(4096, 4096, 4096));
  EXPECT_EQ(parse_shape("4Ki"), make_problem(4096, 4096, 4096));
  EXPECT_EQ(parse_shape("1x4Kix33"), make_problem(1, 4096, 33));
  EXPECT_EQ(parse_size("1Mi"), 1 << 20);
  EXPECT_EQ(shape_name(parse_shape("4096x11008x4096")), "4096x11008x4096");
}

TEST(Problem, ShapeNameParsesBack) {
  EXPECT_TRUE(rc::check("parse_shape(shape_name(p)) has p's sizes", [] {
    const auto p = *legal_problem();
    RC_ASSERT(parse_shape(shape_name(p)) == make_problem(p.M, p.N, p.K));
  }));
}

TEST(Problem, RefusesBadShapes) {
  for (const char* text : {"",
                           "12abc",
                           "0",
                           "-1",
                           "+1",
                           " 1",
                           "1 ",
                           "4K",
                           "4ki",
                           "1x2",
                           "1x2x3x4",
                           "x",
                           "1xx2",
                           "1x2x",
                           "9223372036854775808",
                           "18446744073709551616",
                           "2147483648",
                           "2Mi2",
                           "2097152Ki",
                           "1e3",
                           "0x10",
                           "1.5",
                           "nan",
                           "4096x4096x",
                           "3000X5000X7000",
                           "3000*5000*7000",
                           "3000 x 5000 x 7000"})
    EXPECT_THAT(input_error([&] { parse_shape(text); }),
                AllOf(HasSubstr("\"" + std::string(text) + "\""), HasSubstr("MxNxK, e.g. ")))
        << text;
  EXPECT_THAT(input_error([] { parse_shape("2147483647x2147483647x2147483647"); }),
              HasSubstr("more than the 2^60"));
  EXPECT_THAT(input_error([] { make_problem(0, 1, 1); }), HasSubstr("M is 0"));
}

TEST(Problem, AnyTextParsesOrIsRefused) {
  EXPECT_TRUE(rc::check("parse_shape throws nothing but InputError", [] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::elementOf(std::string("0123456789xKMi -+e.\0\xff", 21)));
    input_error([&] { parse_shape(text); });
    input_error([&] { parse_tile(text, Tile{}); });
  }));
}

TEST(Problem, JsonRoundTrips) {
  EXPECT_TRUE(rc::check("problem_from(to_json(p)) == p", [] {
    const auto problem = *legal_problem();
    const Json json = parse_json(to_json(problem).dump(), "p");
    RC_ASSERT(problem_from(JsonReader(json, "p")) == problem);
  }));
}

std::string error_with(const char* member, const Json& value) {
  Json json = to_json(make_problem(4, 5, 6));
  json[member] = value;
  return input_error([&] { problem_from(JsonReader(json, "f")); });
}

TEST(Problem, RefusesBadJson) {
  EXPECT_THAT(error_with("M", -4), HasSubstr("f: M is -4, must be from 1"));
  EXPECT_THAT(error_with("M", 9223372036854775808U),
              HasSubstr("f: M: expected an integer below 2^63"));
  EXPECT_THAT(error_with("M", "4"), HasSubstr("f: M: expected an integer, found \"4\""));
  EXPECT_THAT(error_with("lda", 5), HasSubstr("lda is 5, must be from 6"));
  EXPECT_THAT(error_with("ldc", 2147483648), HasSubstr("ldc is 2147483648"));
  EXPECT_THAT(error_with("alpha", nullptr), HasSubstr("f: alpha: expected a number, found null"));
  EXPECT_THAT(error_with("batch", 0), HasSubstr("batch is 0"));
  EXPECT_THAT(error_with("strides", {{"a", -1}, {"b", 0}, {"c", 0}}), HasSubstr("stride a is -1"));
  EXPECT_THAT(error_with("dtype", {{"a", "f64"}}),
              HasSubstr("f: dtype.a: expected one of \"f32\""));
  EXPECT_THAT(error_with("layout", 3),
              HasSubstr("expected one of \"row_major\", \"column_major\""));
  EXPECT_EQ(error_with("beta", 2), "");
}

TEST(Problem, ScalarsAreNumbersOfSinglePrecision) {
  for (const char* name : {"alpha", "beta"})
    for (const double value : {1e39, -1e39, 1e-50, -1e-46})
      EXPECT_THAT(error_with(name, value), HasSubstr(std::string(name) + " is "))
          << name << " " << value;
  for (const double value : {0.0, -0.0, 1e-45, -3.4e38, 0.1})
    EXPECT_EQ(error_with("alpha", value), "") << value;
}

/// What check_problem() says of a batch of 16x16x16 with this stride of C.
std::string error_with_batch(std::int64_t batch, std::int64_t stride) {
  GemmProblem problem = make_problem(16, 16, 16);
  problem.batch = batch;
  pack(problem);
  problem.stride_c = stride;
  return input_error([&] { check_problem(problem, "p"); });
}

TEST(Problem, MatricesOfABatchLieWithinTheCount) {
  constexpr std::int64_t most_stride = std::int64_t{1} << 53, batch = (1 << 7) + 1;
  EXPECT_EQ(error_with_batch(max_dimension, 256), "");
  EXPECT_EQ(error_with_batch(batch - 1, most_stride), "");
  EXPECT_THAT(error_with_batch(batch, most_stride), HasSubstr("p: matrix c has"));
  EXPECT_THAT(error_with_batch(max_dimension, most_stride), HasSubstr("more than the 2^60"));
}

/// Nor may their number pass it where they share memory.
TEST(Problem, MatricesThatLieOnEachOtherCountEach) {
  GemmProblem problem = make_problem(1 << 20, 1, 1 << 20);
  problem.batch = 1 << 21;
  problem.stride_a = 0;
  EXPECT_THAT(input_error([&] { check_problem(problem, "p"); }), HasSubstr("matrix a has"));
}

}  // namespace
}  // namespace rooftile::test
