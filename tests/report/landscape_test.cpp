// Measured tiles on the page, by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixture.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

using testing::HasSubstr;

ErrorSummary summary(int n, double tau, double first, double five) {
  ErrorSummary s;
  s.n = n;
  s.mape = 0.25;
  s.max = 0.5;
  s.kendall_tau_b = tau;
  s.regret_top1 = first;
  s.regret_top5 = five;
  return s;
}

/// Three kernels on one shape: the second by prediction is the fastest.
ReportInput with_landscape() {
  constexpr const char* shape = "4096x4096x4096";
  ReportInput input = test::plausible_input(1, 3);
  Landscape& landscape = input.landscape.emplace();
  ValidationReport& v = landscape.searched;
  v.cases = {{"analytic", "warp_tile", "128x128x8/8x8/64x32", shape, "dev", 2e-3, 4e-3, "fma"},
             {"analytic", "warp_tile", "64x64x8/8x8/64x32", shape, "dev", 3e-3, 3.2e-3, "fma"},
             {"analytic", "vectorized", "64x64x8/8x8", shape, "dev", 6e-3, 5e-3, "smem"},
             {"analytic", "vectorized", "32x32x8/4x4", shape, "sealed", 1e-3, 1e-3, "smem"}};
  v.predictors["analytic"]["dev"] = summary(3, 0.5, 0.25, 0);
  v.by_shape["analytic"][shape] = summary(3, 0.5, 0.25, 0);
  v.baselines["random"].regret_top1 = 0.4;
  landscape.compiled = v;
  return input;
}

template <class T>
std::vector<T> all(const std::vector<Block>& blocks) {
  std::vector<T> found;
  for (const Block& block : blocks)
    if (const T* one = std::get_if<T>(&block)) found.push_back(*one);
  return found;
}

TEST(MeasuredTiles, SayWhatTheFirstChoiceCosts) {
  const auto blocks = landscape_blocks(with_landscape());
  const auto texts = all<Paragraph>(blocks);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_THAT(texts[0].text, HasSubstr("3 measured kernels on 1 shape."));
  EXPECT_THAT(texts[0].text, HasSubstr("tau-b 0.50"));
  EXPECT_THAT(texts[0].text, HasSubstr("a tile at random 40.0"));
  const auto tables = all<TableBlock>(blocks);
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].rows.size(), 3U) << "searched, compiled, random";
  ASSERT_EQ(tables[1].rows.size(), 1U);
  EXPECT_THAT(tables[1].rows[0][2].text, HasSubstr("64x64x8/8x8/64x32"));
  EXPECT_THAT(tables[1].rows[0][6].hover, HasSubstr("128x128x8/8x8/64x32"));
  EXPECT_EQ(tables[1].rows[0][6].mark, Mark::bad);
}

TEST(MeasuredTiles, AreSaidToBeDrawnWhereTheyAreTheRecordedOnes) {
  ReportInput input = with_landscape();
  const auto text = [&input] { return all<Paragraph>(landscape_blocks(input)).at(0).text; };
  EXPECT_THAT(text(), testing::Not(HasSubstr("drawn from all legal tiles")));
  input.landscape->recorded = true;
  EXPECT_THAT(text(), HasSubstr("3 kernels of every variant that is predicted, drawn from all"));
}

TEST(MeasuredTiles, DrawEveryKernelInItsPlace) {
  const auto figures = all<Figure>(landscape_blocks(with_landscape()));
  ASSERT_EQ(figures.size(), 2U);
  const auto& measured = figures[0].plot.series.at(0).rows;
  const auto& predicted = figures[0].plot.series.at(1).rows;
  ASSERT_EQ(measured.size(), 3U);
  EXPECT_GT(measured[0][1], measured[1][1]);
  EXPECT_GT(measured[1][1], measured[2][1]);
  EXPECT_DOUBLE_EQ(predicted[1][1] / measured[1][1], 2) << "predicted in half the time";
  EXPECT_THAT(figures[0].alternative, HasSubstr("25.0"));
}

TEST(MeasuredTiles, AreMissedWhereThereAreNone) {
  for (const bool empty : {true, false}) {
    ReportInput input = with_landscape();
    if (empty)
      input.landscape->searched.cases.clear();
    else
      input.landscape.reset();
    const auto texts = all<Paragraph>(landscape_blocks(input));
    ASSERT_EQ(texts.size(), 1U);
    EXPECT_EQ(texts[0].tone, Tone::missing);
    EXPECT_THAT(texts[0].command, HasSubstr("measure"));
  }
}

}  // namespace
}  // namespace rooftile::report
