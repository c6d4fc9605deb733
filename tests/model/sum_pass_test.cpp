// Split-K in two kernels: what the parts of K are to the model, and what adding them up takes.
#include "model/predict/sum_pass.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "model/predict/predictor.hpp"
#include "tests/model/h200_fixture.hpp"

namespace rooftile {
namespace {

constexpr int sms = 132;

KernelDescription kernel(const GemmProblem& problem, int parts, double waits = 1) {
  const Tile tile{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8, .stages = 2, .split_k = parts};
  KernelDescription k = test::tiled_kernel(tile, problem, true);
  k.k_iterations = (k.k_iterations + parts - 1) / parts;
  k.parts = parts;
  if (parts > 1) k.sum_pass = {.floats_per_thread = 4, .waits = waits};
  return k;
}

Prediction analytic(const KernelDescription& k, const GemmProblem& problem,
                    const DeviceProfile& profile = test::h200()) {
  return make_predictor("analytic", profile)->explain(k, problem);
}

double term(const Prediction& p, const std::string& name) {
  const auto found =
      std::find_if(p.terms.begin(), p.terms.end(), [&](const Term& t) { return t.name == name; });
  return found == p.terms.end() ? 0 : found->seconds;
}

/// By hand: 4 parts of 1 MiB come at L2's rate after one latency and two further waits, C goes
/// back at the same rate, and the kernel comes a gap after the first.
TEST(SumPass, AKnownAnswer) {
  DeviceProfile profile = test::h200();
  test::set(profile, "launch.gap", 1.5e-6);
  test::set(profile, "global_store.drain", 0.2e-6);
  profile.curves.erase("memory.latency.over_footprint");
  const Machine machine = make_machine(profile);
  const GemmProblem problem = make_problem(512, 512, 8192);
  const SumPassTime t = sum_pass_time(machine, kernel(problem, 4, 3), problem);
  const double c = 512.0 * 512 * 4, l2 = machine.l2_share(sms) * sms;
  const double cycles = 3 * machine.load_latency(4 * c) + 5 * c / l2;
  EXPECT_NEAR(t.work_s, cycles / machine[Scalar::clock_light] + 0.2e-6, 1e-9);
  EXPECT_DOUBLE_EQ(t.gap_s, 1.5e-6);
  EXPECT_DOUBLE_EQ(t.l2_read_bytes, 4 * c);
  EXPECT_NEAR(t.dram_read_bytes, 0, 0.02 * t.l2_read_bytes);  // the workspace stays in L2
}

TEST(SumPass, WithoutPartsNothingChanges) {
  const GemmProblem problem = make_problem(1000, 1000, 1000);
  const KernelDescription k = kernel(problem, 1);
  EXPECT_EQ(parts_as_batch(k, problem), problem);
  EXPECT_EQ(sum_pass_time(make_machine(test::h200()), k, problem).total_s(), 0);
  EXPECT_EQ(term(analytic(k, problem), "sum of parts"), 0);
}

/// The first kernel is that of a batch, whose time is known; terms add up; one tile on a GPU of
/// many SMs is done sooner in parts.
TEST(SumPass, PartsAreABatchAndASum) {
  const GemmProblem problem = make_problem(128, 128, 65536);
  const KernelDescription k = kernel(problem, 16);
  const Prediction p = analytic(k, problem);
  GemmProblem batch = make_problem(128, 128, 4096);
  batch.batch = 16;
  const Prediction first = analytic(kernel(batch, 1), batch);
  const double launch = term(p, "launch"), sum = term(p, "sum of parts");
  EXPECT_GT(sum, 0);
  EXPECT_NEAR(p.time_s - launch - sum, first.time_s - term(first, "launch"), 1e-9);
  const double terms = std::accumulate(p.terms.begin(), p.terms.end(), 0.0,
                                       [](double s, const Term& t) { return s + t.seconds; });
  EXPECT_NEAR(terms, p.time_s, 1e-12);
  EXPECT_LT(p.time_s, 0.2 * analytic(kernel(problem, 1), problem).time_s);
  // The workspace is written and read beside C.
  EXPECT_GT(p.l2_bytes, first.l2_bytes + 15.0 * 128 * 128 * 4);
}

TEST(SumPass, MoreToAddNeverTakesLess) {
  EXPECT_TRUE(rc::check("in parts, waits, rows, columns, batch and beta", [] {
    const Machine machine = make_machine(test::h200());
    GemmProblem problem =
        make_problem(*rc::gen::inRange(1, 5000), *rc::gen::inRange(1, 5000), 4096);
    problem.batch = *rc::gen::inRange(1, 5);
    const int parts = *rc::gen::inRange(2, 17);
    const double waits = *rc::gen::inRange(1, 10);
    const auto time = [&](const GemmProblem& p, int of_k, double waited) {
      const SumPassTime t = sum_pass_time(machine, kernel(p, of_k, waited), p);
      RC_ASSERT(t.gap_s >= 0);
      RC_ASSERT(t.work_s > 0);
      RC_ASSERT(std::max(t.l2_s, t.dram_s) <= t.work_s);
      RC_ASSERT(t.dram_read_bytes <= t.l2_read_bytes);
      return t.total_s();
    };
    const double least = time(problem, parts, waits);
    RC_ASSERT(time(problem, parts + 1, waits) >= least);
    RC_ASSERT(time(problem, parts, waits + 1) >= least);  // none where DRAM decides
    GemmProblem more = problem;
    more.M += 1000;
    RC_ASSERT(time(more, parts, waits) >= least);
    more = problem;
    more.batch += 1;
    RC_ASSERT(time(more, parts, waits) > least);
    more = problem;
    more.beta = 1;
    RC_ASSERT(time(more, parts, waits) > least);
  }));
}

TEST(SumPass, NoneBeatsTheRoofline) {
  EXPECT_TRUE(rc::check("for any problem", [] {
    const GemmProblem problem = make_problem(*rc::gen::inRange(1, 3000), *rc::gen::inRange(1, 3000),
                                             *rc::gen::inRange(1, 30000));
    const KernelDescription k = kernel(problem, *rc::gen::inRange(1, 17));
    const auto profile = test::h200();
    RC_ASSERT(make_predictor("analytic", profile)->time_s(k, problem) >=
              make_predictor("roofline", profile)->time_s(k, problem));
  }));
}

}  // namespace
}  // namespace rooftile
