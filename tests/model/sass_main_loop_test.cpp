#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
  const Kernel kernel = parse(test::recorded_text("double_buffer")).front();
  int stores = 0, loads = 0;
  for (const std::size_t at : find_main_loop(kernel).epilogue) {
    stores += kernel.instructions[at].base() == "STG";
    loads += kernel.instructions[at].base() == "LDG";
  }
  EXPECT_EQ(stores, 64);
  EXPECT_EQ(loads, 0);
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
