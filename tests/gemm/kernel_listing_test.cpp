// Which variant, tile and path a compiled kernel is, by its mangled name.
#include "gemm/kernel_listing.hpp"

#include <gmock/gmock.h>

#include "model/error.hpp"

namespace rooftile::gemm::listing {
namespace {

using ::testing::HasSubstr;

const std::string fast =
    "_ZN8rooftile4gemm8cp_async6kernelILi128ELi64ELi8ELi8ELi4ELi64ELi32ELi3ELb0ELi2EEEvNS0_"
    "9ArgumentsE";
const std::string guarded =
    "_ZN8rooftile4gemm8cp_async6kernelILi128ELi64ELi8ELi8ELi4ELi64ELi32ELi3ELb1ELi0EEEvNS0_"
    "9ArgumentsE";

std::string code_of(const std::string& symbol, const std::string& opcode) {
  return "\t\tFunction : " + symbol + "\n\t.headerflags\t@\"EF_CUDA_SM90\"\n        /*0000*/  " +
         opcode + " ;  /* 0x0000000000017b82 */\n                  /* 0x000fe20008000000 */\n" +
         "\t\t..........\n\n";
}

std::string resources_of(const std::string& symbol, int registers) {
  return " Function " + symbol + ":\n  REG:" + std::to_string(registers) +
         " STACK:0 SHARED:9344 LOCAL:16 CONSTANT[0]:664 TEXTURE:0 SURFACE:0 SAMPLER:0\n";
}

TEST(KernelListing, ReadsTheMangledName) {
  const auto record = record_of_symbol(fast);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->variant, "cp_async");
  EXPECT_EQ(
      record->tile,
      (Tile{.BM = 128, .BN = 64, .BK = 8, .TM = 8, .TN = 4, .WM = 64, .WN = 32, .stages = 3}));
  EXPECT_EQ(path_name(record->path), "fast NT");
  EXPECT_EQ(path_name(record_of_symbol(guarded)->path), "guarded");
}

TEST(KernelListing, OtherAndCutSymbolsAreNotOurs) {
  EXPECT_FALSE(record_of_symbol("_ZN8rooftile4gemm16add_parts_kernelENS0_9ArgumentsE"));
  EXPECT_FALSE(record_of_symbol("_ZN6cutlass4gemm6kernelILi128EEEv"));
  const std::size_t needed = fast.find("EEvNS0_");  // up to the last template argument
  for (std::size_t length = 0; length < needed; ++length)
    EXPECT_FALSE(record_of_symbol(fast.substr(0, length))) << length;
}

TEST(KernelListing, KernelsOfEveryArchitectureWithTheirResources) {
  const std::string text =
      "arch = sm_80\n" + resources_of(fast, 100) + "\tcode for sm_80\n" +
      code_of(fast, "LDC R1, c[0x0][0x28]") + "arch = sm_90a\n" + resources_of(fast, 120) +
      resources_of(guarded, 126) + resources_of("other", 10) + "\tcode for sm_90a\n" +
      code_of("other", "EXIT") + code_of(guarded, "NOP") + code_of(fast, "LDC R1, c[0x0][0x20]");
  const auto kernels = listed_kernels(text);
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].record.architecture, "sm_80");
  EXPECT_EQ(kernels[0].record.resources.registers_per_thread, 100);
  EXPECT_EQ(kernels[0].record.resources.static_shared_bytes, 9344);
  EXPECT_EQ(path_name(kernels[1].record.path), "guarded");
  EXPECT_EQ(kernels[2].record.architecture, "sm_90a");
  EXPECT_EQ(kernels[2].record.resources.registers_per_thread, 120);
  EXPECT_EQ(kernels[2].record.resources.static_shared_bytes, 8320) << "less the driver's KiB";
  EXPECT_EQ(kernels[2].record.resources.spill_bytes, 16);
  EXPECT_THAT(kernels[2].listing, HasSubstr("0x000fe20008000000"));
  EXPECT_NE(kernels[2].record.kernel_id, kernels[0].record.kernel_id);
  EXPECT_EQ(kernels[2].record.kernel_id, kernel_id_of(kernels[2].listing));
}

TEST(KernelListing, TextWithoutResourcesOrCodeIsRefused) {
  EXPECT_THROW(listed_kernels("\tcode for sm_90a\n" + code_of(fast, "NOP")), InputError);
  EXPECT_THROW(listed_kernels(resources_of(fast, 9) + "\t\tFunction : " + fast + "\n"), InputError);
  EXPECT_TRUE(listed_kernels("").empty());
}

TEST(KernelListing, ArchitecturesAsTheRuntimeCountsThem) {
  EXPECT_EQ(binary_version("sm_90a"), 90);
  EXPECT_EQ(binary_version("sm_120"), 120);
  EXPECT_EQ(binary_version(""), 0);
}

}  // namespace
}  // namespace rooftile::gemm::listing
