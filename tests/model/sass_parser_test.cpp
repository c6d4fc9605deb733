#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "model/error.hpp"
#include "model/sass/parser.hpp"
#include "sass_fixture.hpp"

namespace rooftile::sass {
namespace {

using test::recorded_text;
using testing::ElementsAre;
using testing::HasSubstr;

Instruction one(const std::string& text) {
  return parse(test::snippet({{.text = text}})).front().instructions.front();
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SassParser, DecodesControlFieldsOfRecordedEncodings) {
  // From the double-buffered kernel: /*0130*/ @P0 EXIT, /*0a30*/ LDS.128 R40, [R9+0x210], the
  // branch that closes its loop, and an FFMA with two operands kept.
  const Kernel kernel = parse(recorded_text("double_buffer")).front();
  EXPECT_EQ(kernel.architecture, 90);
  EXPECT_THAT(kernel.name, HasSubstr("double_buffer"));
  const auto at = [&](std::uint32_t address) { return kernel.instructions.at(address / 16); };
  EXPECT_EQ(at(0x130).text(), "@P0 EXIT");
  EXPECT_EQ(at(0x130).predicate, (Predicate{0, false, false}));
  EXPECT_EQ(at(0xa30).text(), "LDS.128 R40, [R9+0x210]");
  EXPECT_EQ(at(0xa30).control, (Control{.stall_cycles = 1, .write_scoreboard = 0}));
  EXPECT_EQ(at(0xa30).width_bytes(), 16);
  EXPECT_EQ(at(0x2d20).target, 0x9d0U);
  EXPECT_EQ(at(0x2d20).control, (Control{.stall_cycles = 6, .wait_mask = 0x19}));
  EXPECT_EQ(at(0xaf0).control, (Control{.stall_cycles = 1, .reuse_mask = 3}));
  EXPECT_EQ(at(0x2a40).control, (Control{.stall_cycles = 3, .yield = true}));
}

TEST(SassParser, ReuseInTheTextIsReuseInTheEncoding) {
  int marked = 0;
  for (const char* name : {"double_buffer", "cp_async", "outer_products", "ffma_mix"}) {
    for (const Kernel& kernel : parse(recorded_text(name))) {
      for (const Instruction& i : kernel.instructions) {
        unsigned mask = 0;
        for (const Registers& r : i.reads) {
          if (r.reuse && r.slot >= 0) mask |= 1U << r.slot;
        }
        if (i.base() != "FFMA") continue;  // others have sources without a register port
        EXPECT_EQ(mask, i.control.reuse_mask) << i.text();
        marked += mask != 0;
      }
    }
  }
  EXPECT_GT(marked, 1000);
}

Registers general(int first, int count = 1, int slot = -1, bool reuse = false) {
  return {RegisterFile::general, first, count, slot, reuse};
}

TEST(SassParser, KnowsWhatIsReadAndWritten) {
  const Instruction fma = one("FFMA R113, R46.reuse, -R31, |R43|");
  EXPECT_THAT(fma.writes, ElementsAre(general(113)));
  EXPECT_THAT(fma.reads,
              ElementsAre(general(46, 1, 0, true), general(31, 1, 1), general(43, 1, 2)));
  const Instruction wide = one("IMAD.WIDE.U32 R4, R16, UR10, R18");
  EXPECT_THAT(wide.writes, ElementsAre(general(4, 2)));
  EXPECT_THAT(wide.reads,
              ElementsAre(general(16, 1, 0), Registers{RegisterFile::uniform, 10, 1, -1},
                          general(18, 2, 2)));
  const Instruction load = one("@!P4 LDG.E.128.CONSTANT R4, desc[UR12][R118.64+0x10]");
  EXPECT_EQ(load.predicate, (Predicate{4, false, true}));
  EXPECT_THAT(load.writes, ElementsAre(general(4, 4)));
  EXPECT_THAT(load.reads,
              ElementsAre(Registers{RegisterFile::uniform, 12, 2, -1}, general(118, 2)));
  const Instruction store = one("STS.128 [R12+UR4], R44");
  EXPECT_TRUE(store.writes.empty());
  EXPECT_THAT(store.reads,
              ElementsAre(general(12), Registers{RegisterFile::uniform, 4, 1, -1}, general(44, 4)));
  const Instruction add = one("IADD3 R10, P2, R10, UR12, RZ");
  EXPECT_THAT(add.writes, ElementsAre(general(10), Registers{RegisterFile::predicate, 2, 1, -1}));
  const Instruction compare = one("ISETP.GE.AND.EX P0, PT, R3, UR17, PT, P1");
  EXPECT_THAT(compare.writes, ElementsAre(Registers{RegisterFile::predicate, 0, 1, -1}));
  EXPECT_THAT(compare.reads,
              ElementsAre(general(3, 1, 0), Registers{RegisterFile::uniform, 17, 1, -1},
                          Registers{RegisterFile::predicate, 1, 1, -1}));
  EXPECT_THAT(one("MOV R19, R7").reads, ElementsAre(general(7, 1, 1)));
  EXPECT_THAT(one("LDGSTS.E.BYPASS.128 [R53+0x1080], desc[UR12][R40.64]").writes, ElementsAre());
  EXPECT_EQ(one("LDSM.16.M88.4 R176, [R205+0xc0]").width_bytes(), 16);
  EXPECT_EQ(one("DEPBAR.LE SB0, 0x1").operands.back().value, 1);
}

TEST(SassParser, ReadsNvdisasmWithLabels) {
  const std::string text = R"(	.target	sm_90a
	.section	.nv.info,"",@"SHT_CUDA_INFO"
        /*0000*/ 	.byte	0x04, 0x2f
	.section	.text.sgemm,"ax",@progbits
sgemm:
.text.sgemm:
.L_x_0:
        /*0000*/                   FFMA R1, R2, R3, R1 ;            /* 0x0000000302017223 */
                                                                    /* 0x000fe20000000001 */
        /*0010*/               @P1 BRA `(.L_x_1) ;                  /* 0x0000000000541947 */
                                                                    /* 0x000fec0003800000 */
        /*0020*/              @!P0 BRA `(.L_x_0) ;                  /* 0x0000000000548947 */
                                                                    /* 0x000fec0003800000 */
.L_x_1:
        /*0030*/                   EXIT ;                           /* 0x000000000000794d */
                                                                    /* 0x000fea0003800000 */
)";
  const auto kernels = parse(text);
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].name, "sgemm");
  EXPECT_EQ(kernels[0].architecture, 90);
  ASSERT_EQ(kernels[0].instructions.size(), 4U);
  EXPECT_EQ(kernels[0].instructions[1].target, 0x30U);
  EXPECT_EQ(kernels[0].instructions[2].target, 0U);
}

TEST(SassParser, CallsGoToLabelsOfOtherFunctions) {
  const auto kernels = parse(R"(	.section	.text.f,"ax",@progbits
.text.f:
        /*0000*/                   CALL.REL.NOINC `($__internal_0_$__cuda_sm20_div_u64) ; /* 0x0 */
                                                                    /* 0x000fea0003c00000 */
)");
  ASSERT_EQ(kernels.at(0).instructions.size(), 1U);
  EXPECT_FALSE(kernels[0].instructions[0].target);
}

TEST(SassParser, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(error_of(""), HasSubstr("no kernel"));
  EXPECT_THAT(error_of("Function : f\n"), HasSubstr("cuobjdump -sass"));
  EXPECT_THAT(error_of("Function : f\n/*0000*/ NOP ;\n"),
              AllOf(HasSubstr("line 2"), HasSubstr("encoding"), HasSubstr("nvdisasm -c -hex")));
  EXPECT_THAT(error_of("Function : f\n/*0000*/ NOP ; /* 0x12 */\n/*0010*/ NOP "
                       "; /* 0x12 */\n"),
              AllOf(HasSubstr("line 2"), HasSubstr("second half")));
  EXPECT_THAT(error_of("Function : f\n/* 0x12 */\n"), HasSubstr("line 2"));
  EXPECT_THAT(error_of("Function : f\n/*zz*/ NOP ; /* 0x12 */\n/* 0x1 */\n"), HasSubstr("address"));
  EXPECT_THAT(error_of("Function : f\n/*0000*/ @X NOP ; /* 0x12 */\n/* 0x1 */\n"),
              HasSubstr("predicate"));
  EXPECT_THAT(error_of("Function : f\n/*0000*/ BRA `(.L_x_7) ; /* 0x12 */\n/* 0x1 */\n"),
              HasSubstr("no label .L_x_7"));
  EXPECT_THAT(error_of("Function : f\n/*0010*/ NOP ; /* 0x1 */\n/* 0x1 "
                       "*/\n/*0010*/ NOP ; /* 0x1 */\n"),
              AllOf(HasSubstr("line 4"), HasSubstr("ascend")));
}

/// Lines of a recorded kernel, the first ones: every form of line is among them.
std::string recorded_head() {
  static const std::string head = recorded_text("cp_async").substr(0, 12000);
  return head.substr(0, head.rfind('\n') + 1);
}

RC_GTEST_PROP(SassParser, TakesOrRefusesAnyDamagedText, ()) {
  std::string text = recorded_head();
  const int edits = *rc::gen::inRange(1, 20);
  for (int edit = 0; edit < edits && !text.empty(); ++edit) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        text[at] = static_cast<char>(*rc::gen::inRange(-128, 128));
        break;
      case 1:
        text.erase(at, *rc::gen::inRange<std::size_t>(0, 200));
        break;
      case 2:
        text.insert(at, text.substr(*rc::gen::inRange<std::size_t>(0, text.size()), 90));
        break;
      default:
        text.resize(at);
    }
  }
  try {
    for (const Kernel& kernel : parse(text)) {
      RC_ASSERT(!kernel.instructions.empty());
      find_main_loop(kernel);
    }
  } catch (const InputError& error) {
    RC_ASSERT(std::string(error.what()).size() > 10);
  }
}

TEST(SassParser, NumbersThatNoRegisterHoldsHaveNoValue) {
  for (const char* number : {"--9223372036854775808", "-0x-8000000000000000",
                             "-9223372036854775808", "0x8000000000000000", "0x-1", "--1"})
    EXPECT_EQ(one(std::string("MOV R1, ") + number).operands.back().value, std::nullopt) << number;
  EXPECT_EQ(one("MOV R1, -0x7fffffffffffffff").operands.back().value,
            -std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace rooftile::sass
