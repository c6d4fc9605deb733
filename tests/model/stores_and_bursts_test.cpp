// What stores of C, bursts of loads and launches in a row cost, by measured values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/error.hpp"
#include "model/memory/store_costs.hpp"
#include "model/memory/wavefronts.hpp"
#include "model/predict/demand.hpp"
#include "model/predict/launch_cost.hpp"
#include "model/predict/predictor.hpp"
#include "model/record/data_path.hpp"
#include "tests/model/h200_fixture.hpp"

namespace rooftile {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(StoreCosts, RowsThatTouchAsMuchCountByTheirMean) {
  DeviceProfile profile = test::with_stores_and_bursts(test::h200());
  auto& rows = profile.tables.at("global_store.patterns").rows;
  rows.push_back({"a word a sector, otherwise", {4, 4, 32, 8, 32, 44, 90}});
  rows.push_back({"not measured", {4, 1, 8, 2, 8, std::nan(""), std::nan("")}});
  const auto [one, all] = StoreCosts(profile).cycles({4, 8, 32});
  EXPECT_DOUBLE_EQ(one, 42);
  EXPECT_DOUBLE_EQ(all, 75);
  rows.back().values[5] = rows.back().values[6] = 0;
  EXPECT_THROW(StoreCosts{profile}, InputError);
  rows.clear();
  EXPECT_FALSE(StoreCosts(profile).known());
  profile.tables.at("global_store.patterns").columns.front() = "width";
  EXPECT_THROW(StoreCosts{profile}, InputError);
}

TEST(StoreCosts, AMeasuredPatternCostsWhatWasMeasured) {
  const DeviceProfile profile = test::with_stores_and_bursts(test::h200());
  const StoreCosts costs(profile);
  ASSERT_TRUE(costs.known());
  for (const Table::Row& row : profile.tables.at("global_store.patterns").rows) {
    const auto [one, all] =
        costs.cycles({static_cast<int>(row.values[0]), row.values[3], row.values[4]});
    EXPECT_EQ(one, row.values[5]) << row.name;
    EXPECT_EQ(all, row.values[6]) << row.name;
  }
  EXPECT_FALSE(StoreCosts(test::h200()).known());
}

TEST(StoreCosts, AnotherPatternCostsAsItsNeighboursOfItsWidth) {
  const StoreCosts costs(test::with_stores_and_bursts(test::h200()));
  const auto quads = costs.cycles({4, 8, 16}), each = costs.cycles({4, 8, 32});
  EXPECT_DOUBLE_EQ(costs.cycles({4, 8, 18}).one_sm, quads.one_sm * 26 / 24) << "the nearer one";
  EXPECT_DOUBLE_EQ(costs.cycles({4, 8, 30}).all_sms, each.all_sms * 38 / 40);
  EXPECT_DOUBLE_EQ(costs.cycles({4, 5, 20}).one_sm, quads.one_sm * 25 / 24)
      << "dearer than the one that touches fewer lines and is merged";
  EXPECT_DOUBLE_EQ(costs.cycles({4, 9, 20}).one_sm, quads.one_sm * 29 / 24)
      << "none has more lines";
  EXPECT_NE(costs.cycles({16, 8, 16}).one_sm, quads.one_sm) << "as near, but of another width";
  EXPECT_EQ(costs.cycles({4, 0, 0}).one_sm, 0) << "no lane stores";
}

/// However far from what is asked for: there is always a nearest one.
TEST(StoreCosts, CountsThatNoWarpHasAreStillAPattern) {
  DeviceProfile profile = test::with_stores_and_bursts(test::h200());
  auto& rows = profile.tables.at("global_store.patterns").rows;
  for (const double count : {1e200, 1e-200}) {
    rows = {{"damaged", {4, 1, 8, count, count, 42, 75}}};
    EXPECT_GE(StoreCosts(profile).cycles({4, 8, 32}).one_sm, 0) << count;
  }
}

TEST(StoreCosts, RefusesATableOfOtherColumnsAndOfNothing) {
  DeviceProfile profile = test::with_stores_and_bursts(test::h200());
  Table& table = profile.tables.at("global_store.patterns");
  const Table whole = table;
  table.columns[4] = "lanes";
  EXPECT_THROW(StoreCosts{profile}, InputError);
  table = whole;
  table.rows[0].values[5] = 0;
  EXPECT_THROW(StoreCosts{profile}, InputError);
}

TEST(StoreCosts, ErrorsNameFileTableValueAndCure) {
  using Spoil = std::function<void(Table&)>;
  const std::string path = data_path("h200/profile.json");
  const std::vector<std::pair<Spoil, std::string>> kinds = {
      {[](Table& table) { table.columns[4] = "lanes"; }, "no column lines"},
      {[](Table& table) { table.columns[0] = "width"; }, "no column name in front"},
      {[](Table& table) { table.rows[0].values[5] = -7.5; }, "one SM -7.5"}};
  for (const auto& [spoil, what] : kinds) {
    DeviceProfile profile = DeviceProfile::load(path);
    spoil(profile.tables.at("global_store.patterns"));
    std::string said = "no error";
    try {
      StoreCosts{profile};
    } catch (const InputError& error) {
      said = error.what();
    }
    EXPECT_THAT(said, StartsWith(path + ": table global_store.patterns"));
    EXPECT_THAT(said, HasSubstr(what));
    EXPECT_THAT(said, HasSubstr("characterize --only global_store"));
  }
}

TEST(StoreShape, CountsLinesAndSectorsOfTheLanes) {
  LaneAddresses lanes = strided_lanes(16);
  EXPECT_EQ(store_shape(lanes, 16).sectors, 16);
  EXPECT_EQ(store_shape(lanes, 16).lines, 4);
  for (std::size_t lane = 0; lane < 32; ++lane)  // Z-order of an 8x8 thread tile
    lanes.byte_offset[lane] = static_cast<std::int32_t>(lane / 4 * 16384 + lane % 4 * 16);
  EXPECT_EQ(store_shape(lanes, 4).sectors, 16);
  EXPECT_EQ(store_shape(lanes, 4).lines, 8);
}

TEST(Stores, TakeTheirSmAndTheirPartOfL2) {
  const Machine known = make_machine(test::with_stores_and_bursts(test::h200()));
  const Machine unknown = make_machine(test::h200());
  BlockDemand d;
  d.store_cycles = {1000, 3000};
  d.store_bytes = 32768;
  EXPECT_EQ(store_cycles(known, d, 132), 1000);
  EXPECT_EQ(l2_store_cycles(known, d, 132), 3000);
  EXPECT_EQ(l2_store_cycles(known, d, 33), 750);
  for (const int active : {1, 132}) {
    EXPECT_EQ(store_cycles(unknown, d, active), d.store_bytes / unknown.l2_share(active));
    EXPECT_EQ(l2_store_cycles(unknown, d, active), store_cycles(unknown, d, active));
  }
}

/// Seconds of a problem of one slice of K, whose epilogue is most of it.
double thin_s(const DeviceProfile& profile) {
  const GemmProblem problem = make_problem(4096, 4096, 8);
  return make_predictor("analytic", profile)
      ->time_s(test::tiled_kernel({128, 128, 8, 8, 8}, problem, true), problem);
}

TEST(Stores, ThePatternAndTheDrainCount) {
  const DeviceProfile known = test::with_stores_and_bursts(test::h200());
  DeviceProfile slow = known, quick = known;
  for (Table::Row& row : slow.tables.at("global_store.patterns").rows) row.values[5] *= 10;
  EXPECT_GT(thin_s(slow), 1.1 * thin_s(known));
  DeviceProfile crowded = known;  // where nothing but L2 takes so long
  for (Table::Row& row : crowded.tables.at("global_store.patterns").rows) row.values[6] *= 30;
  EXPECT_GT(thin_s(crowded), 1.5 * thin_s(known));
  for (Table::Row& row : crowded.tables.at("global_store.patterns").rows) row.values[6] /= 300;
  EXPECT_EQ(thin_s(crowded), thin_s(known)) << "DRAM holds it";
  quick.metrics.erase("global_store.drain");
  EXPECT_NEAR(thin_s(known) - thin_s(quick), *known.metrics.at("global_store.drain").value, 1e-12);
}

TEST(Bursts, WithoutCurvesALatencyAndTheBytes) {
  const Machine machine = make_machine(test::h200());
  EXPECT_DOUBLE_EQ(machine.burst_cycles(300, 8192, 8192, 132), 300 + 8192 / machine.l2_share(132));
}

TEST(Bursts, BetweenOneSmAndAllAndBetweenL2AndDram) {
  const Machine machine = make_machine(test::with_stores_and_bursts(test::h200()));
  const double near = machine[Scalar::l2_latency], far = machine[Scalar::dram_latency];
  const double later = far - near;
  EXPECT_DOUBLE_EQ(machine.burst_cycles(near, 16384, 0, 1), 300 + 16384 / 60.0);
  EXPECT_DOUBLE_EQ(machine.burst_cycles(near, 16384, 0, 132), 300 + 16384 / 40.0);
  EXPECT_DOUBLE_EQ(machine.burst_cycles(far, 16384, 0, 1), 700 + 16384 / 60.0)
      << "lines that others asked for, too";
  EXPECT_DOUBLE_EQ(machine.burst_cycles(far, 16384, 0, 132), later + 300 + 16384 / 40.0);
  EXPECT_DOUBLE_EQ(machine.burst_cycles(far, 16384, 16384, 132), 700 + 16384 / 20.0);
  EXPECT_DOUBLE_EQ(machine.burst_cycles(near, 1e6, 0, 1), 300 + 1e6 / 60.0) << "beyond the curve";
  EXPECT_TRUE(rc::check("monotone", [&] {
    const int active = *rc::gen::inRange(1, 132);
    const double bytes = *rc::gen::inRange(1, 200'000), latency = *rc::gen::inRange(100, 900);
    const double from_dram = bytes * *rc::gen::inRange(0, 11) / 10.0;
    const double cycles = machine.burst_cycles(latency, bytes, from_dram, active);
    RC_ASSERT(cycles >= latency);
    RC_ASSERT(cycles <= machine.burst_cycles(latency, bytes, from_dram, active + 1));
    RC_ASSERT(cycles <= machine.burst_cycles(latency, 2 * bytes, from_dram, active));
    RC_ASSERT(cycles <= machine.burst_cycles(latency, bytes, 2 * from_dram, active));
    RC_ASSERT(cycles <= machine.burst_cycles(latency + 1, bytes, from_dram, active));
    RC_ASSERT(machine.burst_cycles(latency, 2 * bytes, 2 * from_dram, active) <= 2 * cycles);
  }));
}

TEST(Bursts, ASliceIsCompleteWithItsLastLoad) {
  const GemmProblem problem = make_problem(4096, 4096, 4096);
  const KernelDescription staged = test::tiled_kernel({128, 128, 8, 8, 8}, problem, false);
  const auto demand = [&](const DeviceProfile& profile, const KernelDescription& kernel) {
    return kernel_demand(make_machine(profile), kernel, problem, 1).block;
  };
  const DeviceProfile known = test::with_stores_and_bursts(test::h200());
  const BlockDemand with = demand(known, staged), without = demand(test::h200(), staged);
  EXPECT_EQ(without.last_load_wait, 0);
  EXPECT_GT(with.last_load_wait, 0);
  EXPECT_DOUBLE_EQ(with.global_wait - without.global_wait, with.last_load_wait);
  KernelDescription direct = staged;
  direct.shared.clear();
  EXPECT_EQ(demand(known, direct).last_load_wait, 0) << "warps that wait each for their own";
}

TEST(LaunchCost, IsWhatASampleOfARunHolds) {
  const LaunchCost cost{3e-6, 1e-6};
  EXPECT_DOUBLE_EQ(cost.share_s(100e-6, true), 3e-6) << "one launch lasts long enough";
  EXPECT_DOUBLE_EQ(cost.share_s(48e-6, true), (3e-6 + 1e-6) / 2) << "two";
  EXPECT_DOUBLE_EQ(cost.share_s(1.1e-6, true), (3e-6 + 24 * 1e-6) / 25);
  EXPECT_DOUBLE_EQ(cost.share_s(1e-9, true), (3e-6 + 33 * 1e-6) / 34);
  EXPECT_DOUBLE_EQ(cost.share_s(1e-6, false), 3e-6) << "C is reset between launches";
  EXPECT_EQ((LaunchCost{0, 0}.share_s(0, true)), 0);
  EXPECT_EQ(launches_a_sample(1e-9), 50) << "no more, however short";
  EXPECT_EQ(launches_a_sample(1), 1);
}

TEST(LaunchCost, MoreWorkNeverTakesLess) {
  EXPECT_TRUE(rc::check("monotone", [] {
    const LaunchCost cost{1e-9 * *rc::gen::inRange(1, 10'000), 1e-9 * *rc::gen::inRange(0, 10'000)};
    const double work = 1e-9 * *rc::gen::inRange(0, 200'000);
    const double more = work + 1e-9 * *rc::gen::inRange(0, 10'000);
    RC_ASSERT(work + cost.share_s(work, true) <= (more + cost.share_s(more, true)) * (1 + 1e-12));
    RC_ASSERT(cost.share_s(work, true) <= cost.alone_s * (1 + 1e-12));
  }));
}

TEST(LaunchCost, ShortProblemsArePredictedAsTheyAreMeasured) {
  DeviceProfile profile = test::h200();
  test::set(profile, "launch.gap", 1.2e-6);
  GemmProblem problem = make_problem(128, 128, 128);
  const KernelDescription kernel = test::tiled_kernel({128, 128, 8, 8, 8}, problem, true);
  const auto launch_s = [&](const char* predictor) {
    return make_predictor(predictor, profile)->explain(kernel, problem).terms.back().seconds;
  };
  for (const char* predictor : {"analytic", "roofline"}) {
    problem.beta = 0;
    EXPECT_LT(launch_s(predictor), 1.5e-6) << predictor;
    EXPECT_GT(launch_s(predictor), 1.2e-6) << predictor;
    problem.beta = 1;
    EXPECT_EQ(launch_s(predictor), 2.2e-6) << predictor;
  }
}

}  // namespace
}  // namespace rooftile
