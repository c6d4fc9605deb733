// Heat maps and rows of dots: the step of a value, and the scripts as written.
#include "report/heat_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "report/dot_rows.hpp"

namespace rooftile::report {
namespace {

using testing::HasSubstr;

TEST(HeatMap, StepsSpanTheValues) {
  EXPECT_EQ(heat_step(0, 0, 70, false, 7), 1);
  EXPECT_EQ(heat_step(70, 0, 70, false, 7), 7);
  EXPECT_EQ(heat_step(35, 0, 70, false, 7), 4);
  EXPECT_EQ(heat_step(10, 1, 100, true, 2), 2) << "the middle of a logarithm";
  EXPECT_EQ(heat_step(9, 1, 100, true, 2), 1);
  EXPECT_EQ(heat_step(5, 5, 5, false, 7), 1) << "all equal";
  EXPECT_TRUE(rc::check("a larger value has no smaller step", [](bool logarithmic) {
    const double lo = *rc::gen::inRange(1, 1000), hi = lo + *rc::gen::inRange(1, 1000);
    const double a = lo + (hi - lo) * *rc::gen::inRange(0, 101) / 100;
    const double b = lo + (hi - lo) * *rc::gen::inRange(0, 101) / 100;
    const int at_a = heat_step(a, lo, hi, logarithmic, 7),
              at_b = heat_step(b, lo, hi, logarithmic, 7);
    RC_ASSERT(at_a >= 1 && at_a <= 7);
    RC_ASSERT(a > b || at_a <= at_b);
  }));
}

HeatMap two_by_one() {
  HeatMap map;
  map.name = "m";
  map.x_label = "BN";
  map.y_label = "BM";
  map.value = "predicted";
  map.below = "measured";
  map.columns = {"64", "128"};
  map.rows = {"32"};
  map.cells = {{0, 0, 10, {}, "slow"}, {1, 0, 80, 75.5, "it's <fast>"}};
  return map;
}

TEST(HeatMap, IsWrittenAsThis) {
  const Plot plot = plot_of(two_by_one());
  std::string text;
  for (const std::string& command : plot.commands) text += command + "\n";
  EXPECT_EQ(text, R"(set style fill solid 1.0 noborder
set grid noxtics noytics
set tics scale 0
set xrange [-0.5:1.5]
set yrange [-0.5:0.5]
set xtics ('64' 0, '128' 1)
set ytics ('32' 0)
set xlabel 'BN'
set ylabel 'BM'
plot 'm.dat' index 0 using ($4==1 ? $1 : NaN):2:($1-0.49):($1+0.49):($2-0.49):($2+0.49) with boxxyerror lc rgb '#edf3f8' notitle, \
     'm.dat' index 0 using ($4==1 ? $1 : NaN):2:(stringcolumn(5)) with labels hypertext point lc rgb '#edf3f8' pt 5 ps 2.2 notitle, \
     'm.dat' index 0 using ($4==7 ? $1 : NaN):2:($1-0.49):($1+0.49):($2-0.49):($2+0.49) with boxxyerror lc rgb '#5c9bcc' notitle, \
     'm.dat' index 0 using ($4==7 ? $1 : NaN):2:(stringcolumn(5)) with labels hypertext point lc rgb '#5c9bcc' pt 5 ps 2.2 notitle, \
     'm.dat' index 0 using 1:($2+0.16):(sprintf('%.1f', $3)) with labels font ',12' notitle, \
     'm.dat' index 1 using 1:($2-0.22):(sprintf('%.1f', $3)) with labels font ',10' notitle
)");
  EXPECT_THAT(dat_text(plot), HasSubstr("1 0 80 7 \"it\u2019s \u2039fast\u203a\""));
  EXPECT_THAT(dat_text(plot), HasSubstr("1 0 75.5"));
}

TEST(HeatMap, LeavesOutWhatCannotBeDrawn) {
  HeatMap map = two_by_one();
  map.cells[0].value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(plot_of(map).series.front().rows.size(), 1u);
  map.cells[0].value = -1;
  EXPECT_EQ(plot_of(map).series.front().rows.size(), 2u);
  map.logarithmic = true;
  EXPECT_EQ(plot_of(map).series.front().rows.size(), 1u);
}

TEST(DotRows, OnALogarithmicAxisWhatIsLessStandsAtItsStart) {
  DotRows rows{"r", "regret, %", 0.1, true, {"a", "b"}, {}};
  rows.kinds = {{"model", {{0, 0, "best"}, {1, 30, "worse"}}, true}};
  const Plot plot = plot_of(rows);
  EXPECT_THAT(plot.commands, testing::Contains("set xrange [0.0833333:39]"));
  EXPECT_THAT(plot.commands,
              testing::Contains(HasSubstr("set xtics ('\u2264 0.1' 0.1, '0.2' 0.2")));
  EXPECT_THAT(plot.commands.back(),
              HasSubstr("'r.dat' index 0 using ($2 < 0.1 ? 0.1 : $2):1:(stringcolumn(3))"));
  EXPECT_THAT(dat_text(plot), HasSubstr("0 0 \"best\"")) << "the data keep the number";
  rows.logarithmic = false;
  EXPECT_THAT(plot_of(rows).commands, testing::Contains("set xrange [0.1:*]"));
  EXPECT_THAT(plot_of(rows).commands.back(), HasSubstr("index 0 using 2:1:(stringcolumn(3))"));
}

}  // namespace
}  // namespace rooftile::report
