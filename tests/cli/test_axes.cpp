// The grammar of --shape: single sizes, axes, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <fmt/format.h>

#include "cli/axes.hpp"
#include "model/error.hpp"

namespace rooftile::cli {
namespace {

std::vector<std::string> names(const std::vector<std::string>& arguments) {
  std::vector<std::string> result;
  for (const GemmProblem& problem : parse_shapes(arguments)) result.push_back(shape_name(problem));
  return result;
}

std::string message_of(const std::vector<std::string>& arguments) {
  try {
    parse_shapes(arguments);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Axes, SingleShapes) {
  EXPECT_THAT(names({"4096"}), ElementsAre("4096x4096x4096"));
  EXPECT_THAT(names({"4Ki"}), ElementsAre("4096x4096x4096"));
  EXPECT_THAT(names({"4Kix11008x4096", "1x4096x1"}), ElementsAre("4096x11008x4096", "1x4096x1"));
}

TEST(Axes, RangeIncludesTheLastValueOnlyWhenHit) {
  EXPECT_EQ(parse_axis("M=[1024:8192:1024]").values.size(), 8u);
  EXPECT_THAT(parse_axis("M=[1:10:4]").values, ElementsAre(1, 5, 9));
  EXPECT_THAT(parse_axis("N=[3:5]").values, ElementsAre(3, 4, 5));
  EXPECT_THAT(parse_axis("K=[7:7]").values, ElementsAre(7));
}

TEST(Axes, PowersListsAndSharedAxes) {
  EXPECT_THAT(parse_axis("K[pow2]=[8:10]").values, ElementsAre(256, 512, 1024));
  EXPECT_THAT(parse_axis("K[pow2]=12").values, ElementsAre(4096));
  EXPECT_THAT(parse_axis("M=[512,1Ki,3072]").values, ElementsAre(512, 1024, 3072));
  EXPECT_THAT(names({"MNK=[64,128]"}), ElementsAre("64x64x64", "128x128x128"));
  EXPECT_THAT(names({"MN[pow2]=[1:2]", "K=3"}), ElementsAre("2x2x3", "4x4x3"));
}

TEST(Axes, AxesMultiplyInOneArgumentOrSeveral) {
  const std::vector<std::string> expected{"1x3x5", "1x3x6", "2x3x5", "2x3x6"};
  EXPECT_EQ(names({"M=[1,2] N=3 K=[5,6]"}), expected);
  EXPECT_EQ(names({"M=[1,2],N=3,K=[5,6]"}), expected);
  EXPECT_EQ(names({"M=[1,2]", "N=3", "K=[5,6]"}), expected);
  EXPECT_EQ(names({"M=[1024:8192:1024]", "N=4096", "K[pow2]=[8:13]"}).size(), 48u);
}

TEST(Axes, DuplicatesAreDropped) {
  EXPECT_THAT(names({"64", "64x64x64", "MNK=[32,64]"}), ElementsAre("64x64x64", "32x32x32"));
}

TEST(Axes, ErrorsQuoteTheTextAndTheGrammar) {
  EXPECT_THAT(message_of({"M=[1024:512]", "NK=1"}),
              AllOf(HasSubstr("M=[1024:512]"), HasSubstr("below the first")));
  EXPECT_THAT(message_of({"M=4", "N=4"}), HasSubstr("no axis K"));
  EXPECT_THAT(message_of({"M=4", "MN=4", "K=1"}), HasSubstr("axis M is given twice"));
  EXPECT_THAT(message_of({"Q=4"}), HasSubstr("'Q' is not made of M, N and K"));
  EXPECT_THAT(message_of({"K[pow2]=[8:99]", "MN=1"}), HasSubstr("'99' is no exponent"));
  EXPECT_THAT(message_of({"M=[1:1000000000]", "NK=1"}), HasSubstr("more than 100000 values"));
  EXPECT_THAT(message_of({"MNK=[1:2:0]"}), testing::Not("no error"));
}

TEST(Axes, EverythingElseIsRefused) {
  for (const char* text : {"",
                           "12abc",
                           "-4",
                           "0",
                           "4096x",
                           "x4096",
                           "4096x4096",
                           "M=",
                           "M=[",
                           "M=[]",
                           "M=[1,]",
                           "M=[1:2:3:4]",
                           "M=[1",
                           "=4",
                           "M=4x4x4",
                           "M=1e3",
                           "K[pow2]=-1",
                           "K[pow3]=[1:2]",
                           "99999999999999999999",
                           "M=[::]"})
    EXPECT_NE(message_of({text}), "no error") << "'" << text << "'";
}

TEST(Axes, RangesHoldExactlyTheStepsFromFirstToLast) {
  EXPECT_TRUE(rc::check("M=[first:last:step]", [] {
    const int first = *rc::gen::inRange(1, 5000), count = *rc::gen::inRange(1, 50);
    const int step = *rc::gen::inRange(1, 300), slack = *rc::gen::inRange(0, step);
    const int last = first + (count - 1) * step + slack;
    const Axis axis = parse_axis(fmt::format("N=[{}:{}:{}]", first, last, step));
    RC_ASSERT(axis.values.size() == static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      RC_ASSERT(axis.values[static_cast<std::size_t>(i)] == first + i * step);
  }));
}

}  // namespace
}  // namespace rooftile::cli
