// Branch and bound finds what brute force finds, and says what it pruned.
#include "model/predict/search.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "tests/model/h200_fixture.hpp"

namespace rooftile {
namespace {

/// All tiles from powers of two that fit a block.
std::vector<KernelDescription> kernels(const GemmProblem& problem, std::size_t most) {
  std::vector<KernelDescription> result;
  for (const int BM : {32, 64, 128, 256})
    for (const int BN : {32, 64, 128, 256})
      for (const int BK : {4, 8, 16, 32})
        for (const int TM : {4, 8, 16})
          for (const int TN : {4, 8, 16})
            for (const bool buffered : {false, true}) {
              const Tile tile{.BM = BM, .BN = BN, .BK = BK, .TM = TM, .TN = TN};
              if (tile.threads() < 32 || tile.threads() > 1024 || result.size() >= most) continue;
              result.push_back(
                  test::tiled_kernel(tile, problem, buffered, std::min(255, TM * TN + 60)));
            }
  return result;
}

TEST(Search, EqualsBruteForce) {
  const DeviceProfile profile = test::h200();
  const auto roofline = make_predictor("roofline", profile);
  const auto analytic = make_predictor("analytic", profile);
  EXPECT_TRUE(rc::check("the keep best, in order", [&] {
    const GemmProblem problem = make_problem(*rc::gen::inRange(1, 6000), *rc::gen::inRange(1, 6000),
                                             *rc::gen::inRange(1, 6000));
    const auto all = kernels(problem, 200);
    const std::size_t keep = *rc::gen::inRange<std::size_t>(1, 12);
    const SearchResult found = search(all, problem, *roofline, *analytic, keep);
    std::vector<double> times;
    for (const auto& kernel : all) times.push_back(analytic->time_s(kernel, problem));
    std::sort(times.begin(), times.end());
    RC_ASSERT(found.considered == all.size());
    RC_ASSERT(found.ranked.size() >= keep);
    for (std::size_t i = 0; i < keep; ++i) RC_ASSERT(found.ranked[i].time_s == times[i]);
    for (const auto& c : found.ranked) RC_ASSERT(c.bound_s <= c.time_s * (1 + 1e-9));
  }));
}

TEST(Search, PrunesAndIgnoresInputOrder) {
  const DeviceProfile profile = test::h200();
  const auto roofline = make_predictor("roofline", profile);
  const auto analytic = make_predictor("analytic", profile);
  const GemmProblem problem = make_problem(4096, 4096, 4096);
  auto all = kernels(problem, 10000);
  const SearchResult forward = search(all, problem, *roofline, *analytic, 8);
  std::reverse(all.begin(), all.end());
  const SearchResult backward = search(all, problem, *roofline, *analytic, 8);
  EXPECT_GT(forward.pruned, 0u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(forward.ranked[i].kernel.tile, backward.ranked[i].kernel.tile);
    EXPECT_EQ(forward.ranked[i].time_s, backward.ranked[i].time_s);
  }
}

/// Predictions of these times, the first with an interval up to `hi` where that is above 0.
std::size_t ties(const std::vector<double>& times, double hi) {
  std::vector<Prediction> predictions(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) predictions[i].time_s = times[i];
  if (hi > 0) predictions.front().input_interval = Interval{0, hi};
  return count_ties(predictions);
}

TEST(Search, TiesAreThoseInsideTheIntervalOfTheFastest) {
  EXPECT_EQ(count_ties({}), 0u);
  EXPECT_EQ(ties({1}, 0), 1u);
  EXPECT_EQ(ties({1, 1, 1.01}, 0), 2u);
  EXPECT_EQ(ties({1, 1.01, 1.02, 1.2}, 1.02), 3u);
  EXPECT_EQ(ties({1, 1.01}, 9), 2u);
}

TEST(Search, EmptyAndUnlaunchable) {
  const DeviceProfile profile = test::h200();
  const auto roofline = make_predictor("roofline", profile);
  const auto analytic = make_predictor("analytic", profile);
  const GemmProblem problem = make_problem(64, 64, 64);
  EXPECT_TRUE(search({}, problem, *roofline, *analytic, 1).ranked.empty());
  KernelDescription k =
      test::tiled_kernel({.BM = 64, .BN = 64, .BK = 8, .TM = 8, .TN = 8}, problem, false);
  k.resources.dynamic_shared_bytes = 1 << 20;
  const SearchResult none = search({k}, problem, *roofline, *analytic, 1);
  EXPECT_TRUE(none.ranked.empty());
  EXPECT_EQ(none.considered, 1u);
}

TEST(Search, TheFastestOfEachBlockTileIsThatOfBruteForce) {
  const auto analytic = make_predictor("analytic", test::h200());
  const GemmProblem problem = make_problem(1021, 1031, 1033);
  auto all = kernels(problem, 10000);
  std::map<std::pair<int, int>, double> least;
  for (const auto& kernel : all) {
    const double time_s = analytic->time_s(kernel, problem);
    const auto at = least.try_emplace({kernel.tile.BM, kernel.tile.BN}, time_s).first;
    at->second = std::min(at->second, time_s);
  }
  std::erase_if(least, [](const auto& entry) { return !std::isfinite(entry.second); });
  const auto found = fastest_by_block_tile(all, problem, *analytic);
  ASSERT_EQ(found.size(), least.size());
  auto expected = least.begin();
  for (const Prediction& p : found) {
    EXPECT_EQ(std::pair(p.tile.BM, p.tile.BN), expected->first);
    EXPECT_DOUBLE_EQ(p.time_s, (expected++)->second);
  }
  for (auto& kernel : all) kernel.resources.dynamic_shared_bytes = 1 << 20;
  EXPECT_TRUE(fastest_by_block_tile(all, problem, *analytic).empty()) << "none can be launched";
}

TEST(Search, TenThousandTilesInASecond) {
  const DeviceProfile profile = test::h200();
  const auto roofline = make_predictor("roofline", profile);
  const auto analytic = make_predictor("analytic", profile);
  const GemmProblem problem = make_problem(4096, 4096, 4096);
  std::vector<KernelDescription> many;
  const auto some = kernels(problem, 10000);
  while (many.size() < 10000) many.insert(many.end(), some.begin(), some.end());
  many.resize(10000);
  const auto start = std::chrono::steady_clock::now();
  const SearchResult found = search(std::move(many), problem, *roofline, *analytic, 10000);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(found.pruned, 0u);  // the worst case: everything evaluated
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__)
  EXPECT_LT(took.count(), 1.0);
#else
  EXPECT_LT(took.count(), 20.0);
#endif
}

}  // namespace
}  // namespace rooftile
