// Lane patterns: kinds from names, groups, and what agrees.
#include "report/lane_patterns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace rooftile::report {
namespace {

using testing::ElementsAre;

Table table() {
  Table t;
  t.columns = {"name", "width", "measured", "modelled"};
  t.rows = {{"sts32 i", {4, 1, 1}},      {"lds128 4i", {16, 4.01, 4}}, {"lds32 2i", {4, 2, 2}},
            {"lds128 0", {16, 1.99, 2}}, {"lds128 8", {16, 4, 4}},     {"lds32 odd", {4, 3, 2}}};
  return t;
}

TEST(LanePatterns, AreGroupedByAccessThenByTheModel) {
  std::vector<std::string> kinds;
  std::vector<std::size_t> counts;
  for (const PatternGroup& group : group_patterns(lane_patterns(table()))) {
    kinds.push_back(group.kind);
    counts.push_back(group.count);
  }
  EXPECT_THAT(kinds, ElementsAre("LDS.32", "LDS.128", "LDS.128", "STS.32"));
  EXPECT_THAT(counts, ElementsAre(2u, 1u, 2u, 1u));
}

TEST(LanePatterns, KeepTheSpreadOfWhatWasMeasured) {
  const PatternGroup group = group_patterns(lane_patterns(table())).front();
  EXPECT_EQ(group.modelled, 2);
  EXPECT_EQ(group.least, 2);
  EXPECT_EQ(group.most, 3);
  EXPECT_DOUBLE_EQ(group.mean, 2.5);
}

TEST(LanePatterns, AgreeWithinAFewPercent) {
  std::vector<std::string> off;
  for (const LanePattern& p : lane_patterns(table()))
    if (!p.agrees()) off.push_back(p.name);
  EXPECT_THAT(off, ElementsAre("lds32 odd"));
}

TEST(LanePatterns, RowsWithoutBothNumbersAreLeftOut) {
  Table t = table();
  t.rows[0].values.resize(2);
  t.rows[1].values[1] = std::numeric_limits<double>::quiet_NaN();
  t.rows[2].values[2] = 0;
  EXPECT_EQ(lane_patterns(t).size(), 3u);
  t.columns[3] = "other";
  EXPECT_TRUE(lane_patterns(t).empty());
}

TEST(LanePatterns, NamesWithoutAnAccessAreOther) {
  Table t = table();
  t.rows = {{"odd one", {4, 1, 1}}, {"LDS.64 2i", {8, 2, 2}}};
  const auto patterns = lane_patterns(t);
  EXPECT_EQ(patterns[0].kind, "other");
  EXPECT_EQ(patterns[1].kind, "LDS.64");
}

}  // namespace
}  // namespace rooftile::report
