// Kernels compiled at run time on the GPU that runs them.
#include <gmock/gmock.h>

#include <thread>

#include "gemm/jit.hpp"
#include "gemm_fixture.hpp"
#include "model/error.hpp"
#include "tests/support/other_tiles.hpp"

namespace rooftile::gemm {
namespace {

constexpr std::size_t tiles_a_variant = 3;

class GemmJit : public GemmDevice {
 protected:
  void expect_right(const CompiledKernel& kernel, GemmProblem problem) {
    pack(problem);
    ProblemData data(problem, {}, *stream_);
    GemmDevice::expect_right(kernel, problem, data);
  }
};

/// Whole tiles of this kernel, several slices deep.
GemmProblem whole(const Tile& t) { return make_problem(2LL * t.BM, 3LL * t.BN, 20LL * t.BK); }

TEST_F(GemmJit, OtherTilesOfEveryVariantAreRight) {
  for (const Variant& variant : variants())
    for (const Tile& tile : test::other_tiles(variant, tiles_a_variant)) {
      const CompiledKernel& kernel = kernel_for(variant, tile);
      if (unavailable(kernel)) continue;
      ASSERT_EQ(kernel.tile, tile);
      expect_right(kernel, whole(tile));
      expect_right(kernel, scaled(whole(tile), 0.75, -1.5));
      expect_right(kernel, make_problem(127, 129, 131));
      expect_right(kernel, scaled(make_problem(509, 301, 67), -1.5, 0.5));
      expect_right(kernel, scaled(make_problem(65, 33, 17), 0, 1));
      for (const int form : {1, 2, 3})
        for (GemmProblem problem : {whole(tile), make_problem(127, 129, 131)}) {
          problem.trans_a = form % 2 == 1;
          problem.trans_b = form / 2 == 1;
          expect_right(kernel, problem);
        }
      GemmProblem several = whole(tile);
      several.batch = 3;
      expect_right(kernel, several);
    }
}

TEST_F(GemmJit, WhatIsCompiledInIsNotCompiledAgain) {
  for (const Variant& variant : variants())
    EXPECT_EQ(&kernel_for(variant, variant.default_tile),
              find_kernel(variant.name, variant.default_tile));
  const Variant& variant = require_variant("split_k_atomic");
  const CompiledKernel& compiled_in = *find_kernel(variant.name, variant.default_tile);
  Tile tile = variant.default_tile;
  tile.split_k = 3;
  ASSERT_EQ(find_kernel(variant.name, tile), nullptr);
  const CompiledKernel& kernel = kernel_for(variant, tile);
  EXPECT_EQ(kernel.tile.split_k, 3);
  EXPECT_EQ(kernel.paths, nullptr);
  EXPECT_EQ(kernel.fast, compiled_in.fast);
  if (!unavailable(kernel)) expect_right(kernel, make_problem(127, 129, 1310));
}

/// Threads that ask at once get one kernel, compiled once.
TEST_F(GemmJit, AKernelIsMadeOnce) {
  const Variant& variant = require_variant("thread_tile");
  const Tile tile = test::other_tiles(variant, tiles_a_variant).at(1);
  constexpr int count = 4;
  const CompiledKernel* kernels[count] = {};
  CompiledKernel::Function functions[count] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      kernels[i] = &kernel_for(variant, tile);
      functions[i] = choose(*kernels[i], Arguments{});
    });
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(kernels[i], kernels[0]);
    EXPECT_EQ(functions[i], functions[0]);
    EXPECT_NE(functions[i], nullptr);
  }
}

TEST_F(GemmJit, PathsAreChosenAsForWhatIsCompiledIn) {
  const Variant& plain = require_variant("conflict_free");
  const Variant& with_paths = require_variant("double_buffer");
  const CompiledKernel& without = kernel_for(plain, test::other_tiles(plain, 2).front());
  const CompiledKernel& with = kernel_for(with_paths, test::other_tiles(with_paths, 2).front());
  for (const CompiledKernel* kernel : {&without, &with}) {
    const Tile& t = kernel->tile;
    Arguments g{};
    g.M = g.N = g.K = g.lda = g.ldb = g.ldc = 16LL * t.BM * t.BN * t.BK;
    Arguments transposed = g, ragged = g;
    transposed.trans_a = true;
    ++ragged.M;
    EXPECT_NE(choose(*kernel, g), choose(*kernel, ragged));
    EXPECT_NE(choose(*kernel, transposed), choose(*kernel, g));
    EXPECT_EQ(choose(*kernel, transposed) == choose(*kernel, ragged), kernel == &without);
  }
}

TEST_F(GemmJit, AnIllegalTileIsRefusedWithTheReason) {
  Tile tile = require_variant("warp_tile").default_tile;
  tile.WM = 16;
  const auto refusal = [](const char* variant, const Tile& refused) -> std::string {
    try {
      kernel_for(require_variant(variant), refused);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal("warp_tile", tile), testing::HasSubstr("a warp tile holds"));
  EXPECT_THAT(refusal("hand_scheduled", tile), testing::HasSubstr("machine code"));
}

}  // namespace
}  // namespace rooftile::gemm
