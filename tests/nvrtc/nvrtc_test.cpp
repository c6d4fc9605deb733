// Kernels compiled at run time, as far as that needs no GPU: every variant compiles, without
// spills, and the default tile comes out as the compiler of the build made it (kernel_objects.txt).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "gemm/compile_ahead.hpp"
#include "gemm/jit.hpp"
#include "gemm/kernel_listing.hpp"
#include "gpu/cuda/error.hpp"
#include "gpu/disassembler.hpp"
#include "gpu/program.hpp"
#include "model/error.hpp"
#include "model/predict/predictor.hpp"
#include "tests/support/other_tiles.hpp"
#include "tests/support/temporary_folder.hpp"

namespace rooftile::gemm {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

struct Used {
  int registers = 0, stack = 0, shared = 0, local = 0;
};

/// What each kernel of a cubin or object uses, by cuobjdump; of an object only the code for
/// `architecture`. From compute capability 9.0 on it counts the KiB that the driver keeps too.
std::map<std::string, Used> resources(const std::string& file, const std::string& architecture) {
  std::istringstream lines(run_program({find_cuobjdump(), "-res-usage", file}).output);
  const int of_the_driver = architecture == "sm_90a" ? 1024 : 0;
  std::map<std::string, Used> found;
  std::string line, symbol, of = architecture;
  while (std::getline(lines, line)) {
    Used used;
    if (line.starts_with("arch = ")) of = line.substr(7);
    if (line.starts_with(" Function ")) symbol = line.substr(10, line.size() - 11);
    if (of == architecture &&
        std::sscanf(line.c_str(), " REG:%d STACK:%d SHARED:%d LOCAL:%d", &used.registers,
                    &used.stack, &used.shared, &used.local) == 4) {
      if (used.shared > 0) used.shared -= of_the_driver;
      found[symbol] = used;
    }
  }
  return found;
}

/// The object file of a variant that this build made; "" when there is none.
std::string object_of(std::string_view variant) {
  std::istringstream lines(read_text_file(ROOFTILE_KERNEL_OBJECTS));
  for (std::string line; std::getline(lines, line);)
    if (line.ends_with(fmt::format("/{}.cu.o", variant))) return line;
  return "";
}

class RunTimeCompilation : public testing::TestWithParam<const Variant*> {
 protected:
  void SetUp() override {
    if (find_cuobjdump().empty()) GTEST_SKIP() << disassembler_advice();
  }

  /// Compiles and returns the resources of the one kernel in the cubin.
  Used compiled(const Tile& tile, const KernelPath& path, const std::string& architecture) {
    const CompiledProgram program = compile_kernel(GetParam()->name, tile, path, architecture);
    write_text_file(folder_ / "cubin", program.cubin);
    const auto all = resources(folder_ / "cubin", architecture);
    EXPECT_EQ(all.size(), 1U);
    EXPECT_TRUE(all.count(program.symbol)) << program.symbol;
    symbol_ = program.symbol;
    return all.empty() ? Used{} : all.begin()->second;
  }

  std::string symbol_;  ///< of the kernel compiled last
  test::TemporaryFolder folder_;
};

/// Few words are spilled where the launch bounds leave none over; the guarded path, which stages
/// single words with a pointer each, spills more where slices are large.
TEST_P(RunTimeCompilation, ThreeTilesForTwoArchitecturesUseWhatTheDescriptorSays) {
  constexpr int few_bytes = 16;
  std::vector<Tile> tiles = test::other_tiles(*GetParam(), 2);
  ASSERT_EQ(tiles.size(), 2U);
  tiles.push_back(GetParam()->default_tile);
  for (const char* architecture : {"sm_90a", "sm_80"})
    for (const Tile& tile : tiles)
      for (const bool guarded : {false, true}) {
        GemmProblem problem = make_problem(tile.BM, 4LL * tile.BN, 4LL * tile.BK);
        problem.alpha = guarded ? 0 : 1;
        const auto description = GetParam()->describe(tile, problem);
        const Used used = compiled(tile, {guarded}, architecture);
        const std::string what =
            fmt::format("{} {} {}", tile_name(tile), guarded ? "guarded" : "fast", architecture);
        EXPECT_EQ(description.guarded, guarded) << what;
        EXPECT_EQ(used.shared, description.resources.static_shared_bytes) << what;
        EXPECT_LE(used.registers * tile.threads(), 65536) << what;
        EXPECT_TRUE(guarded || used.stack + used.local <= few_bytes) << what;
      }
}

/// For all paths that the build compiled. The two compilers order the same arithmetic differently
/// and so do not take the same registers to the last.
TEST_P(RunTimeCompilation, TheDefaultTileIsLikeTheOneCompiledAheadOfTime) {
  constexpr int few_registers = 7;  // fewer than the hardware hands out at a time
  const std::string architecture = "sm_90a", object = object_of(GetParam()->name);
  ASSERT_NE(object, "");
  const auto ahead = resources(object, architecture);
  if (ahead.empty()) GTEST_SKIP() << "not built for " << architecture;
  std::size_t compared = 0;
  for (const KernelPath& path :
       {KernelPath{true}, {}, {false, true, false}, {false, false, true}, {false, true, true}}) {
    if (transposed_operands(path) != 0 && ahead.size() == 2) continue;
    const Used now = compiled(GetParam()->default_tile, path, architecture);
    ASSERT_TRUE(ahead.count(symbol_)) << symbol_;
    const Used& then = ahead.at(symbol_);
    EXPECT_NEAR(now.registers, then.registers, few_registers) << symbol_;
    EXPECT_EQ(now.shared, then.shared) << symbol_;
    EXPECT_EQ(now.stack + now.local, 0) << symbol_;
    ++compared;
  }
  EXPECT_EQ(compared, ahead.size());
}

std::vector<const Variant*> templates() {
  std::vector<const Variant*> all;
  for (const Variant& variant : variants())
    if (!test::other_tiles(variant, 2).empty()) all.push_back(&variant);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Variants, RunTimeCompilation, testing::ValuesIn(templates()),
                         [](const auto& info) { return std::string(info.param->name); });

/// The id that rooftile_kernels gives the kernel in a folder of listings.
TEST(RunTimeKernelId, IsThatOfItsListing) {
  if (find_cuobjdump().empty()) GTEST_SKIP() << disassembler_advice();
  const test::TemporaryFolder folder;
  const Variant& variant = require_variant("vectorized");
  const CompiledProgram program = compile_kernel(variant.name, variant.default_tile, {}, "sm_90a");
  write_text_file(folder / "cubin", program.cubin);
  const auto listed = listed_kernels(disassemble(folder / "cubin"));
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(program.kernel_id, listed.front().record.kernel_id);
}

class CompileAhead : public testing::Test {
 protected:
  CompileAhead() : before_(cache_folder()) { use_cache(folder_.path()); }
  ~CompileAhead() override { use_cache(before_); }
  static void use_cache(const std::string& folder) {
    setenv("ROOFTILE_CACHE_DIR", folder.c_str(), 1);
  }
  SweepPlan plan(const std::vector<std::string>& shapes) const {
    SweepRequest request{.variants = {"naive_coalesced"}};
    for (const char* tile : {"32x32x1/1x1", "16x32x1/1x1"})
      request.tiles.push_back(parse_tile(tile, Tile{}));
    for (const std::string& shape : shapes) request.problems.push_back(parse_shape(shape));
    return plan_sweep(request, Splits{});
  }
  std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
  }
  std::string before_;
  test::TemporaryFolder folder_;
};

/// The default tile is there already; each other one once for each path that the problems take.
TEST_F(CompileAhead, CompilesWhatTheLaunchesWould) {
  EXPECT_EQ(compile_ahead(plan({"64", "128"}), "9.0", true), 1U);
  EXPECT_EQ(compile_ahead(plan({"64", "128", "33x65x7"}), "9.0", true), 2U);
  EXPECT_EQ(entries(), 2);
  const Tile tile = parse_tile("16x32x1/1x1", Tile{});
  for (const bool guarded : {false, true})
    compile_kernel("naive_coalesced", tile, {guarded}, "sm_90a");
  EXPECT_EQ(entries(), 2);
}

TEST_F(CompileAhead, RefusesWhatCannotBe) {
  for (const char* bad : {"", "9", "sm_90", "9.0a", "99.0"})
    EXPECT_THROW(compile_ahead(plan({"64"}), bad, true), InputError) << bad;
  use_cache("");
  EXPECT_THROW(compile_ahead(plan({"64"}), "9.0", true), InputError);
}

/// What `compile_ahead` says of this plan; "" where it succeeds.
std::string refusal(const SweepPlan& plan) {
  try {
    compile_ahead(plan, "9.0", true);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST_F(CompileAhead, ACacheThatKeepsNothingIsAnError) {
  use_cache("/proc/nope");
  EXPECT_THAT(refusal(plan({"64"})),
              AllOf(HasSubstr("the folder /proc/nope"), HasSubstr("set ROOFTILE_CACHE_DIR")));
}

TEST_F(CompileAhead, NothingToCompileIsAnError) {
  for (const char* variant : {"naive_coalesced", "cublas"}) {
    const SweepRequest request{.problems = {parse_shape("64")}, .variants = {variant}};
    EXPECT_THAT(refusal(plan_sweep(request, Splits{})), HasSubstr("nothing to compile")) << variant;
  }
}

/// A prediction from the code of a tile that nobody compiled before, here as on the GPU's machine.
TEST_F(CompileAhead, WhatNoFolderListsIsCompiledForSass) {
  if (find_cuobjdump().empty()) GTEST_SKIP() << disassembler_advice();
  const Variant& variant = require_variant("warp_tile");
  const GemmProblem problem = make_problem(512, 512, 512);
  const auto other = variant.describe(parse_tile("BM=64,BN=64", variant.default_tile), problem);
  const KernelName name = kernel_name(other, problem);
  const auto listed = compile_listed({name}, "9.0", true);
  ASSERT_EQ(listed.size(), 1U);
  const KernelRecord& record = listed.front().record;
  EXPECT_EQ(record.kernel_id,
            compile_kernel(name.variant, name.tile, name.path, "sm_90a").kernel_id);
  EXPECT_EQ((KernelName{record.variant, record.tile, record.path}), name);
  EXPECT_EQ(record.architecture, "sm_90a");
  EXPECT_EQ(record.resources.static_shared_bytes, other.resources.static_shared_bytes);
  const auto profile =
      DeviceProfile::load(std::string(ROOFTILE_SOURCE_DIR) + "/data/h200/profile.json");
  const Kernels kernels = kernels_beside(nullptr, listed);
  const Prediction p = make_predictor("sass", profile, kernels)->explain(other, problem);
  EXPECT_EQ(p.resources.registers_per_thread, record.resources.registers_per_thread);
  EXPECT_GT(p.time_s, make_predictor("roofline", profile)->time_s(other, problem));
}

/// On every core, each is what it is alone, in the order of the names.
TEST_F(CompileAhead, ManyAreListedInOrder) {
  if (find_cuobjdump().empty()) GTEST_SKIP() << disassembler_advice();
  std::set<KernelName> names;
  for (const char* tile : {"8x16x1/1x1", "16x8x1/1x1"})
    for (const bool guarded : {false, true})
      names.insert({"naive_coalesced", parse_tile(tile, Tile{}), {guarded}});
  const auto listed = compile_listed(names, "9.0", true);
  ASSERT_EQ(listed.size(), names.size());
  auto name = names.begin();
  for (const ListedKernel& kernel : listed) {
    const KernelRecord& record = kernel.record;
    EXPECT_EQ((KernelName{record.variant, record.tile, record.path}), *name);
    EXPECT_EQ(record.kernel_id,
              compile_kernel(name->variant, name->tile, name->path, "sm_90a").kernel_id);
    ++name;
  }
}

class ProgramCache : public testing::Test {
 protected:
  /// Of the first entry, which gpu/file_cache.cpp describes.
  std::string key() const {
    const std::string entry = read_text_file(entries().front());
    const std::size_t size = entry.find('\n') + 1, start = entry.find('\n', size) + 1;
    return entry.substr(start, std::stoul(entry.substr(size)));
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder_.path())) paths.push_back(entry.path());
    return paths;
  }
  CompiledProgram compile(const std::string& architecture = "sm_80") const {
    return compile_program(source_, architecture, FileCache(folder_.path()));
  }
  ProgramSource source_{
      "template <int> __global__ void kernel(int* to) { *to = 7; }", {}, "kernel<1>"};
  test::TemporaryFolder folder_;
};

TEST_F(ProgramCache, TheSecondTimeReadsTheFirst) {
  const CompiledProgram first = compile();
  ASSERT_EQ(entries().size(), 1U);
  const auto written = fs::last_write_time(entries().front());
  const CompiledProgram second = compile();
  EXPECT_EQ(first.cubin, second.cubin);
  EXPECT_EQ(first.symbol, second.symbol);
  EXPECT_EQ(first.cubin.substr(0, 4),
            "\x7f"
            "ELF");
  EXPECT_EQ(fs::last_write_time(entries().front()), written);
}

/// So that a run names its kernel where no disassembler is, as one that was compiled ahead does.
TEST_F(ProgramCache, AnEntryKnowsTheIdOfItsKernel) {
  if (find_cuobjdump().empty()) GTEST_SKIP() << disassembler_advice();
  const CompiledProgram first = compile();
  const std::string cubin = folder_ / "cubin";
  write_text_file(cubin, first.cubin);
  EXPECT_EQ(first.kernel_id, kernel_id_of(disassemble(cubin)));
  fs::remove(cubin);
  EXPECT_EQ(compile().kernel_id, first.kernel_id);
  source_.text = "template <int> __global__ void kernel(int* to) { *to = 8; }";
  EXPECT_NE(compile().kernel_id, first.kernel_id);
}

TEST_F(ProgramCache, AnythingThatTheCodeFollowsFromIsPartOfTheKey) {
  compile();
  compile("sm_90a");
  source_.kernel = "kernel<2>";
  compile();
  source_.text += "\n";
  compile();
  source_.files.push_back({"unused.cuh", "int x;"});
  compile();
  EXPECT_EQ(entries().size(), 5U);
}

/// nvrtcVersion() alone is the same for every update of a release.
TEST_F(ProgramCache, TheBuildOfTheCompilerIsPartOfTheKey) {
  compile();
  EXPECT_THAT(read_text_file(entries().front()),
              ContainsRegex("release [0-9]+\\.[0-9]+, V[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST_F(ProgramCache, ADamagedEntryIsCompiledAnew) {
  const CompiledProgram first = compile();
  const std::string path = entries().front().string(), whole = read_text_file(path);
  for (const std::size_t length : {std::size_t{0}, std::size_t{40}, whole.size() - 1}) {
    write_text_file(path, whole.substr(0, length));
    EXPECT_EQ(compile().cubin, first.cubin);
    EXPECT_EQ(read_text_file(path), whole);
  }
}

/// As gpu/file_cache.cpp kept it, but not of the form that a program has there.
TEST_F(ProgramCache, AnEntryThatIsNoProgramIsCompiledAnew) {
  const CompiledProgram first = compile();
  for (const char* value : {"", "symbol", "symbol\nid"}) {
    ASSERT_TRUE(FileCache(folder_.path()).keep(key(), value));
    EXPECT_EQ(compile().cubin, first.cubin) << value;
  }
}

/// The folder for temporary files, while it lives.
class TemporaryFiles {
 public:
  explicit TemporaryFiles(const std::string& folder) {
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", folder.c_str(), 1);
  }
  ~TemporaryFiles() { before_ ? setenv("TMPDIR", before_->c_str(), 1) : unsetenv("TMPDIR"); }
  TemporaryFiles(const TemporaryFiles&) = delete;
  TemporaryFiles& operator=(const TemporaryFiles&) = delete;

 private:
  std::optional<std::string> before_;
};

TEST_F(ProgramCache, AnIdThatCouldNotBeToldIsFilledInLater) {
  if (find_cuobjdump().empty()) GTEST_SKIP() << disassembler_advice();
  {
    const TemporaryFiles nowhere("/proc/nope");
    const CompiledProgram first = compile();
    EXPECT_TRUE(first.kept);
    EXPECT_EQ(first.kernel_id, "");
  }
  const std::string id = compile().kernel_id;
  EXPECT_NE(id, "");
  EXPECT_THAT(read_text_file(entries().front()), HasSubstr(id));
}

/// No file can be longer than this while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_F(ProgramCache, AFullDiskLeavesNoFileBehind) {
  if (find_cuobjdump().empty()) GTEST_SKIP() << disassembler_advice();
  const test::TemporaryFolder temporary;
  {
    const TemporaryFiles there(temporary.path());
    const FileSizeLimit full(64);
    const CompiledProgram program = compile();
    EXPECT_FALSE(program.kept);
    EXPECT_EQ(program.kernel_id, "");
  }
  EXPECT_TRUE(fs::is_empty(temporary.path()));
  EXPECT_TRUE(entries().empty());
}

TEST_F(ProgramCache, AFailureCarriesTheLogAndIsNotKept) {
  source_.text = "template <int> __global__ void kernel() { undeclared(); }";
  try {
    compile();
    FAIL();
  } catch (const GpuError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("kernel<1>"), HasSubstr("undeclared"),
                                    HasSubstr("NVRTC_ERROR_COMPILATION"),
                                    ContainsRegex("\\[[a-z./]*nvrtc\\.cpp:[0-9]+\\]$")));
  }
  EXPECT_TRUE(entries().empty());
}

TEST(NvrtcArchitecture, IsTheDevicesOrTheNewestOfItsFamily) {
  EXPECT_EQ(nvrtc_architecture(8, 0), "sm_80");
  EXPECT_EQ(nvrtc_architecture(9, 0), "sm_90a");
  EXPECT_EQ(nvrtc_architecture(8, 9), "sm_89");
  EXPECT_THAT(nvrtc_architecture(12, 9), testing::StartsWith("sm_12"));
  EXPECT_THROW(nvrtc_architecture(99, 0), InputError);
}

}  // namespace
}  // namespace rooftile::gemm
