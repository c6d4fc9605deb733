// Listings of compiled kernels and their index: ids, round trips, damage.
#include "model/record/kernel_files.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <filesystem>

#include "model/record/gzip.hpp"
#include "tests/support/record_samples.hpp"
#include "tests/support/schema_errors.hpp"

namespace rooftile::kernel_files {
namespace {

using test::input_error;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string add = "        /*0000*/  FFMA R1, R2, R3, R1 ;  /* 0x0000000302017223 */\n";
const std::string leave = "        /*0010*/  EXIT ;  /* 0x000000000000794d */\n";

ListedKernel listed(const std::string& variant, const KernelPath& path, const std::string& code) {
  ListedKernel kernel;
  kernel.symbol = "_Z" + variant;
  kernel.listing = "\t\tFunction : " + kernel.symbol + "\n" + code;
  kernel.record = {
      .variant = variant,
      .tile = {.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8},
      .path = path,
      .architecture = "sm_90a",
      .resources = {.registers_per_thread = 120, .static_shared_bytes = 8192, .compiled = true},
      .kernel_id = kernel_id_of(kernel.listing)};
  return kernel;
}

class KernelFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    KernelIndex index;
    index.disassembler = "cuobjdump 13.0";
    index.created_by = test::sample_created_by();
    write_kernel_folder(folder_,
                        {listed("one", {}, add + leave), listed("one", {.guarded = true}, leave),
                         listed("two", {}, add + leave)},
                        index);
  }
  std::string file(const std::string& name) const { return folder_ + "/" + name; }

  test::TemporaryFolder temporary_;
  std::string folder_ = temporary_ / "kernels";
  const std::string id_ = kernel_id_of(add + leave);
};

TEST(KernelId, CountsInstructionsAndNothingElse) {
  const std::string id = kernel_id_of(add + leave);
  EXPECT_EQ(id.size(), 16u);
  EXPECT_EQ(id,
            kernel_id_of("# a head\n\t\tFunction : f\n\n  " + add + "\t.headerflags\n" + leave));
  EXPECT_NE(id, kernel_id_of(leave + add));
  EXPECT_NE(id, kernel_id_of(add));
  std::string other = add;
  other[other.find("R3")] = 'P';
  EXPECT_NE(id, kernel_id_of(other + leave));
  // The FNV-1a hash of "/**/\n", by the definition of the hash computed elsewhere.
  EXPECT_EQ(kernel_id_of(" /**/ "), "05ba86ff0e4e5b87");
  EXPECT_THROW(kernel_id_of("Function : f\n"), InputError);
}

TEST(KernelPaths, FollowDescriptionAndProblem) {
  KernelDescription kernel;
  GemmProblem problem = make_problem(128, 128, 128);
  EXPECT_EQ(path_name(kernel_path(kernel, problem)), "fast NN");
  problem.trans_a = true;
  EXPECT_EQ(path_name(kernel_path(kernel, problem)), "fast TN");
  problem.layout = Layout::column_major;  // its row-major twin transposes B
  EXPECT_EQ(path_name(kernel_path(kernel, problem)), "fast NT");
  kernel.guarded = true;
  EXPECT_EQ(path_name(kernel_path(kernel, problem)), "guarded");
  const Tile launched{.BM = 64, .split_k = 4, .raster = Raster::swizzle, .raster_group = 8};
  EXPECT_EQ(compiled_tile(launched), (Tile{.BM = 64}));
}

TEST_F(KernelFolder, FindsWhatWasWritten) {
  const auto kernels = open_kernel_folder(folder_);
  Tile tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8};
  tile.split_k = 4;
  const KernelRecord* found = kernels->find("one", tile, {});
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->kernel_id, id_);
  EXPECT_EQ(found->architecture, "sm_90a");
  EXPECT_EQ(found->resources.registers_per_thread, 120);
  EXPECT_THAT(*kernels->listing(id_), AllOf(HasSubstr("# one 128x128x8/8x8 fast NN: 120 registers"),
                                            HasSubstr("# two "), HasSubstr(add + leave)));
  EXPECT_EQ(kernels->find("two", tile, {})->kernel_id, id_) << "the same code, one file";
  EXPECT_EQ(kernels->find("two", tile, {.guarded = true}), nullptr);
  tile.BK = 16;
  EXPECT_EQ(kernels->find("one", tile, {}), nullptr);
  EXPECT_EQ(kernels->listing("0123456789abcdef"), std::nullopt);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 3);
}

/// Kernels of memory add to those of a folder, which may be none, and replace none of them.
TEST_F(KernelFolder, KernelsBesideItAddToIt) {
  const Tile tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8};
  const ListedKernel more = listed("three", {}, add + add), other = listed("one", {}, leave + add);
  for (const bool beside : {true, false}) {
    const auto kernels = kernels_beside(
        beside ? std::shared_ptr<const KernelSource>(open_kernel_folder(folder_)) : nullptr,
        {more, other});
    Tile launched = tile;
    launched.split_k = 4;
    ASSERT_NE(kernels->find("three", launched, {}), nullptr);
    EXPECT_EQ(kernels->find("three", launched, {})->kernel_id, more.record.kernel_id);
    EXPECT_EQ(kernels->listing(more.record.kernel_id), more.listing);
    EXPECT_EQ(kernels->find("three", tile, {.guarded = true}), nullptr);
    EXPECT_EQ(kernels->find("one", tile, {})->kernel_id, beside ? id_ : other.record.kernel_id);
    EXPECT_EQ(kernels->find("two", tile, {}) != nullptr, beside);
    EXPECT_EQ(kernels->listing(id_).has_value(), beside);
    EXPECT_EQ(kernels->listing("0123456789abcdef"), std::nullopt);
  }
}

TEST_F(KernelFolder, TheIndexFollowsItsSchema) {
  const Json index = parse_json(read_text_file(file("index.json")), "index.json");
  EXPECT_EQ(test::schema_errors("kernels", index), "");
  for (const char* member : {"kernel_id", "path", "variant", "tile", "resources"}) {
    Json bad = index;
    bad["kernels"][0][member] = "x";
    const bool any_text = std::string(member) == "variant";
    EXPECT_EQ(test::schema_errors("kernels", bad) == "", any_text) << member;
    write_text_file(file("index.json"), dump_json(bad));
    EXPECT_EQ(input_error([&] { open_kernel_folder(folder_); }) == "", any_text) << member;
  }
}

TEST_F(KernelFolder, BadIndexesAreRefused) {
  EXPECT_THAT(input_error([&] { open_kernel_folder(folder_ + "/absent"); }),
              HasSubstr("absent/index.json"));
  Json twice = parse_json(read_text_file(file("index.json")), "index.json");
  twice["kernels"].push_back(twice["kernels"][0]);
  write_text_file(file("index.json"), dump_json(twice));
  EXPECT_THAT(input_error([&] { open_kernel_folder(folder_); }), HasSubstr("once"));
  twice["schema_version"] = 2;
  write_text_file(file("index.json"), dump_json(twice));
  EXPECT_THAT(input_error([&] { open_kernel_folder(folder_); }), HasSubstr("version 2 is newer"));
}

TEST_F(KernelFolder, OneArchitectureAndEachKernelOnce) {
  const auto write = [&](const ListedKernel& a, const ListedKernel& b) {
    return input_error([&] { write_kernel_folder(folder_, {a, b}, KernelIndex{}); });
  };
  const ListedKernel kernel = listed("one", {}, add);
  ListedKernel older = listed("two", {}, add);
  older.record.architecture = "sm_80";
  EXPECT_THAT(write(kernel, older), AllOf(HasSubstr("sm_90a"), HasSubstr("sm_80")));
  EXPECT_THAT(write(kernel, kernel), HasSubstr("one 128x128x8/8x8 (fast NN) is listed twice"));
}

TEST_F(KernelFolder, DamagedListingsAreRefused) {
  const auto kernels = open_kernel_folder(folder_);
  const std::string path = file(id_ + ".sass.gz");
  const std::string packed = gzip(add + leave);
  write_text_file(path, packed.substr(0, packed.size() / 2));
  EXPECT_THAT(input_error([&] { kernels->listing(id_); }), HasSubstr("end too early"));
  write_text_file(path, gzip(leave));
  EXPECT_THAT(input_error([&] { kernels->listing(id_); }),
              AllOf(HasSubstr(id_), HasSubstr(kernel_id_of(leave))));
  write_text_file(path, gzip("nothing\n"));
  EXPECT_THAT(input_error([&] { kernels->listing(id_); }), HasSubstr("without instructions"));
}

TEST_F(KernelFolder, OnlyAHashNamesAListing) {
  const auto kernels = open_kernel_folder(folder_);
  std::filesystem::copy_file(file(id_ + ".sass.gz"), folder_ + "/other.sass.gz");
  for (const std::string& id :
       {std::string(300, 'a'), std::string("../") + id_, std::string("other"), std::string(),
        std::string("0123456789ABCDEF")})
    EXPECT_EQ(kernels->listing(id), std::nullopt) << id;
}

TEST_F(KernelFolder, AListingBeyondAnyKernelIsRefused) {
  const auto kernels = open_kernel_folder(folder_);
  write_text_file(file(id_ + ".sass.gz"), gzip(add + std::string(17 << 20, ' ') + leave));
  EXPECT_THAT(input_error([&] { kernels->listing(id_); }), HasSubstr("16 MiB"));
}

TEST(Gzip, PacksWhatItUnpacks) {
  EXPECT_TRUE(rc::check("round trip", [] {
    const std::string text = *test::any_text();
    RC_ASSERT(gunzip(gzip(text), "text") == text);
    RC_ASSERT(gzip(text) == gzip(text));
  }));
}

}  // namespace
}  // namespace rooftile::kernel_files
