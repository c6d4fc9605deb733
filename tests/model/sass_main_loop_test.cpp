#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "model/error.hpp"
#include "model/sass/main_loop.hpp"
#include "sass_fixture.hpp"

namespace rooftile::sass {
namespace {

using testing::ElementsAre;

TEST(SassMainLoop, CountsTheDoubleBufferedLoop) {
  // 128x128x8, 8x8 a thread: 8 k-steps of 64 FMA and 4 fragments of 16 bytes; A is stored
  // transposed, word by word, B in one piece.
  const Kernel kernel = parse(test::recorded_text("double_buffer")).front();
  const MainLoop loop = find_main_loop(kernel);
  const Census c = census(kernel, loop);
  EXPECT_EQ(c.ffma, 512);
  EXPECT_EQ(c.instructions, 566);
  EXPECT_EQ(c.lds.instructions_16, 32);
  EXPECT_EQ(c.lds.bytes(), 512);
  EXPECT_EQ(c.sts.instructions_4, 4);
  EXPECT_EQ(c.sts.instructions_16, 1);
  EXPECT_EQ(c.ldg.instructions_16, 2);
  EXPECT_EQ(c.barriers, 1);
  EXPECT_EQ(c.branches, 1);
  EXPECT_EQ(
      c.ffma + c.lds.count() + c.sts.count() + c.ldg.count() + c.barriers + c.branches + c.others,
      c.instructions);
  EXPECT_EQ(c.bytes_of_code, 16 * 566);
  EXPECT_EQ(kernel.instructions[loop.body.front()].address, 0x9d0U);
  EXPECT_EQ(kernel.instructions[loop.prologue.back()].address, 0x9c0U);
  EXPECT_EQ(kernel.instructions[loop.epilogue.back()].opcode, "EXIT");
}

TEST(SassMainLoop, EpilogueStoresTheTileAndDoesNotReadC) {
  for (const auto& [record, kernel] : test::recorded_kernels()) {
    for (const Slices slices : {Slices::whole, Slices::ragged}) {
      const MainLoop loop = find_main_loop(kernel, slices);
      int bytes = 0, loads = 0;
      for (std::size_t at = 0; at < loop.epilogue.size(); ++at) {
        const Instruction& i = kernel.instructions[loop.epilogue[at]];
        const bool store = i.base() == "STG" || i.base().substr(0, 3) == "RED";
        EXPECT_FALSE(store && at < loop.stores_from);
        bytes += store ? i.width_bytes() : 0;
        loads += i.base() == "LDG";
      }
      EXPECT_EQ(bytes, 4 * record.tile.TM * record.tile.TN) << record.variant;
      EXPECT_EQ(loads, 0) << record.variant;
    }
  }
}

TEST(SassMainLoop, WhatStandsOutsideIsNothingOrOneSlice) {
  int peeled = 0;
  for (const auto& [record, kernel] : test::recorded_kernels()) {
    const int slice = record.tile.TM * record.tile.TN * record.tile.BK;
    const int whole = ffma_outside(kernel, find_main_loop(kernel, Slices::whole));
    const int ragged = ffma_outside(kernel, find_main_loop(kernel, Slices::ragged));
    EXPECT_TRUE(whole == 0 || whole == slice) << record.variant << ' ' << whole;
    EXPECT_TRUE(ragged == 0 || ragged == slice) << record.variant << ' ' << ragged;
    EXPECT_LE(whole, ragged) << record.variant;
    EXPECT_TRUE(record.path.guarded || whole == ragged) << record.variant;
    peeled += whole < ragged;
  }
  EXPECT_GT(peeled, 0) << "guarded kernels compute a ragged slice first";
}

TEST(SassMainLoop, ARaggedFirstSliceIsWalkedAroundWhereKIsWhole) {
  const Kernel kernel = parse(test::snippet({{"@P1 BRA 0x50"},
                                             {"STS [R2], R4"},
                                             {"BAR.SYNC.DEFER_BLOCKING 0x0"},
                                             {"FFMA R1, R2, R3, R1"},
                                             {"BAR.SYNC.DEFER_BLOCKING 0x0"},
                                             {"@P2 BRA 0xa0"},
                                             {"BAR.SYNC.DEFER_BLOCKING 0x0"},
                                             {"FFMA R1, R2, R3, R1"},
                                             {"FFMA R1, R2, R3, R1"},
                                             {"@P0 BRA 0x60"},
                                             {"STG.E desc[UR4][R2.64], R1"},
                                             {"EXIT"}}))
                            .front();
  const MainLoop whole = find_main_loop(kernel, Slices::whole);
  EXPECT_THAT(whole.prologue, ElementsAre(0, 5)) << "the loop itself is not jumped over";
  EXPECT_EQ(ffma_outside(kernel, whole), 0);
  const MainLoop ragged = find_main_loop(kernel, Slices::ragged);
  EXPECT_THAT(ragged.prologue, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(ffma_outside(kernel, ragged), 1);
}

TEST(SassMainLoop, ALoopOverTilesIsNotTheMainOneHoweverMuchIsPeeled) {
  // 1..3: the loop over K; 4, 5: a peeled slice, more work than the loop; then the stores and, in
  // either form, the way to the next tile, of which nothing is walked.
  for (const auto& [back, last] : {std::pair{"@P1 BRA 0x0", "EXIT"}, {"@P1 EXIT", "BRA 0x0"}}) {
    const Kernel kernel = parse(test::snippet({{"IADD3 R16, R16, 0x1, RZ"},
                                               {"FFMA R1, R2, R3, R1"},
                                               {"ISETP.GT.AND P0, PT, R16, 0x1, PT"},
                                               {"@P0 BRA 0x10"},
                                               {"FFMA R1, R2, R3, R1"},
                                               {"FFMA R4, R2, R3, R4"},
                                               {"STG.E desc[UR4][R2.64], R1"},
                                               {back},
                                               {last}}))
                              .front();
    const MainLoop loop = find_main_loop(kernel);
    EXPECT_THAT(loop.body, ElementsAre(1, 2, 3)) << back;
    EXPECT_THAT(loop.prologue, ElementsAre(0)) << back;
    EXPECT_THAT(loop.epilogue, ElementsAre(4, 5, 6, 7, 8)) << back;
    EXPECT_EQ(ffma_outside(kernel, loop), 2) << back;
  }
}

TEST(SassMainLoop, ALoopEnteredAtItsTestIsNotInTheProloguesPath) {
  // 0: to the test at the bottom; 1..4: the loop; 5: multiplies after it.
  const Kernel kernel = parse(test::snippet({{"BRA 0x30"},
                                             {"FFMA R1, R2, R3, R1"},
                                             {"FFMA R4, R2, R3, R4"},
                                             {"ISETP.GT.AND P0, PT, R16, 0x1, PT"},
                                             {"@P0 BRA 0x10"},
                                             {"FMUL R1, R1, R2"},
                                             {"STG.E desc[UR4][R2.64], R1"},
                                             {"EXIT"}}))
                            .front();
  const MainLoop loop = find_main_loop(kernel);
  EXPECT_THAT(loop.body, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(loop.prologue, ElementsAre(0));
  EXPECT_THAT(loop.epilogue, ElementsAre(5, 6, 7));
  EXPECT_EQ(loop.stores_from, 1U);
}

TEST(SassMainLoop, LeavesWhereOnlyTheReadingOfCFollows) {
  // As naive kernels end: both ways in one line, told apart by the predicate of store and exit. An
  // EXIT of threads outside C, before the branch on beta, is passed.
  const Kernel kernel = parse(test::snippet({{"FFMA R1, R2, R3, R1"},
                                             {"@P0 BRA 0x0"},
                                             {"@P2 EXIT"},
                                             {"FSETP.NEU.AND P1, PT, R8, RZ, PT"},
                                             {"FMUL R5, R1, R6"},
                                             {"@!P1 STG.E desc[UR4][R2.64], R5"},
                                             {"@!P1 EXIT"},
                                             {"LDG.E R7, desc[UR4][R2.64]"},
                                             {"FFMA R5, R7, R8, R5"},
                                             {"STG.E desc[UR4][R2.64], R5"},
                                             {"EXIT"}}))
                            .front();
  EXPECT_THAT(find_main_loop(kernel).epilogue, ElementsAre(2, 3, 4, 5, 6));
}

TEST(SassMainLoop, TakesTheWayOfBetaZero) {
  // A guard jumps over question, reading and store and is not taken; the question's branch is. What
  // is predicated by it is left out.
  const auto epilogue = [](const std::string& compare, const std::string& guard) {
    const Kernel kernel = parse(test::snippet({{"FFMA R1, R2, R3, R1"},
                                               {"@P0 BRA 0x0"},
                                               {"@P2 BRA 0x80"},
                                               {compare + " P0, PT, RZ, UR5, PT"},
                                               {guard + " BRA 0x60"},
                                               {"LDG.E R7, desc[UR4][R2.64]"},
                                               {guard + " STG.E desc[UR4][R2.64], R5"},
                                               {"@P0 LDG.E R8, desc[UR4][R2.64+0x4]"},
                                               {"@!P0 LDG.E R8, desc[UR4][R2.64+0x4]"},
                                               {"EXIT"}}))
                              .front();
    return find_main_loop(kernel).epilogue;
  };
  EXPECT_THAT(epilogue("FSETP.NEU.AND", "@!P0"), ElementsAre(2, 3, 4, 6, 8, 9));
  EXPECT_THAT(epilogue("FSETP.EQ.AND", "@P0"), ElementsAre(2, 3, 4, 6, 7, 9));
  EXPECT_THAT(epilogue("ISETP.NE.AND", "@!P0"), ElementsAre(2, 3, 4, 6, 7, 8, 9))
      << "no comparison of floats: the branch over a reading without a store is taken";
}

TEST(SassMainLoop, ForwardBranchesOverAllThatFollows) {
  std::vector<test::Coded> lines(40000, {.text = "@P1 BRA 0x9c430"});
  lines.front() = {.text = "FFMA R1, R2, R3, R1"};
  lines[1] = {.text = "@P0 BRA 0x0"};
  lines.push_back({.text = "NOP"});
  lines.push_back({.text = "NOP"});
  lines.push_back({.text = "NOP"});
  lines.push_back({.text = "EXIT"});
  const Kernel kernel = parse(test::snippet(lines)).front();
  EXPECT_EQ(find_main_loop(kernel).body.size(), 2U);
}

TEST(SassMainLoop, CountsCopiesThatBypassRegisters) {
  const Kernel kernel = parse(test::recorded_text("cp_async")).front();
  const Census c = census(kernel, find_main_loop(kernel));
  EXPECT_EQ(c.ffma, 512);
  EXPECT_EQ(c.ldgsts.instructions_4, 4);
  EXPECT_EQ(c.ldgsts.instructions_16, 1);
  EXPECT_EQ(c.sts.count(), 0);
}

TEST(SassMainLoop, TakesTheInnermostLoopThatDoesTheWork) {
  // 0: outer loop; 1: a spin without work; 2..3: the loop of three FFMA; 6: outer back edge.
  const Kernel kernel = parse(test::snippet({{"FADD R1, R2, R3"},
                                             {"@P1 BRA 0x10"},
                                             {"FFMA R1, R2, R3, R1"},
                                             {"FFMA R4, R2, R3, R4"},
                                             {"@P0 BRA 0x20"},
                                             {"STG.E desc[UR4][R2.64], R1"},
                                             {"@P2 BRA 0x0"},
                                             {"EXIT"}}))
                            .front();
  const MainLoop loop = find_main_loop(kernel);
  EXPECT_THAT(loop.body, ElementsAre(2, 3, 4));
  EXPECT_THAT(loop.prologue, ElementsAre(0, 1));
  EXPECT_THAT(loop.epilogue, ElementsAre(5, 6, 7));
}

TEST(SassMainLoop, EpilogueJumpsOverTheReadingOfC) {
  const Kernel kernel = parse(test::snippet({{"FFMA R1, R2, R3, R1"},
                                             {"@P0 BRA 0x0"},
                                             {"@P1 BRA 0x50"},
                                             {"LDG.E R5, desc[UR4][R2.64]"},
                                             {"FFMA R1, R5, R6, R1"},
                                             {"STG.E desc[UR4][R2.64], R1"},
                                             {"@P2 BRA 0x80"},
                                             {"STG.E desc[UR4][R2.64+0x4], R1"},
                                             {"EXIT"}}))
                            .front();
  EXPECT_THAT(find_main_loop(kernel).epilogue, ElementsAre(2, 5, 6, 7, 8));
}

TEST(SassMainLoop, NamesTheKernelWithoutALoop) {
  const Kernel kernel = parse(test::snippet({{"FFMA R1, R2, R3, R1"}, {"EXIT"}})).front();
  try {
    find_main_loop(kernel);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("snippet"));
  }
}

}  // namespace
}  // namespace rooftile::sass
