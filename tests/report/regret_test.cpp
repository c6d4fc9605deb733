// Regret and the reasons of cases, by hand.
#include "report/regret.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixture.hpp"
#include "report/case_reason.hpp"

namespace rooftile::report {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* shape = "1024x1024x1024";

ErrorCase case_of(const char* predictor, const char* variant, const char* tile, double predicted_s,
                  double measured_s) {
  return {predictor, variant, tile, shape, "dev", predicted_s, measured_s, "fma"};
}

std::vector<ErrorCase> three_kernels() {
  return {case_of("analytic", "a", "128x128x8/8x8", 1, 3),
          case_of("analytic", "b", "64x64x8/8x8", 2, 2),
          case_of("sass", "a", "128x128x8/8x8", 4, 3), case_of("sass", "b", "64x64x8/8x8", 2, 2)};
}

ReportInput measured() { return test::plausible_input(1, 3); }

TEST(Regret, IsWhatTheChoiceCosts) {
  const ReportInput input = measured();
  const auto regrets = regrets_of(three_kernels(), "dev", input, analyse(input));
  ASSERT_EQ(regrets.size(), 1u);
  const ShapeRegret& r = regrets.front();
  EXPECT_EQ(r.best, "b 64x64x8/8x8");
  EXPECT_DOUBLE_EQ(r.picks.at("analytic").regret, 0.5);
  EXPECT_EQ(r.picks.at("analytic").kernel, "a 128x128x8/8x8");
  EXPECT_DOUBLE_EQ(r.picks.at("sass").regret, 0);
  ASSERT_TRUE(r.fixed);
  EXPECT_DOUBLE_EQ(r.fixed->regret, 0.5);
  ASSERT_TRUE(r.cublas);
  EXPECT_LT(*r.cublas, 0) << "microseconds against two seconds";
}

TEST(Regret, NeedsAChoiceAndItsSplit) {
  const ReportInput input = measured();
  const Analysis analysis = analyse(input);
  auto cases = three_kernels();
  EXPECT_TRUE(regrets_of(cases, "sealed", input, analysis).empty());
  std::erase_if(cases, [](const ErrorCase& c) { return c.variant == "b"; });
  EXPECT_TRUE(regrets_of(cases, "dev", input, analysis).empty()) << "one kernel is no choice";
}

Prediction ragged() {
  Prediction p;
  p.predictor = "analytic";
  p.variant = "double_buffer";
  p.tile = Tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8};
  p.problem = make_problem(129, 128, 33);
  p.time_s = 10e-6;
  p.terms = {{"fma", 1e-6}, {"latency", 6e-6}, {"launch", 3e-6}};
  p.waves = 2.0 / 264;
  return p;
}

TEST(CaseReason, NamesLargeTermsWavesAndEdges) {
  EXPECT_EQ(reason_of(ragged()),
            "latency 60.0\u00a0%, launch 30.0\u00a0% of the time; 0.0076 of a wave; 49.6\u00a0% of "
            "the blocks\u2019 area lies outside C, ragged K");
  Prediction whole = ragged();
  whole.problem = make_problem(4096, 4096, 4096);
  whole.waves = 4.5;
  whole.tail_efficiency = 0.9;
  EXPECT_THAT(reason_of(whole), Not(HasSubstr("wave")));
  EXPECT_THAT(reason_of(whole), Not(HasSubstr("outside")));
  whole.tail_efficiency = 0.7;
  EXPECT_THAT(reason_of(whole), HasSubstr("4.50 waves, slots used to 70.0"));
}

TEST(CaseReason, FindsThePredictionOfACase) {
  const std::vector<Prediction> predictions = {ragged()};
  const PredictionOfCase index(predictions);
  ErrorCase c{"analytic", "double_buffer", tile_name(ragged().tile), "129x128x33", "dev", 1, 1, ""};
  EXPECT_EQ(index.find(c), &predictions.front());
  c.predictor = "sass";
  EXPECT_EQ(index.find(c), nullptr);
}

}  // namespace
}  // namespace rooftile::report
