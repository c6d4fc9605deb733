// What single sections say of the data, each on the whole page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixture.hpp"
#include "model/error.hpp"
#include "report/format.hpp"
#include "written.hpp"

namespace rooftile::test {
namespace {

using testing::HasSubstr;

TEST(Sections, SealedStandsBesideDevUntilItIsOpened) {
  ReportInput input = plausible_input();
  Written closed;
  write(input, closed);
  EXPECT_THAT(line_of(closed.markdown, "| analytic | sealed: not opened yet |"),
              HasSubstr(report::no_value));
  input.validation.predictors["analytic"]["sealed"] =
      input.validation.predictors["analytic"]["dev"];
  Written open;
  write(input, open);
  EXPECT_THAT(line_of(open.markdown, "| analytic | sealed |"), HasSubstr("0.91"));
}

TEST(Sections, LanePatternsThatDifferAreNamed) {
  ReportInput input = plausible_input();
  Written w;
  write(input, w);
  EXPECT_THAT(w.page.text, HasSubstr("5 of 6 lane patterns take as many cycles as the model counts "
                                     "wavefronts; not so: odd one (3.00 against 2.00)."));
  input.profile.tables.at("smem.patterns").rows.pop_back();
  Written agreeing;
  write(input, agreeing);
  EXPECT_THAT(agreeing.page.text, HasSubstr("5 of 5 lane patterns take as many cycles as the model "
                                            "counts wavefronts (within 5 %)."));
}

TEST(Sections, PortStreamsAreHeldAgainstBothRules) {
  ReportInput input = plausible_input();
  Written two;
  write(input, two);
  EXPECT_THAT(two.page.text, HasSubstr("The rule with 2 banks is off by 0.1\u00a0% at most over 3 "
                                       "streams, that with 4 by 33.3\u00a0%."));
  input.profile.metrics.at("register.banks").value = 4;
  Written four;
  write(input, four);
  EXPECT_THAT(four.page.text, HasSubstr("The rule with 4 banks is off by 33.3\u00a0%"));
}

TEST(Sections, TheVerdictNamesTheBestTileAndTheFastestMeasuredKernel) {
  const ReportInput input = plausible_input();
  Written w;
  write(input, w);
  EXPECT_THAT(
      w.page.text,
      testing::ContainsRegex("4096x4096x4096: 256x128x8/8x8 of double buffer, predicted [0-9.]+.* "
                             "\\(bound fma; 3 tiles tie\\); fastest measured: double buffer"));
  EXPECT_THAT(w.page.text, testing::ContainsRegex("1000x1000x1000: .*; not measured"));
}

TEST(Sections, HitRatesByRasterAreMeasuredWhereRunsHaveCounters) {
  ReportInput input = plausible_input();
  Written with;
  write(input, with);
  EXPECT_THAT(with.page.text, HasSubstr("Dots: by hardware counters."));
  EXPECT_THAT(read_text_file(with.folder.path() + "/report/plots/l2_by_raster.dat"),
              HasSubstr("4096 80.3 "));
  for (RunRecord& run : input.runs) run.counters.values.clear();
  Written without;
  write(input, without);
  EXPECT_THAT(without.page.text, HasSubstr("so the hit rate is predicted only"));
}

TEST(Sections, WithoutAnOutlookTheSectionsSaySo) {
  ReportInput input = plausible_input();
  input.outlook = {};
  Written w;
  write(input, w);
  expect_sound(w);
  EXPECT_THAT(w.page.text, HasSubstr("does not hold what the search needs"));
  EXPECT_THAT(w.page.text, HasSubstr("does not hold what the predictors need"));
}

TEST(Sections, PartsOfTheModelStandBesideTheWhole) {
  ReportInput input = plausible_input();
  Written with;
  write(input, with);
  EXPECT_THAT(line_of(with.markdown, "| nothing | analytic |"), HasSubstr(report::no_value));
  EXPECT_THAT(line_of(with.markdown, "| tail | analytic | a partial wave takes"),
              HasSubstr("0.91"));
  EXPECT_THAT(with.html, HasSubstr("num warn"));
  input.validation.ablation.clear();
  Written without;
  write(input, without);
  EXPECT_THAT(without.page.text, HasSubstr("rooftile report --ablate"));
}

TEST(Sections, WorstCasesSayWhatTheirPredictionsAreMadeOf) {
  ReportInput input = plausible_input();
  ErrorCase& worst = input.validation.worst.front();
  for (Prediction& p : input.predictions)
    if (p.predictor == worst.predictor && p.variant == worst.variant &&
        shape_name(p.problem) == worst.shape)
      p.terms = {{"latency", 0.6 * p.time_s}, {"fma", 0.4 * p.time_s}};
  Written w;
  write(input, w);
  EXPECT_THAT(w.page.text, HasSubstr("latency 60.0\u00a0%, fma 40.0\u00a0% of the time"));
}

}  // namespace
}  // namespace rooftile::test
