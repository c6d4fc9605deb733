// Every variant against the FP64 reference. GemmSmall is small enough for compute-sanitizer
// (--gtest_filter='GemmSmall.*'); GemmRandom and GemmLarge are not.
#include <random>

#include "gemm/variant.hpp"
#include "gemm_fixture.hpp"
#include "gpu/cuda/attribute.hpp"

namespace rooftile::gemm {
namespace {

class GemmSmall : public GemmDevice {};
class GemmRandom : public GemmDevice {};
class GemmLarge : public GemmDevice {
 protected:
  static bool fits(const GemmProblem& problem) {
    std::size_t free_bytes = 0, total_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    return free_bytes >= static_cast<std::size_t>(ProblemData::bytes_needed(problem));
  }
};

TEST(GemmKernels, EveryVariantHasItsDefaultTileCompiled) {
  EXPECT_GE(compiled_kernels().size(), variants().size());
  for (const Variant& variant : variants()) {
    const CompiledKernel* kernel = find_kernel(variant.name, variant.default_tile);
    ASSERT_NE(kernel, nullptr) << variant.name;
    EXPECT_EQ(kernel->vector_width, variant.vector_width);
    EXPECT_TRUE(kernel->custom != nullptr || kernel->fast != kernel->guarded) << variant.name;
  }
}

TEST(GemmKernels, WhatALaunchDecidesIsThereForEachTile) {
  Tile tile = require_variant("split_k_atomic").default_tile;
  for (const int parts : {2, 4, 8, 16}) {
    tile.split_k = parts;
    ASSERT_NE(find_kernel("split_k_atomic", tile), nullptr) << parts;
    EXPECT_EQ(find_kernel("split_k_atomic", tile)->tile.split_k, parts);
  }
  tile = require_variant("raster_swizzle").default_tile;
  tile.raster_group = 16;
  EXPECT_NE(find_kernel("raster_swizzle", tile), nullptr);
  tile.BK = 16;
  EXPECT_EQ(find_kernel("raster_swizzle", tile), nullptr);
}

TEST(GemmKernels, ThePathIsChosenBySizesPitchesAndAlignment) {
  const Variant& variant = require_variant("double_buffer");
  const CompiledKernel& kernel = *find_kernel(variant.name, variant.default_tile);
  alignas(16) static float memory[8];
  const Arguments good{memory, memory, memory, 256, 256, 64, 64, 256, 256, 1, 0};
  EXPECT_EQ(choose(kernel, good), kernel.fast);
  for (auto change : {+[](Arguments& g) { g.M = 257; }, +[](Arguments& g) { g.K = 0; },
                      +[](Arguments& g) { g.K = 63; }, +[](Arguments& g) { g.ldb = 257; },
                      +[](Arguments& g) { ++g.a; }, +[](Arguments& g) { ++g.c; },
                      +[](Arguments& g) { g.stride_a = 1; }}) {
    Arguments bad = good;
    change(bad);
    EXPECT_EQ(choose(kernel, bad), kernel.guarded);
  }
  Arguments transposed = good;
  transposed.trans_b = true;
  EXPECT_EQ(choose(kernel, transposed), kernel.fast_transposed[1]);
  const Variant& plain = require_variant("conflict_free");
  const CompiledKernel& without = *find_kernel(plain.name, plain.default_tile);
  EXPECT_EQ(choose(without, transposed), without.guarded);
}

TEST_F(GemmSmall, OneElement) { expect_right(make_problem(1, 1, 1)); }
TEST_F(GemmSmall, OneRow) { expect_right(make_problem(1, 300, 5)); }
TEST_F(GemmSmall, OneColumn) { expect_right(make_problem(300, 1, 5)); }
TEST_F(GemmSmall, LongOuterProduct) { expect_right(make_problem(1, 4096, 1)); }
TEST_F(GemmSmall, Primes) { expect_right(make_problem(127, 129, 131)); }
TEST_F(GemmSmall, WholeTiles) { expect_right(make_problem(256, 128, 64)); }
TEST_F(GemmSmall, RaggedKOnly) { expect_right(make_problem(128, 128, 33)); }
TEST_F(GemmSmall, OneSlice) { expect_right(make_problem(128, 128, 8)); }
TEST_F(GemmSmall, KShorterThanASlice) { expect_right(make_problem(128, 128, 3)); }

// C holds NaN before every run with beta == 0, so these two say that it is not read.
TEST_F(GemmSmall, BetaZeroIgnoresC) {
  expect_right(scaled(make_problem(129, 65, 17), -2.5, 0));
  expect_right(scaled(make_problem(128, 128, 32), 0.5, 0));
}

TEST_F(GemmSmall, BetaReadsC) {
  expect_right(scaled(make_problem(127, 129, 131), 1, -1.5));
  expect_right(scaled(make_problem(128, 256, 64), 0.75, -1.5));
  expect_right(scaled(make_problem(128, 128, 32), 1, 1));
}

TEST_F(GemmSmall, AlphaZeroIgnoresAAndB) {
  DataOptions nan_inputs;
  nan_inputs.poison_inputs = true;
  for (const double beta : {0.0, 1.0, -1.5}) {
    expect_right(scaled(make_problem(128, 128, 32), 0, beta), nan_inputs);
    expect_right(scaled(make_problem(129, 127, 33), 0, beta), nan_inputs);
  }
}

TEST_F(GemmSmall, PaddedPitches) {
  expect_right(padded(make_problem(128, 128, 32), 4, 8, 12));
  expect_right(padded(make_problem(128, 128, 32), 1, 0, 0));
  expect_right(padded(make_problem(128, 128, 32), 0, 3, 0));
  expect_right(padded(make_problem(128, 128, 32), 0, 0, 5));
  expect_right(scaled(padded(make_problem(127, 129, 31), 7, 2, 9), 1.5, 0.5));
}

TEST_F(GemmSmall, MisalignedPointers) {
  for (int offset = 1; offset < 4; ++offset) {
    DataOptions a, b, c;
    a.offset_a = b.offset_b = c.offset_c = offset;
    for (const DataOptions& options : {a, b, c})
      expect_right(scaled(make_problem(128, 128, 32), 1, 0.5), options);
  }
}

TEST_F(GemmSmall, TransposedOperands) {
  for (const char* trans : {"NT", "TN", "TT"})
    for (GemmProblem problem : {make_problem(256, 128, 64), make_problem(127, 129, 131),
                                make_problem(1, 300, 5), make_problem(128, 128, 3)}) {
      problem.trans_a = trans[0] == 'T';
      problem.trans_b = trans[1] == 'T';
      pack(problem);
      expect_right(problem);
      expect_right(scaled(padded(problem, 4, 8, 12), 0.75, -1.5));
      expect_right(padded(problem, 1, 3, 5));
    }
}

TEST_F(GemmSmall, ColumnMajor) {
  for (const bool trans : {false, true}) {
    GemmProblem problem = make_problem(130, 70, 50);
    problem.layout = Layout::column_major;
    problem.trans_a = trans;
    pack(problem);
    expect_right(scaled(problem, 1, 0.5));
  }
}

TEST_F(GemmSmall, Batches) {
  for (const auto& shape : {make_problem(128, 128, 32), make_problem(50, 60, 70)})
    for (const int count : {2, 5}) {
      GemmProblem problem = shape;
      problem.batch = count;
      pack(problem);
      expect_right(scaled(problem, 1, 0.5));
      problem.stride_a = 0;
      problem.stride_c += 3;
      expect_right(problem);
      problem.ldc = count * problem.N;
      problem.stride_c = problem.N;
      expect_right(scaled(problem, -1.5, 1));
    }
}

TEST_F(GemmRandom, TwoHundredProblems) {
  std::mt19937 random(20261129);
  std::uniform_int_distribution<int> size(1, 300), pad(0, 5), offset(0, 3), pick(0, 3);
  const double scalars[] = {1, 0, -1.5, 0.25};
  for (int i = 0; i < 200; ++i) {
    GemmProblem problem = make_problem(size(random), size(random), size(random));
    problem = padded(problem, pad(random), pad(random), pad(random));
    problem = scaled(problem, scalars[pick(random)], scalars[pick(random)]);
    DataOptions options;
    options.seed = 1000U + static_cast<unsigned>(i);
    options.offset_a = offset(random);
    options.offset_b = offset(random);
    options.offset_c = offset(random);
    expect_right(problem, options);
  }
}

TEST_F(GemmLarge, RaggedShallow) {
  expect_right(make_problem(4095, 4097, 33));
  expect_right(scaled(make_problem(4095, 4097, 33), 1, -1.5));
}

TEST_F(GemmLarge, Deep) { expect_right(make_problem(128, 128, 16384)); }

/// More tiles than any GPU holds blocks of these kernels: each block walks over several. One slice,
/// an odd and an even number of them, so that a tile ends in either of two buffers; from the last
/// tile of a matrix to the first of the next.
TEST_F(GemmLarge, MoreTilesThanBlocksThatFit) {
  const auto multiprocessors = current_attribute(cudaDevAttrMultiProcessorCount);
  const std::int64_t tiles = 5LL * multiprocessors + 3;  // 2 blocks an SM, 3 rounds
  for (const std::int64_t k : {3, 8, 24, 32, 33}) {
    expect_right(make_problem(128 * tiles, 128, k), {}, "persistent");
    expect_right(scaled(make_problem(128 * tiles - 5, 127, k), -1.5, 0.5), {}, "persistent");
    for (const int form : {1, 2, 3})
      for (GemmProblem problem :
           {make_problem(128 * tiles, 128, k), make_problem(130, 64 * tiles + 1, k)}) {
        problem.trans_a = form % 2 == 1;
        problem.trans_b = form / 2 == 1;
        pack(problem);
        expect_right(problem, {}, "persistent");
      }
    GemmProblem batch = make_problem(256, 384, k);
    batch.batch = tiles / 6 + 1;
    pack(batch);
    expect_right(batch, {}, "persistent");
    batch.stride_b = 0;
    expect_right(scaled(batch, 1, 0.5), {}, "persistent");
  }
  expect_right(scaled(make_problem(128 * tiles, 128, 32), 0, -1.5), {}, "persistent");
}

TEST_F(GemmLarge, ALargeBatch) {
  GemmProblem problem = make_problem(3, 5, 2);
  problem.batch = 70000;
  pack(problem);
  expect_right(problem, {}, "double_buffer");
  expect_right(problem, {}, "persistent");
  expect_right(problem, {}, "naive");
}

TEST_F(GemmLarge, MoreRowsOfBlocksThanTheGridIsHigh) {
  expect_right(make_problem(65535LL * 128 + 129, 1, 2));
}

TEST_F(GemmLarge, ElementsPastTwoToThe31) {
  GemmProblem problem = make_problem(65537, 3, 5);
  problem.lda = problem.ldc = 33000;
  if (!fits(problem)) GTEST_SKIP() << "needs " << ProblemData::bytes_needed(problem) << " bytes";
  expect_right(problem);
  expect_right(scaled(problem, 1, 0.5));
}

/// B as it lies, and A stored K x M with rows that 16-byte accesses do not reach: some kernels copy
/// it, and the copy is as large.
TEST_F(GemmLarge, OperandsPastTwoToThe31) {
  const GemmProblem wide = make_problem(3, 33000, 65537);
  GemmProblem transposed = make_problem(33001, 3, 65537);
  transposed.trans_a = true;
  pack(transposed);
  for (const GemmProblem& problem : {wide, transposed}) {
    if (!fits(problem)) GTEST_SKIP() << "needs " << ProblemData::bytes_needed(problem) << " bytes";
    expect_right(problem);
  }
}

}  // namespace
}  // namespace rooftile::gemm
