// The predictors: bounds, additivity of terms, monotonicity, behaviour at the limits.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

#include "model/error.hpp"
#include "model/predict/closed_forms.hpp"
#include "model/predict/machine.hpp"
#include "model/predict/predictor.hpp"
#include "model/predict/queueing.hpp"
#include "tests/model/h200_fixture.hpp"

namespace rooftile {
namespace {

Tile random_tile() {
  Tile t;
  t.TM = *rc::gen::element(4, 8, 16);
  t.TN = *rc::gen::element(4, 8, 16);
  t.BM = t.TM * *rc::gen::element(4, 8, 16);
  t.BN = t.TN * *rc::gen::element(8, 16);
  t.BK = *rc::gen::element(4, 8, 16, 32);
  t.raster = *rc::gen::element(Raster::row, Raster::column, Raster::zigzag, Raster::swizzle);
  t.raster_group = *rc::gen::inRange(1, 9);
  return t;
}

GemmProblem random_problem() {
  const auto size = [] { return std::int64_t{1} << *rc::gen::inRange(0, 14); };
  GemmProblem p = make_problem(size() + *rc::gen::inRange(0, 9), size() + *rc::gen::inRange(0, 9),
                               size() + *rc::gen::inRange(0, 9));
  p.beta = *rc::gen::element(0.0, 0.0, 1.0);
  return p;
}

KernelDescription random_kernel(const GemmProblem& problem) {
  KernelDescription k = test::tiled_kernel(random_tile(), problem, *rc::gen::arbitrary<bool>(),
                                           *rc::gen::inRange(24, 129));
  k.mix.integer = *rc::gen::inRange(0, 200);
  k.persistent = *rc::gen::arbitrary<bool>();
  if (*rc::gen::inRange(0, 4) == 0) {  // a kernel without shared memory
    k.mix.barriers = k.mix.shared_moves = 0;
    k.shared.clear();
    k.global[0].l1_reuse = 0.01 * *rc::gen::inRange(0, 100);
  }
  if (*rc::gen::inRange(0, 10) == 0) k.k_iterations = 0;  // alpha = 0
  return k;
}

/// With stores, bursts and launches in a row measured, or without.
DeviceProfile random_h200() {
  return *rc::gen::arbitrary<bool>() ? test::with_stores_and_bursts(test::h200()) : test::h200();
}

/// The H200 with every value scaled at random; some optional inputs missing.
DeviceProfile random_profile() {
  DeviceProfile p = random_h200();
  const auto scale = [] { return std::exp2(*rc::gen::inRange(-20, 21) / 10.0); };
  for (auto& [id, metric] : p.metrics) {
    if (id.rfind("device.", 0) == 0) continue;
    const double factor = scale();
    *metric.value *= factor;
    if (metric.ci95) metric.ci95 = Interval{metric.ci95->lo * factor, metric.ci95->hi * factor};
  }
  for (auto& [id, curve] : p.curves) {
    const double factor = scale();
    for (double& y : curve.y) y *= factor;
  }
  for (const char* optional :
       {"launch.block_cost", "persistent_step.static", "clock.light", "smem.lds128.latency"})
    if (*rc::gen::arbitrary<bool>()) p.metrics.erase(optional);
  for (const char* optional : {"l2.bandwidth.over_active_sms", "dram.bandwidth.over_active_sms",
                               "memory.bandwidth.over_footprint", "memory.latency.over_footprint"})
    if (*rc::gen::inRange(0, 4) == 0) p.curves.erase(optional);
  return p;
}

TEST(PredictorProperties, RooflineNeverExceedsAnalytic) {
  EXPECT_TRUE(rc::check("admissible", [] {
    const DeviceProfile profile = random_profile();
    const GemmProblem problem = random_problem();
    const KernelDescription kernel = random_kernel(problem);
    const double bound = make_predictor("roofline", profile)->time_s(kernel, problem);
    const double time = make_predictor("analytic", profile)->time_s(kernel, problem);
    RC_ASSERT(std::isfinite(bound) && bound > 0);
    RC_ASSERT(bound <= time * (1 + 1e-9));
  }));
}

TEST(PredictorProperties, TermsAddUpAndTimesAgree) {
  EXPECT_TRUE(rc::check("additive", [] {
    const DeviceProfile profile = random_profile();
    const GemmProblem problem = random_problem();
    const KernelDescription kernel = random_kernel(problem);
    for (const char* name : {"roofline", "analytic"}) {
      const auto predictor = make_predictor(name, profile);
      const Prediction p = predictor->predict(kernel, problem);
      double sum = 0;
      for (const Term& term : p.terms) sum += term.seconds;
      RC_ASSERT(std::abs(sum - p.time_s) <= 1e-9 * p.time_s);
      RC_ASSERT(p.time_s == predictor->time_s(kernel, problem));
      RC_ASSERT(p.l2_hit_rate >= 0 && p.l2_hit_rate <= 1);
      RC_ASSERT(!p.inputs.empty());
      if (p.input_interval) {
        RC_ASSERT(p.input_interval->lo <= p.time_s);
        RC_ASSERT(p.input_interval->hi >= p.time_s);
      }
    }
  }));
}

BlockDemand random_demand(const Machine& machine) {
  const GemmProblem problem = random_problem();
  KernelDescription kernel = random_kernel(problem);
  kernel.k_iterations = std::max<std::int64_t>(1, kernel.k_iterations);
  return kernel_demand(machine, kernel, problem, 1).block;
}

TEST(PredictorProperties, BlockTimeGrowsWithBlocksAndNeverFasterThanAlone) {
  EXPECT_TRUE(rc::check("t(1) <= t(n) <= n t(1), non-decreasing", [] {
    const Machine machine = make_machine(random_h200());
    const BlockDemand demand = random_demand(machine);
    const int active = *rc::gen::inRange(1, 133);
    const ClosedForms forms(machine, demand);
    const auto t = [&](int n) { return block_time(machine, demand, forms, {}, 1.9e9, n, active); };
    RC_ASSERT(t(0) == 0.0);
    const double alone = t(1);
    for (int n = 2; n <= 16; ++n) {
      RC_ASSERT(t(n) >= t(n - 1) * (1 - 1e-9));
      RC_ASSERT(t(n) <= n * alone * (1 + 1e-9));
    }
  }));
}

TEST(PredictorProperties, MoreActiveSmsNeverFaster) {
  EXPECT_TRUE(rc::check("monotone in a", [] {
    const Machine machine = make_machine(random_h200());
    const BlockDemand demand = random_demand(machine);
    const int n = *rc::gen::inRange(1, 5), a = *rc::gen::inRange(1, 132);
    const ClosedForms forms(machine, demand);
    RC_ASSERT(block_time(machine, demand, forms, {}, 1.9e9, n, a) <=
              block_time(machine, demand, forms, {}, 1.9e9, n, a + 1) * (1 + 1e-9));
  }));
}

TEST(PredictorProperties, RepeatedWavesScaleLinearly) {
  const auto predictor = make_predictor("analytic", test::h200());
  const Tile tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8};
  const auto time = [&](std::int64_t waves) {
    const GemmProblem p = make_problem(128 * 264 * waves, 128, 512);
    return predictor->time_s(test::tiled_kernel(tile, p, true), p);
  };
  // Same residency class (all beyond L2), so each wave costs the same.
  EXPECT_NEAR((time(6) - time(4)) / (time(4) - time(2)), 1, 0.02);
}

TEST(Queueing, LimitsOfTheNetwork) {
  const double demands[] = {3, 5, 1};
  EXPECT_DOUBLE_EQ(network_throughput(1, demands, 10), 1.0 / 19);
  EXPECT_DOUBLE_EQ(network_throughput(1000, demands, 10), 1.0 / 5);
  const double one[] = {4};
  EXPECT_DOUBLE_EQ(network_throughput(1, one, 4), 1.0 / 8);
  // By hand: X(1) = 1/8, Q = U = 1/2, R(2) = 4 (1 + 1/2 - 1/4) = 5, X(2) = 2/9; exponential service
  // would give 1/5, the deterministic truth is 1/4.
  EXPECT_DOUBLE_EQ(network_throughput(2, one, 4), 2.0 / 9);
}

TEST(Queueing, Properties) {
  EXPECT_TRUE(rc::check("asymptotic bounds, monotone", [] {
    std::vector<double> demands(*rc::gen::inRange<std::size_t>(1, 6));
    double most = 0, serial = *rc::gen::inRange(0, 100);
    const double delay = serial;
    for (double& d : demands) {
      d = *rc::gen::inRange(1, 100);
      most = std::max(most, d);
      serial += d;
    }
    double before = 0;
    for (int n = 1; n <= 40; ++n) {
      const double x = network_throughput(n, demands, delay);
      RC_ASSERT(x <= std::min(1 / most, n / serial) * (1 + 1e-9));
      RC_ASSERT(x >= before * (1 - 1e-9));
      before = x;
    }
  }));
}

TEST(Analytic, DoubleBufferingPays) {
  const auto predictor = make_predictor("analytic", test::h200());
  const GemmProblem p = make_problem(4096, 4096, 4096);
  const Tile tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8};
  const double single = predictor->time_s(test::tiled_kernel(tile, p, false), p);
  const double twice = predictor->time_s(test::tiled_kernel(tile, p, true), p);
  EXPECT_LT(twice, single);
  // Below the measured FFMA peak, 126.5 x 132 x 2 x 1.968 GHz = 65.7 TFLOP/s.
  EXPECT_LT(p.flop() / twice, 65.7e12);
  EXPECT_GT(p.flop() / twice, 35e12);
}

TEST(Analytic, BoundsAreNamed) {
  const auto predictor = make_predictor("analytic", test::h200());
  const Tile tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8};
  const auto bound = [&](std::int64_t M, std::int64_t N, std::int64_t K) {
    const GemmProblem p = make_problem(M, N, K);
    return predictor->predict(test::tiled_kernel(tile, p, true), p).bound;
  };
  EXPECT_EQ(bound(8192, 8192, 4096), Bound::fma);
  EXPECT_EQ(bound(64, 64, 8), Bound::launch);
  EXPECT_EQ(bound(128, 128, 16384), Bound::tail);
}

TEST(Analytic, AWaitIsAsLongAsTheFarthestPanel) {
  // Direct kernel, four steps of K a trip, all of B's sectors but one hit L1 by count; still each
  // wait is for a row of B that nobody has fetched yet.
  const Machine machine = make_machine(test::h200());
  const auto latency = [&](std::int64_t M, std::int64_t N, std::int64_t K, int BK) {
    const GemmProblem p = make_problem(M, N, K);
    KernelDescription k =
        test::tiled_kernel({.BM = 32, .BN = 32, .BK = BK, .TM = 1, .TN = 1}, p, false);
    k.global[0].l1_reuse = 31.0 / 32;
    return kernel_demand(machine, k, p, 2).block.load_latency;
  };
  EXPECT_DOUBLE_EQ(latency(512, 512, 512, 8), 282);     // both near
  EXPECT_GT(latency(4096, 8192, 4096, 8), 0.95 * 659);  // both from DRAM
  EXPECT_GT(latency(65536, 128, 512, 8), 0.95 * 659);   // A from DRAM, every wait
  // With one step of K a wait, a sector of A serves eight waits: seven of them wait for B alone.
  const double mixed = latency(65536, 128, 512, 1);
  EXPECT_GT(mixed, 282);
  EXPECT_LT(mixed, 282 + 0.3 * (697 - 282));
}

TEST(Analytic, UnevenWarpsAreCountedOnce) {
  // One sub-core of four at full rate gives a quarter of the SM's FMA; five warps 5/8.
  DeviceProfile profile = test::h200();
  test::set_curve(profile, "ffma.throughput.over_warps", {1, 4, 5, 8}, {31.5, 126, 78.75, 126});
  const Machine machine = make_machine(profile);
  for (const double warps : {1.0, 4.0, 5.0, 8.0}) EXPECT_DOUBLE_EQ(machine.ffma_rate(warps), 126);
}

TEST(Analytic, KernelsThatDoNotFit) {
  const auto predictor = make_predictor("analytic", test::h200());
  const GemmProblem p = make_problem(256, 256, 256);
  KernelDescription k =
      test::tiled_kernel({.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8}, p, false);
  k.resources.dynamic_shared_bytes = 300 * 1024;
  EXPECT_TRUE(std::isinf(predictor->time_s(k, p)));
  EXPECT_THROW(predictor->predict(k, p), InputError);
}

TEST(Predictors, NamesAndMissingMetrics) {
  EXPECT_EQ(predictor_names(), (std::vector<std::string>{"roofline", "analytic", "sass"}));
  EXPECT_THROW(make_predictor("oracle", test::h200()), InputError);
  DeviceProfile profile = test::h200();
  profile.metrics.erase("barrier.latency");
  EXPECT_NO_THROW(make_predictor("roofline", profile));
  try {
    make_predictor("analytic", profile);
    FAIL() << "barrier.latency is needed";
  } catch (const MissingMetric& error) {
    EXPECT_NE(std::string(error.what()).find("barrier.latency"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("roofline"), std::string::npos);
  }
}

TEST(Analytic, LinesOfOneSectorTakeL2AsLongAsMeasured) {
  const GemmProblem problem = make_problem(4096, 4096, 4096);
  const auto link_over_bytes = [&](const DeviceProfile& profile, int stride_bytes) {
    KernelDescription kernel =
        test::tiled_kernel({.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8}, problem, true);
    kernel.global[0].width_bytes = 4;
    kernel.global[0].lanes = strided_lanes(stride_bytes);
    const BlockDemand d = kernel_demand(make_machine(profile), kernel, problem, 1).block;
    return d.l2_link_bytes / d.l2_bytes;
  };
  DeviceProfile profile = test::h200();
  EXPECT_DOUBLE_EQ(link_over_bytes(profile, 128), 1) << "not measured: every sector alike";
  test::set_curve(profile, "l2.read.over_stride", {1, 8, 16, 32}, {9e12, 1.2e12, 1.2e12, 0.8e12});
  EXPECT_NEAR(link_over_bytes(profile, 128), 1.5, 1e-12) << "a sector of each line";
  EXPECT_DOUBLE_EQ(link_over_bytes(profile, 64), 1) << "two of each, which take no longer";
  EXPECT_DOUBLE_EQ(link_over_bytes(profile, 4), 1) << "whole lines";
}

}  // namespace
}  // namespace rooftile
