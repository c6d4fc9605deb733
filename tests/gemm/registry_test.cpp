// The registry of variants against the folder, and what every descriptor owes its readers.
#include "gemm/variant.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "model/error.hpp"
#include "model/record/splits.hpp"

namespace rooftile {
namespace {

namespace fs = std::filesystem;

std::set<std::string> stems(const std::string& extension) {
  std::set<std::string> names;
  for (const auto& entry :
       fs::directory_iterator(fs::path(ROOFTILE_SOURCE_DIR) / "gemm" / "variants"))
    if (entry.path().extension() == extension) names.insert(entry.path().stem().string());
  return names;
}

TEST(Registry, EqualsTheFolder) {
  std::set<std::string> registered;
  for (const Variant& variant : variants()) registered.insert(std::string(variant.name));
  EXPECT_EQ(registered.size(), variants().size()) << "a name is registered twice";
  EXPECT_EQ(registered, stems(".hpp"));
  std::set<std::string> with_template = stems(".cuh");
  with_template.insert("hand_scheduled");   // a cubin: gemm/hand/
  with_template.insert("split_k_cluster");  // a family of tiles: gemm/small/
  with_template.insert("selected");         // chooses between the two
  EXPECT_EQ(registered, with_template);
}

TEST(Registry, IsOrderedByRungThenName) {
  for (std::size_t i = 1; i < variants().size(); ++i) {
    const Variant &a = variants()[i - 1], &b = variants()[i];
    EXPECT_LT(std::make_pair(a.rung, a.name), std::make_pair(b.rung, b.name));
  }
}

TEST(Registry, FamiliesAreThoseOfTheSplits) {
  const Splits splits = Splits::load(std::string(ROOFTILE_SOURCE_DIR) + "/data/splits.json");
  for (const Variant& variant : variants())
    EXPECT_TRUE(splits.sealed_families.count(std::string(variant.family)))
        << variant.name << " has family " << variant.family;
}

TEST(Registry, DescriptorsSpeak) {
  for (const Variant& variant : variants()) {
    EXPECT_FALSE(variant.title.empty());
    EXPECT_GT(variant.idea.size(), 20U) << variant.name;
    EXPECT_GT(variant.rung, 0);
    EXPECT_EQ(variant.illegal(variant.default_tile), std::nullopt) << variant.name;
  }
}

TEST(Registry, UnknownNameListsTheKnown) {
  EXPECT_EQ(find_variant("warp_tilde"), nullptr);
  try {
    require_variant("warp_tilde");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                testing::AllOf(testing::HasSubstr("warp_tilde"), testing::HasSubstr("warp_tile")));
  }
}

TEST(Registry, EveryFormIsTaken) {
  for (const Layout layout : {Layout::row_major, Layout::column_major})
    for (const int form : {0, 1, 2, 3}) {
      GemmProblem problem = make_problem(64, 48, 32);
      problem.layout = layout;
      problem.trans_a = form % 2 == 1;
      problem.trans_b = form / 2 == 1;
      problem.batch = 2;
      pack(problem);
      EXPECT_EQ(not_applicable(problem), std::nullopt);
    }
}

TEST(Registry, RefusesMatricesOfCThatOverlap) {
  GemmProblem problem = make_problem(64, 64, 64);
  problem.batch = 3;
  pack(problem);
  EXPECT_EQ(not_applicable(problem), std::nullopt);
  problem.stride_a = problem.stride_b = 0;  // the same A and B for all
  EXPECT_EQ(not_applicable(problem), std::nullopt);
  problem.stride_c -= 1;
  EXPECT_THAT(not_applicable(problem).value(), testing::HasSubstr("overlap"));
  problem.stride_c = 64;
  problem.ldc = 3 * 64;  // row beside row
  EXPECT_EQ(not_applicable(problem), std::nullopt);
  problem.ldc = 3 * 64 - 1;
  EXPECT_THAT(not_applicable(problem).value(), testing::HasSubstr("overlap"));
}

TEST(Registry, ColumnMajorIsDescribedAsTheRowMajorProblemThatRuns) {
  for (const Variant& variant : variants()) {
    GemmProblem problem = make_problem(300, 200, 100);
    problem.layout = Layout::column_major;
    pack(problem);
    const auto given = variant.describe(variant.default_tile, problem);
    const auto runs = variant.describe(variant.default_tile, canonical(problem));
    EXPECT_EQ(given.guarded, runs.guarded);
    for (std::size_t i = 0; i < given.global.size(); ++i)
      EXPECT_EQ(given.global[i].lanes.byte_offset, runs.global[i].lanes.byte_offset);
  }
}

TEST(NeedsGuards, FollowsSizesPitchesAndAlpha) {
  const Tile tile{.BM = 128, .BN = 64, .BK = 8};
  GemmProblem problem = make_problem(256, 192, 24);
  EXPECT_FALSE(needs_guards(tile, 4, problem));
  EXPECT_TRUE(needs_guards(tile, 4, make_problem(257, 192, 24)));
  EXPECT_TRUE(needs_guards(tile, 4, make_problem(256, 193, 24)));
  EXPECT_TRUE(needs_guards(tile, 4, make_problem(256, 192, 25)));
  problem.ldb = 193;
  EXPECT_TRUE(needs_guards(tile, 4, problem));
  EXPECT_FALSE(needs_guards(tile, 1, problem));
  problem = make_problem(256, 192, 24);
  problem.alpha = 0;
  EXPECT_TRUE(needs_guards(tile, 4, problem));
  problem = make_problem(256, 192, 24);
  problem.trans_b = true;
  EXPECT_TRUE(needs_guards(tile, 4, problem));
  problem = make_problem(256, 192, 24);
  problem.stride_c = 1;
  EXPECT_FALSE(needs_guards(tile, 4, problem));
  problem.batch = 2;
  EXPECT_TRUE(needs_guards(tile, 4, problem));
}

}  // namespace
}  // namespace rooftile
