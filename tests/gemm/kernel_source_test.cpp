// What a compiler at run time is given: the files as they are, none missing, none too many.
#include "gemm/kernel_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "gemm/variant.hpp"
#include "model/record/json_reader.hpp"

namespace rooftile::gemm {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string root = std::string(ROOFTILE_SOURCE_DIR) + "/";

bool has_kernel(const Variant& variant) {
  return fs::exists(root + "gemm/variants/" + std::string(variant.name) + ".cuh");
}

std::set<std::string_view> names(const ProgramSource& source) {
  std::set<std::string_view> all;
  for (const SourceFile& file : source.files) all.insert(file.name);
  return all;
}

TEST(EmbeddedFiles, AreTheFilesOfTheFolders) {
  std::set<std::string> there{"gemm/arguments.cuh"}, embedded;
  for (const char* folder : {"gemm/device", "gemm/variants"})
    for (const auto& entry : fs::directory_iterator(root + folder))
      if (entry.path().extension() == ".cuh")
        there.insert(std::string(folder) + "/" + entry.path().filename().string());
  for (const SourceFile& file : embedded_files()) {
    EXPECT_TRUE(embedded.insert(std::string(file.name)).second) << file.name;
    EXPECT_EQ(file.text, read_text_file(root + std::string(file.name))) << file.name;
  }
  EXPECT_EQ(embedded, there);
}

TEST(EmbeddedFiles, HaveNoStandardHeaders) {
  for (const SourceFile& file : embedded_files())
    EXPECT_EQ(file.text.find("#include <"), std::string_view::npos) << file.name;
}

TEST(KernelSource, HoldsWhatTheVariantIncludesAndNoMore) {
  for (const Variant& variant : variants()) {
    if (!has_kernel(variant)) continue;
    const ProgramSource source = kernel_source(variant.name, variant.default_tile, {});
    const auto there = names(source);
    EXPECT_EQ(there.size(), source.files.size()) << variant.name << ": a file is there twice";
    EXPECT_TRUE(there.count("gemm/arguments.cuh")) << variant.name;
    EXPECT_LT(there.size(), embedded_files().size()) << variant.name;
    EXPECT_THAT(source.text, HasSubstr("variants/" + std::string(variant.name) + ".cuh"));
  }
  const Tile tile = require_variant("naive").default_tile;
  EXPECT_EQ(names(kernel_source("naive", tile, {})),
            (std::set<std::string_view>{"gemm/arguments.cuh", "gemm/device/access.cuh",
                                        "gemm/device/direct.cuh", "gemm/device/epilogue.cuh",
                                        "gemm/device/grid.cuh", "gemm/variants/naive.cuh"}));
}

TEST(KernelSource, NamesTheKernelByTileAndForm) {
  const Tile tile = require_variant("cp_async").default_tile;
  const ProgramSource source = kernel_source("cp_async", tile, {.trans_b = true});
  EXPECT_EQ(source.kernel,
            "rooftile::gemm::cp_async::kernel<128, 128, 8, 8, 8, 64, 32, 3, false, 2>");
  EXPECT_THAT(kernel_source("cp_async", tile, {.guarded = true}).kernel, HasSubstr("3, true, 0>"));
}

TEST(KernelSource, OfWhatIsNoTemplateThereIsNone) {
  for (const Variant& variant : variants()) {
    if (has_kernel(variant)) continue;
    EXPECT_THROW(kernel_source(variant.name, variant.default_tile, {}), std::logic_error);
    Tile other = variant.default_tile;
    other.BM *= 2;
    EXPECT_TRUE(variant.illegal(other)) << variant.name << " would be compiled at run time";
  }
}

TEST(SameCode, IsWhereOnlyTheLaunchDiffers) {
  const Tile tile = require_variant("raster_swizzle").default_tile;
  Tile other = tile;
  other.raster_group = 3;
  other.split_k = 5;
  EXPECT_TRUE(same_code(tile, other));
  for (int Tile::*member : {&Tile::BM, &Tile::BN, &Tile::BK, &Tile::TM, &Tile::TN, &Tile::WM,
                            &Tile::WN, &Tile::stages}) {
    Tile changed = tile;
    changed.*member += 1;
    EXPECT_FALSE(same_code(tile, changed));
  }
}

}  // namespace
}  // namespace rooftile::gemm
