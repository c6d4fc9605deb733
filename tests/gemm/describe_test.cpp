// Descriptions: lane maps cover the tile, counts add up, wavefronts are those that each rung is
// about.
#include "gemm/describe.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "gemm/lanes.hpp"
#include "model/memory/wavefronts.hpp"

namespace rooftile::gemm {
namespace {

std::vector<const Variant*> predicted_variants() {
  std::vector<const Variant*> predicted;
  for (const Variant& variant : variants())
    if (variant.not_predicted.empty()) predicted.push_back(&variant);
  return predicted;
}

std::vector<Tile> legal_tiles(const Variant& variant) {
  std::vector<Tile> legal;
  for (const Tile& tile : variant.tile_space())
    if (!variant.illegal(tile)) legal.push_back(tile);
  return legal;
}

int wavefronts(const std::string& variant, const std::string& access, bool guarded = false) {
  const Variant& v = require_variant(variant);
  const auto k = v.describe(v.default_tile, make_problem(1024 + guarded, 1024, 1024));
  for (const SharedAccess& s : k.shared)
    if (s.name == access)
      return shared_wavefronts(s.lanes, s.width_bytes, s.direction, MergeRules{});
  ADD_FAILURE() << variant << " has no access " << access;
  return 0;
}

TEST(Wavefronts, EachRungRemovesItsConflict) {
  EXPECT_EQ(wavefronts("smem_tile", "A fragment"), 1);
  EXPECT_EQ(wavefronts("smem_tile", "B fragment"), 1);
  EXPECT_EQ(wavefronts("thread_tile", "A fragment"), 2);  // two rows, 64 words apart
  EXPECT_EQ(wavefronts("thread_tile", "B fragment"), 4);  // 16 lanes, 8 words apart
  EXPECT_EQ(wavefronts("vectorized", "A fragment"), 2);
  EXPECT_EQ(wavefronts("vectorized", "B fragment"), 8);
  EXPECT_EQ(wavefronts("conflict_free", "A fragment"), 2);
  EXPECT_EQ(wavefronts("conflict_free", "B fragment"), 4);
  EXPECT_EQ(wavefronts("xor_swizzle", "A fragment"), 2);
  for (const char* z_order : {"warp_tile", "register_buffer", "shared_buffer", "double_buffer",
                              "cp_async", "raster_swizzle", "persistent"}) {
    EXPECT_EQ(wavefronts(z_order, "A fragment"), 2);
    EXPECT_EQ(wavefronts(z_order, "B fragment"), 2);
  }
}

TEST(Wavefronts, PaddingOrASwizzleFreesTheTransposingStores) {
  EXPECT_EQ(wavefronts("vectorized", "A slice store"), 2);
  EXPECT_EQ(wavefronts("vectorized", "A slice store", true), 8);
  for (const char* padded :
       {"conflict_free", "word_loads", "xor_swizzle", "warp_tile", "double_buffer", "cp_async"}) {
    EXPECT_EQ(wavefronts(padded, "A slice store"), 1);
    EXPECT_EQ(wavefronts(padded, "A slice store", true), 1);
  }
}

TEST(GlobalAccess, SectorsTellCoalescing) {
  const auto sectors_of = [](const char* name, std::size_t which) {
    const Variant& v = require_variant(name);
    const auto k = v.describe(v.default_tile, make_problem(1024, 1024, 1024));
    return sectors(k.global[which].lanes, k.global[which].width_bytes);
  };
  EXPECT_EQ(sectors_of("naive", 0), 32);
  EXPECT_EQ(sectors_of("naive", 1), 1);
  EXPECT_EQ(sectors_of("naive_coalesced", 0), 1);
  EXPECT_EQ(sectors_of("naive_coalesced", 1), 4);
  EXPECT_EQ(sectors_of("double_buffer", 0), 16);  // 16 rows of 32 bytes
  EXPECT_EQ(sectors_of("double_buffer", 1), 16);  // 512 bytes in a row
}

TEST(GlobalAccess, ThreeWaysToLoadFourWords) {
  const auto loads = [](const char* name) {
    const Variant& v = require_variant(name);
    const GlobalAccess b = v.describe(v.default_tile, make_problem(1024, 1024, 1024)).global[1];
    return std::pair(b.per_iteration, sectors(b.lanes, b.width_bytes));
  };
  EXPECT_EQ(loads("conflict_free"), std::pair(1.0, 16));
  EXPECT_EQ(loads("word_loads"), std::pair(4.0, 4));
  EXPECT_EQ(loads("strided_loads"), std::pair(4.0, 16));
}

/// Shapes of the staging and sectors of NT, TN and TT, on the path that is compiled for them and on
/// the guarded one.
TEST(GlobalAccess, TransposedOperands) {
  const auto sectors_of = [](const char* name, std::size_t which) {
    GemmProblem p = make_problem(1024, 1024, 1024);
    p.trans_a = p.trans_b = true;
    const Variant& v = require_variant(name);
    const auto k = v.describe(v.default_tile, p);
    EXPECT_EQ(k.guarded, std::string_view(name) == "conflict_free");
    return sectors(k.global[which].lanes, k.global[which].width_bytes);
  };
  EXPECT_EQ(sectors_of("double_buffer", 0), 16);  // 512 bytes in a row
  EXPECT_EQ(sectors_of("double_buffer", 1), 16);  // 16 rows of 32 bytes
  EXPECT_EQ(sectors_of("cp_async", 0), 16);
  EXPECT_EQ(sectors_of("cp_async", 1), 4);
  EXPECT_EQ(sectors_of("conflict_free", 0), 8);   // 8 rows of 4 words
  EXPECT_EQ(sectors_of("conflict_free", 1), 32);  // lanes down the rows
}

TEST(TileSpace, HoldsHundredsOfLegalTilesAndTheDefault) {
  for (const Variant& variant : variants()) {
    const auto legal = legal_tiles(variant);
    const bool tiled = variant.default_tile.TM > 1, one_tile = !variant.not_predicted.empty();
    EXPECT_GE(legal.size(), one_tile ? 1U : tiled ? 30U : 10U) << variant.name;
    EXPECT_EQ(std::count(legal.begin(), legal.end(), variant.default_tile), 1) << variant.name;
    EXPECT_EQ(std::set<Tile>(legal.begin(), legal.end()).size(), legal.size()) << variant.name;
  }
}

/// The loop over K is that of double_buffer, and so are tile, lanes and resources.
TEST(Description, APersistentKernelIsDoubleBufferThatWalks) {
  const Variant &walking = require_variant("persistent"), &plain = require_variant("double_buffer");
  EXPECT_EQ(walking.default_tile, plain.default_tile);
  EXPECT_EQ(legal_tiles(walking), legal_tiles(plain));
  for (const std::int64_t n : {1024, 1023}) {
    const GemmProblem problem = make_problem(1024, n, 1024);
    const KernelDescription a = walking.describe(walking.default_tile, problem);
    const KernelDescription b = plain.describe(plain.default_tile, problem);
    EXPECT_TRUE(a.persistent);
    EXPECT_FALSE(b.persistent);
    EXPECT_EQ(a.mix.total(), b.mix.total());
    EXPECT_EQ(a.guarded, b.guarded);
    EXPECT_EQ(a.resources.registers_per_thread, b.resources.registers_per_thread);
    EXPECT_EQ(a.resources.static_shared_bytes, b.resources.static_shared_bytes);
  }
}

TEST(Illegal, SaysWhyInWords) {
  const Variant& v = require_variant("double_buffer");
  const auto reason = [&](auto change) {
    Tile tile = v.default_tile;
    change(tile);
    return v.illegal(tile).value_or("");
  };
  EXPECT_NE(reason([](Tile& t) { t.BM = 100; }).find("divide"), std::string::npos);
  EXPECT_NE(reason([](Tile& t) { t.stages = 1; }).find("stages"), std::string::npos);
  EXPECT_NE(reason([](Tile& t) { t.WM = 128; }).find("32"), std::string::npos);
  EXPECT_NE(reason([](Tile& t) {
              t.BM = t.BN = 256, t.TM = t.TN = 16, t.WM = 128, t.WN = 64;
            }).find("spill"),
            std::string::npos);
  EXPECT_NE(reason([](Tile& t) { t.BK = 32; }).find("shared memory"), std::string::npos);
  EXPECT_NE(reason([](Tile& t) { t.split_k = 2; }).find("split_k"), std::string::npos);
  EXPECT_NE(reason([](Tile& t) { t.raster = Raster::column; }).find("raster"), std::string::npos);
  EXPECT_NE(reason([](Tile& t) { t.BM = 0; }), "");
}

TEST(Description, CountsAddUpForAnyLegalTile) {
  EXPECT_TRUE(rc::check("counts", [] {
    const Variant& v = **rc::gen::elementOf(predicted_variants());
    const Tile t = *rc::gen::elementOf(legal_tiles(v));
    const auto size = rc::gen::inRange(1, 700);
    const GemmProblem p = make_problem(*size, *size, *size);
    const KernelDescription k = v.describe(t, p);
    double shared = 0, global = 0;
    for (const auto& access : k.shared) shared += access.issued ? access.per_iteration : 0;
    for (const auto& access : k.global) global += access.per_iteration;
    RC_ASSERT(k.mix.shared_moves == shared);
    RC_ASSERT(k.mix.global_moves == global);
    RC_ASSERT(k.mix.fma * t.threads() == 1.0 * t.BM * t.BN * t.BK);
    RC_ASSERT(k.threads_per_block == t.threads());
    const std::int64_t slices = (p.K + t.BK - 1) / t.BK;
    RC_ASSERT(k.parts == std::min<std::int64_t>(t.split_k, slices));
    RC_ASSERT(k.k_iterations == (slices + k.parts - 1) / k.parts);
    RC_ASSERT(k.guarded == needs_guards(t, v.vector_width, p));
    RC_ASSERT(k.resources.registers_per_thread * t.threads() <= 65536);
    RC_ASSERT(k.resources.registers_per_thread <= 255);
    RC_ASSERT(k.resources.static_shared_bytes <= 48 * 1024);
    RC_ASSERT(k.epilogue_stores >= 1 && k.epilogue_store.sectors >= 1);
  }));
}

/// Elements that thread `thread` owns, by the grouping of device/place.cuh.
void add_owned(std::map<std::pair<int, int>, int>& owners, PlaceKind kind, const Tile& t,
               int thread) {
  const Position at = place_of(kind, t, thread);
  const int span_m = kind == PlaceKind::z_order ? t.WM : t.BM;
  const int span_n = kind == PlaceKind::z_order ? t.WN : t.BN;
  const int group_m = kind == PlaceKind::contiguous ? 4 : span_m / (t.TM / 4);
  const int group_n = kind == PlaceKind::contiguous ? 4 : span_n / (t.TN / 4);
  for (int i = 0; i < t.TM; ++i)
    for (int j = 0; j < t.TN; ++j)
      ++owners[{static_cast<int>(at.row) + i / 4 * group_m + i % 4,
                static_cast<int>(at.column) + j / 4 * group_n + j % 4}];
}

void expect_each_element_once(const std::string& variant, PlaceKind kind) {
  EXPECT_TRUE(rc::check(variant, [&] {
    const Tile t = *rc::gen::elementOf(legal_tiles(require_variant(variant)));
    std::map<std::pair<int, int>, int> owners;
    for (int thread = 0; thread < t.threads(); ++thread) add_owned(owners, kind, t, thread);
    RC_ASSERT(owners.size() == static_cast<std::size_t>(t.BM) * static_cast<std::size_t>(t.BN));
    RC_ASSERT(owners.begin()->first == std::make_pair(0, 0));
    RC_ASSERT(owners.rbegin()->first == std::make_pair(t.BM - 1, t.BN - 1));
  }));
}

TEST(Place, EveryElementHasOneThread) {
  expect_each_element_once("vectorized", PlaceKind::contiguous);
  expect_each_element_once("conflict_free", PlaceKind::split);
  expect_each_element_once("double_buffer", PlaceKind::z_order);
}

TEST(Staging, EveryElementOfASliceIsLoadedOnce) {
  EXPECT_TRUE(rc::check("staging", [] {
    const Tile t = *rc::gen::elementOf(legal_tiles(require_variant("double_buffer")));
    const int width = *rc::gen::element(1, 4);
    const StagingShape s = *rc::gen::element(StagingShape{t.BM, t.BK, t.threads(), width},
                                             StagingShape{t.BK, t.BN, t.threads(), width});
    std::set<std::int64_t> loaded;
    for (int thread = 0; thread < s.threads; ++thread)
      for (int i = 0; i < s.count(); ++i)
        for (int w = 0; w < width; ++w) {
          const Position at = s.of(thread);
          RC_ASSERT(loaded.insert((at.row + i * s.row_step()) * s.columns + at.column + w).second);
        }
    RC_ASSERT(loaded.size() == static_cast<std::size_t>(s.rows * s.columns));
    RC_ASSERT(*loaded.rbegin() == static_cast<std::int64_t>(s.rows) * s.columns - 1);
  }));
}

TEST(Description, HugePitchesStayWithinThirtyTwoBits) {
  for (const Variant& v : variants()) {
    GemmProblem p = make_problem(256, 256, 64);
    p.lda = p.ldb = p.ldc = 3'000'000'000;
    const auto k = v.describe(v.default_tile, p);
    for (const auto& access : k.global)
      for (const auto offset : access.lanes.byte_offset) EXPECT_GE(offset, 0) << v.name;
  }
}

TEST(Description, AlphaZeroNeedsNoIteration) {
  for (const Variant& v : variants()) {
    GemmProblem p = make_problem(256, 256, 64);
    p.alpha = 0;
    EXPECT_EQ(v.describe(v.default_tile, p).k_iterations, 0) << v.name;
  }
}

/// As launch_parts() deals them out: at most a part a slice, and one where there is nothing to sum.
TEST(Description, PartsOfKAreWhatIsLaunched) {
  const Variant& variant = require_variant("split_k_workspace");
  Tile tile = variant.default_tile;
  for (const int asked : {1, 2, 4, 8, 16})
    for (const std::int64_t K : {1, 8, 9, 24, 100, 4096}) {
      tile.split_k = asked;
      const GemmProblem problem = make_problem(256, 256, K);
      const KernelDescription k = variant.describe(tile, problem);
      const std::int64_t slices = (K + tile.BK - 1) / tile.BK;
      EXPECT_EQ(k.parts, std::min<std::int64_t>(asked, slices));
      EXPECT_EQ(k.k_iterations, (slices + k.parts - 1) / k.parts);
      EXPECT_EQ(k.sum_pass.floats_per_thread > 0, k.parts > 1);
      EXPECT_EQ(k.sum_pass.waits >= 1, k.parts > 1);
    }
  GemmProblem nothing = make_problem(256, 256, 4096);
  nothing.alpha = 0;
  EXPECT_EQ(variant.describe(tile, nothing).parts, 1);
  EXPECT_EQ(variant.describe(tile, nothing).k_iterations, 0);
}

}  // namespace
}  // namespace rooftile::gemm
