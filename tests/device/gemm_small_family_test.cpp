// Every compiled kernel of gemm/small with every kind of split, of which the rule takes few for any
// set of problems.
#include <map>
#include <utility>
#include <vector>

#include "gemm/small/helpers.hpp"
#include "gemm/small/machine.hpp"
#include "gemm/small/split_k_cluster.hpp"
#include "gemm_fixture.hpp"

namespace rooftile::gemm {
namespace {

using small::Choice;
using small::Path;

struct Split {
  int splits;
  bool cluster;
};

/// None, clusters of few and many blocks, partial sums.
constexpr Split kinds[] = {{1, false}, {2, true},  {3, true},  {7, true},
                           {16, true}, {2, false}, {31, false}};

GemmProblem scaled_problem(std::int64_t M, std::int64_t N, std::int64_t K, bool trans_a,
                           bool trans_b) {
  GemmProblem problem = make_problem(M, N, K);
  problem.trans_a = trans_a;
  problem.trans_b = trans_b;
  pack(problem);
  problem.alpha = 0.75;
  problem.beta = -1.5;
  return problem;
}

class GemmFamily : public GemmDevice {
 protected:
  /// All kernels of `paths`, which take the problem as it lies.
  void run_all(const GemmProblem& problem, std::initializer_list<Path> paths) {
    ProblemData data(problem, {}, *stream_);
    const small::Problem sizes{.M = problem.M, .N = problem.N, .K = problem.K};
    for (const Path path : paths)
      for (int candidate = 0; candidate < small::candidate_count; ++candidate)
        for (const Split& kind : kinds) {
          const Choice choice{
              .path = path, .candidate = candidate, .splits = kind.splits, .cluster = kind.cluster};
          if (small::possible(sizes, small::machine(), choice)) run_one(data, choice);
        }
  }

  void run_one(ProblemData& data, const Choice& choice) {
    data.reset_c();
    small::launch_choice(data.arguments(), choice, *stream_);
    EXPECT_EQ(data.check_c().reason, "")
        << "path " << static_cast<int>(choice.path) << ", candidate " << choice.candidate << ", "
        << choice.splits << (choice.cluster ? " in a cluster" : " parts") << ", "
        << text_of(data.problem());
    ++runs_[{choice.path, choice.candidate}];
  }

  /// Kinds of split that this device has for a kernel; 0 where it has no room for the kernel.
  static int kinds_of(Path path, int candidate) {
    const small::Machine& device = small::machine();
    const auto p = static_cast<std::size_t>(path), c = static_cast<std::size_t>(candidate);
    int count = 0;
    for (const Split& kind : kinds)
      if (kind.cluster ? device.clusters.at(static_cast<std::size_t>(kind.splits)) > 0 &&
                             device.in_cluster[p][c] > 0
                       : device.whole[p][c] > 0)
        ++count;
    return count;
  }

  void expect_all_ran(Path path, int problems) {
    for (int candidate = 0; candidate < small::candidate_count; ++candidate) {
      const auto& tile = small::candidates[static_cast<std::size_t>(candidate)];
      const bool compiled = path != Path::words || tile.words.alone > 0;
      const std::pair kernel{path, candidate};
      EXPECT_EQ(runs_[kernel], compiled ? problems * kinds_of(path, candidate) : 0)
          << "path " << static_cast<int>(path) << ", candidate " << candidate;
    }
  }

  std::map<std::pair<Path, int>, int> runs_;
};

/// Tiles are ragged in all problems; in the second nothing is aligned; the third is read as it lies
/// by Path::prepared; both operands of the fourth are copied, one of them transposed.
TEST_F(GemmFamily, EveryKernelWithEveryKindOfSplit) {
  run_all(scaled_problem(200, 136, 1004, false, false),
          {Path::direct, Path::prepared, Path::words});
  run_all(scaled_problem(199, 135, 1003, false, false), {Path::prepared, Path::words});
  run_all(scaled_problem(200, 136, 1003, true, false), {Path::prepared});
  run_all(scaled_problem(199, 135, 1004, true, true), {Path::prepared});
  expect_all_ran(Path::direct, 1);
  expect_all_ran(Path::prepared, 4);
  expect_all_ran(Path::words, 2);
}

/// Most blocks of a large cluster then own no row of C.
TEST_F(GemmFamily, FewerRowsThanBlocks) {
  run_all(scaled_problem(3, 5, 513, false, false), {Path::prepared, Path::words});
  run_all(scaled_problem(4, 8, 512, false, false), {Path::direct});
  EXPECT_FALSE(runs_.empty());
}

/// What 16-byte accesses read behind a row of a copy is zero, also in memory that was never
/// written.
TEST_F(GemmFamily, CopiesEndInZeros) {
  constexpr long long rows = 35, columns = 67, pitch_to = 68, pitch_from = 71;
  std::vector<float> from(columns * pitch_from), copied(rows * pitch_to);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i + 1);
  DeviceBuffer<float> source(from.size()), to(copied.size());
  source.upload(from.data(), from.size());
  for (const bool transposed : {false, true}) {
    to.fill_bytes(0xff);
    small::pack({source.data(), to.data(), rows, columns, pitch_from, pitch_to, transposed}, {},
                *stream_);
    check(cudaStreamSynchronize(*stream_), "pack");
    to.download(copied.data(), copied.size());
    for (long long r = 0; r < rows; ++r) {
      for (long long c = 0; c < columns; ++c)
        ASSERT_EQ(copied[r * pitch_to + c],
                  transposed ? from[c * pitch_from + r] : from[r * pitch_from + c])
            << r << ", " << c;
      for (long long c = columns; c < pitch_to; ++c) ASSERT_EQ(copied[r * pitch_to + c], 0) << r;
    }
  }
}

}  // namespace
}  // namespace rooftile::gemm
