// The microbenchmarks on a real GPU, quick: limits that physics sets, orders between levels, and
// the published lane patterns. Skipped without a GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>

#include "gpu/cuda/device.hpp"
#include "gpu/runner.hpp"
#include "model/error.hpp"
#include "model/profile/metric_catalog.hpp"

namespace rooftile::micro {
namespace {

class MicroOnGpu : public ::testing::Test {
 protected:
  /// One runner and one profile for the whole suite: each microbenchmark runs once.
  static void SetUpTestSuite() {
    try {
      runner = make_cuda_micro_runner("");
    } catch (const NoDeviceError& error) {
      missing = error.what();
    }
  }
  static void TearDownTestSuite() { runner.reset(); }
  void SetUp() override {
    if (!runner) GTEST_SKIP() << missing;
  }

  static double value(const std::string& id) {
    const auto found = find_catalog_entry(id, EntryKind::metric);
    require(std::string(found->supplier));
    return profile.value(id);
  }
  static const Curve& curve(const std::string& id) {
    require(std::string(find_catalog_entry(id, EntryKind::curve)->supplier));
    return profile.curve(id);
  }
  static void require(const std::string& name) {
    if (done.insert(name).second) runner->run(name, true, profile);
  }

  /// Whether this GPU can have no entry of the microbenchmark, and each says why.
  static bool nothing_measured(std::string_view supplier) {
    for (const CatalogEntry& entry : metric_catalog()) {
      if (entry.supplier != supplier || entry.kind != EntryKind::metric) continue;
      if (profile.metrics[std::string(entry.id)].state != State::skipped) return false;
    }
    return true;
  }

  static inline std::unique_ptr<MicroRunner> runner;
  static inline DeviceProfile profile;
  static inline std::set<std::string> done;
  static inline std::string missing;
};

TEST_F(MicroOnGpu, NothingExceedsTheArchitecture) {
  const double lanes = value("device.fma_lanes_per_sm");
  EXPECT_LE(value("ffma.throughput"), lanes * 1.002);
  EXPECT_GE(value("ffma.throughput"), lanes * 0.95);
  for (const char* id : {"smem.lds32.bandwidth", "smem.lds64.bandwidth", "smem.lds128.bandwidth"}) {
    EXPECT_LE(value(id), 128.3) << id;
    EXPECT_GE(value(id), 115) << id;
  }
  EXPECT_LE(value("dram.bandwidth.read"), value("device.dram_peak_bandwidth"));
  EXPECT_LE(value("dram.bandwidth.write"), value("device.dram_peak_bandwidth"));
  EXPECT_LE(value("dram.bandwidth.copy"), value("device.dram_peak_bandwidth"));
  EXPECT_LE(value("l1.bandwidth"), 128);
  EXPECT_GE(value("l1.bandwidth"), 120);
  EXPECT_LE(value("clock.ffma"), value("device.sm_clock_max") * 1.01);
}

TEST_F(MicroOnGpu, LatencyRisesFromLevelToLevel) {
  EXPECT_LT(value("ffma.latency"), value("smem.lds32.latency"));
  EXPECT_LT(value("smem.lds32.latency"), value("l1.latency"));
  EXPECT_LT(2 * value("l1.latency"), value("l2.latency"));
  EXPECT_LT(1.3 * value("l2.latency"), value("dram.latency"));
}

TEST_F(MicroOnGpu, BandwidthFallsFromLevelToLevel) {
  const double sms = value("device.sm_count");
  EXPECT_GT(value("l1.bandwidth") * sms, value("l2.bandwidth.read"));
  EXPECT_GT(value("l2.bandwidth.read") * value("clock.light"), value("dram.bandwidth.read"));
  const Curve& active = curve("dram.bandwidth.over_active_sms");
  EXPECT_GT(active.y.back(), 3 * active.y.front());
}

TEST_F(MicroOnGpu, FootprintsPastL2AreReadFromDram) {
  const Curve& footprint = curve("memory.bandwidth.over_footprint");
  const double l2_bytes = value("device.l2_size"), dram = value("dram.bandwidth.read");
  EXPECT_GT(interpolate(footprint, l2_bytes / 3), 1.2 * dram);
  // Twice L2, read round and round, must not profit from L2 by more than a fifth.
  EXPECT_LT(interpolate(footprint, 2 * l2_bytes), 1.2 * dram);
  EXPECT_NEAR(footprint.y.back() / dram, 1, 0.05);
}

TEST_F(MicroOnGpu, StridesConflictAsTheBanksSay) {
  const Curve& words = curve("smem.conflict.lds32");
  for (const auto& [stride, cycles] :
       {std::pair{1, 1}, {2, 2}, {3, 1}, {4, 4}, {8, 8}, {16, 16}, {32, 32}, {33, 1}})
    EXPECT_EQ(std::lround(interpolate(words, stride)), cycles) << stride;
}

TEST_F(MicroOnGpu, ThePublishedPatternsHold) {
  require("smem_patterns");
  const Table& table = profile.tables.at("smem.patterns");
  EXPECT_GE(table.rows.size(), 60U);
  int differ = 0;
  for (const Table::Row& row : table.rows) differ += std::lround(row.values[3]) != row.values[4];
  EXPECT_LE(differ, static_cast<int>(table.rows.size()) / 10);
}

TEST_F(MicroOnGpu, EveryEntryHasAStateAndFullUncertaintyWhenMeasured) {
  for (const MicrobenchmarkInfo& info : runner->list()) require(info.name);
  for (const CatalogEntry& entry : metric_catalog()) {
    const std::string id(entry.id);
    if (entry.kind == EntryKind::table) {
      EXPECT_TRUE(profile.tables.contains(id) || nothing_measured(entry.supplier)) << id;
    } else if (entry.kind == EntryKind::curve) {
      ASSERT_TRUE(profile.curves.contains(id)) << id;
      EXPECT_NE(profile.curves[id].state, State::failed) << id << profile.curves[id].reason;
    } else {
      ASSERT_TRUE(profile.metrics.contains(id)) << id;
      const Metric& metric = profile.metrics[id];
      EXPECT_NE(metric.state, State::failed) << id << metric.reason;
      EXPECT_EQ(metric.unit, entry.unit) << id;
      EXPECT_FALSE(metric.method.empty() && metric.value.has_value()) << id;
      if (metric.n > 1) {
        EXPECT_TRUE(metric.ci95 && metric.repeat95 && metric.mad && metric.n >= 5) << id;
      }
    }
  }
}

TEST_F(MicroOnGpu, AnUnknownNameIsRefused) {
  EXPECT_THROW(runner->run("no_such_thing", true, profile), InputError);
}

}  // namespace
}  // namespace rooftile::micro
