// DeviceProfile: look-ups with advice, and every fault of a profile.json named.
#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "model/profile/device_profile.hpp"
#include "model/profile/lookup.hpp"
#include "model/profile/metric_catalog.hpp"
#include "model/profile/plausible.hpp"
#include "tests/support/record_samples.hpp"

namespace rooftile::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Profile, FindsValues) {
  const auto profile = sample_profile();
  EXPECT_EQ(profile.value("ffma.latency"), 4.1);
  EXPECT_EQ(profile.value("clock.ffma"), 1.968e9) << "suspect values are values";
  EXPECT_EQ(profile.find("dram.latency"), std::nullopt);
  EXPECT_EQ(profile.find("nothing"), std::nullopt);
  EXPECT_EQ(profile.curve("smem.conflict.lds32").y.size(), 3U);
  EXPECT_EQ(profile.find_curve("nothing"), nullptr);
}

TEST(Profile, MissingMetricsNameTheirSupplier) {
  const auto profile = sample_profile();
  EXPECT_THROW(profile.value("l2.latency"), MissingMetric);
  EXPECT_THAT(input_error([&] { profile.value("l2.latency"); }),
              AllOf(HasSubstr("metric l2.latency is absent"),
                    HasSubstr("rooftile characterize --only memory_latency")));
  EXPECT_THAT(input_error([&] { profile.value("dram.latency"); }),
              AllOf(HasSubstr("was skipped (needs 1 GiB)"), HasSubstr("--only memory_latency")));
  EXPECT_THAT(input_error([&] { profile.value("ffma.latncy"); }),
              AllOf(HasSubstr("no microbenchmark supplies this id"), HasSubstr("ffma.latency")));
  EXPECT_THROW(profile.curve("l1.stride"), MissingMetric);
  EXPECT_THAT(input_error([&] { profile.curve("l1.stride"); }),
              HasSubstr("was failed (launch failed)"));
  EXPECT_THAT(input_error([&] { profile.curve("barrier.latency.over_warps"); }),
              HasSubstr("--only barrier"));
}

TEST(Profile, InterpolatesAndClamps) {
  const Curve curve{"count", "cycle", {1, 2, 4}, {10, 20, 60}, {}, "", State::ok, ""};
  EXPECT_EQ(interpolate(curve, 0), 10);
  EXPECT_EQ(interpolate(curve, 1), 10);
  EXPECT_EQ(interpolate(curve, 1.5), 15);
  EXPECT_EQ(interpolate(curve, 3), 40);
  EXPECT_EQ(interpolate(curve, 4), 60);
  EXPECT_EQ(interpolate(curve, 1e30), 60);
  EXPECT_EQ(interpolate({"", "", {5}, {7}, {}, "", State::ok, ""}, 9), 7);
}

TEST(Profile, InterpolationStaysBetweenNeighbours) {
  EXPECT_TRUE(rc::check("min(y) <= interpolate(x) <= max(y)", [] {
    Curve curve;
    for (int i = 0, n = *rc::gen::inRange(1, 20); i < n; ++i) {
      curve.x.push_back((curve.x.empty() ? 0 : curve.x.back()) + *positive_number());
      curve.y.push_back(*positive_number());
      if (i > 0 && !(curve.x[curve.x.size() - 1] > curve.x[curve.x.size() - 2])) RC_DISCARD();
    }
    const double y = interpolate(curve, *positive_number());
    const auto [lo, hi] = std::minmax_element(curve.y.begin(), curve.y.end());
    RC_ASSERT(y >= *lo * (1 - 1e-12));
    RC_ASSERT(y <= *hi * (1 + 1e-12));
  }));
}

/// Over counts, which it tabulates, and over bytes, which it does not; asked for whole numbers and
/// for others.
TEST(Lookup, SaysWhatInterpolateSays) {
  EXPECT_TRUE(rc::check("to the last bit", [] {
    Curve curve;
    const double scale = *rc::gen::element(0.5, 1.0, 100.0, 1e6);
    for (int i = 0, n = *rc::gen::inRange(1, 20); i < n; ++i) {
      const double before = curve.x.empty() ? 0 : curve.x.back();
      curve.x.push_back(before + scale * *rc::gen::inRange(1, 40));
      curve.y.push_back(*rc::gen::inRange(1, 1000) / 7.0);
    }
    Lookup lookup(curve);
    const auto same = [&] {
      for (const double x : {-1.0, 0.0, 1.0, 3.0, 17.5, 132.0, 255.0, 256.0, 257.0, 1e5, 3e7,
                             std::numeric_limits<double>::quiet_NaN()})
        RC_ASSERT(lookup(x) == interpolate(curve, x));
      for (const double x : curve.x) RC_ASSERT(lookup(x) == interpolate(curve, x));
    };
    same();
    for (double& y : curve.y) y *= 2;
    lookup.set_values(curve.y);
    same();
  }));
}

TEST(Profile, SavesAndLoads) {
  const TemporaryFolder folder;
  const auto profile = sample_profile();
  profile.save(folder / "profile.json");
  const auto loaded = DeviceProfile::load(folder / "profile.json");
  EXPECT_EQ(loaded.to_json(), profile.to_json());
  EXPECT_EQ(loaded.tables.at("smem.patterns").rows[1].name, "0");
}

/// Half of them within the plausible range, so that their values survive; their intervals may not.
rc::Gen<Metric> plausible_metric(const CatalogEntry& entry) {
  return rc::gen::exec([&entry] {
    Metric metric = *legal_metric(std::string(entry.unit));
    if (!metric.value || *rc::gen::arbitrary<bool>()) return metric;
    const PlausibleRange range = plausible_range(entry.id, entry.unit);
    const double fraction = *rc::gen::inRange(0, 1001) / 1000.0;
    metric.value =
        std::clamp(std::round(std::lerp(range.lo, range.hi, fraction)), range.lo, range.hi);
    const double size = std::abs(*metric.value);  // temperatures may be negative
    metric.ci95 = Interval{*metric.value - 2 * size, *metric.value + size + 1};
    return metric;
  });
}

TEST(Profile, JsonRoundTrips) {
  EXPECT_TRUE(rc::check("from_json(to_json(p)) writes the same", [] {
    DeviceProfile profile;
    for (const auto& entry : metric_catalog())
      if (entry.kind == EntryKind::metric && *rc::gen::arbitrary<bool>())
        profile.metrics[std::string(entry.id)] = *plausible_metric(entry);
    const auto text = dump_json(profile.to_json());
    const Json json = parse_json(text, "p");
    RC_ASSERT(dump_json(DeviceProfile::from_json(JsonReader(json, "p")).to_json()) == text);
  }));
}

TEST(Profile, NumbersThatAreNotFiniteBecomeFailures) {
  auto profile = sample_profile();
  profile.metrics["ffma.latency"].value = std::numeric_limits<double>::quiet_NaN();
  profile.curves["smem.conflict.lds32"].y[1] = std::numeric_limits<double>::infinity();
  profile.tables["smem.patterns"].rows[0].values[0] = std::numeric_limits<double>::quiet_NaN();
  const Json json = profile.to_json();
  const auto loaded = DeviceProfile::from_json(JsonReader(json, "p"));
  EXPECT_EQ(loaded.metrics.at("ffma.latency").state, State::failed);
  EXPECT_EQ(loaded.curves.at("smem.conflict.lds32").state, State::failed);
  EXPECT_TRUE(std::isnan(loaded.tables.at("smem.patterns").rows[0].values[0]));
}

struct Fault {
  const char* name;
  std::function<void(Json&)> damage;
  const char* expected;
};

TEST(Profile, EveryFaultIsNamed) {
  const std::vector<Fault> faults = {
      {"missing section", [](Json& j) { j.erase("metrics"); }, "f: member \"metrics\" is missing"},
      {"missing member", [](Json& j) { j["metrics"]["ffma.latency"].erase("unit"); },
       "f: metrics.ffma.latency: member \"unit\" is missing"},
      {"wrong type", [](Json& j) { j["metrics"]["ffma.latency"]["value"] = "4.1"; },
       "f: metrics.ffma.latency.value: expected a number, found \"4.1\""},
      {"unknown unit",
       [](Json& j) {
         j["metrics"]["x"] = j["metrics"]["ffma.latency"];
         j["metrics"]["x"]["unit"] = "ms";
       },
       "metrics.x.unit: expected one of the units cycle"},
      {"other unit", [](Json& j) { j["metrics"]["ffma.latency"]["unit"] = "s"; },
       "metrics.ffma.latency.unit: expected the unit \"cycle\", found \"s\""},
      {"newer", [](Json& j) { j["schema_version"] = 2; }, "version 2 is newer"},
      {"other schema", [](Json& j) { j["schema"] = "rooftile.run"; },
       "expected \"rooftile.profile\""},
      {"negative", [](Json& j) { j["metrics"]["device.sm_count"]["value"] = -132; },
       "device.sm_count.value: expected a whole number from 1 to 4096 count, found -132"},
      {"null without state", [](Json& j) { j["metrics"]["ffma.latency"]["value"] = nullptr; },
       "expected a number, since the state has one"},
      {"value though skipped", [](Json& j) { j["metrics"]["dram.latency"]["value"] = 1; },
       "expected null, since it was skipped or failed"},
      {"state", [](Json& j) { j["metrics"]["ffma.latency"]["state"] = "fine"; },
       "expected one of \"ok\", \"skipped\", \"failed\", \"suspect\", found \"fine\""},
      {"huge n", [](Json& j) { j["metrics"]["ffma.latency"]["n"] = 9223372036854775808U; },
       "expected an integer below 2^63"},
      {"interval",
       [](Json& j) {
         j["metrics"]["ffma.latency"]["ci95"] = {2, 1};
       },
       "ffma.latency.ci95: expected an interval [lo, hi]"},
      {"curve lengths", [](Json& j) { j["curves"]["smem.conflict.lds32"]["y"] = {1}; },
       "curves.smem.conflict.lds32.y: expected as many numbers as x (3)"},
      {"curve order",
       [](Json& j) {
         j["curves"]["smem.conflict.lds32"]["x"] = {1, 1, 2};
       },
       "expected x in ascending order"},
      {"curve empty", [](Json& j) { j["curves"]["l1.stride"]["state"] = "ok"; },
       "expected at least one point"},
      {"table row", [](Json& j) { j["tables"]["smem.patterns"]["rows"][0]["values"] = {1}; },
       "expected one value for each column after \"name\" (2)"},
      {"table units", [](Json& j) { j["tables"]["smem.patterns"]["units"] = {""}; },
       "expected as many units as columns (3)"},
      {"environment", [](Json& j) { j["environment"]["sm_count"] = "many"; },
       "f: environment.sm_count: expected an integer"},
  };
  for (const auto& fault : faults) {
    Json json = sample_profile().to_json();
    fault.damage(json);
    EXPECT_THAT(input_error([&] { DeviceProfile::from_json(JsonReader(json, "f")); }),
                HasSubstr(fault.expected))
        << fault.name;
  }
}

TEST(Catalog, IsConsistent) {
  for (const auto& entry : metric_catalog()) {
    const auto known = known_units();
    if (entry.kind != EntryKind::table) {
      EXPECT_NE(std::find(known.begin(), known.end(), entry.unit), known.end()) << entry.id;
    }
    if (entry.kind == EntryKind::curve) {
      EXPECT_NE(std::find(known.begin(), known.end(), entry.x_unit), known.end()) << entry.id;
    }
    EXPECT_EQ(find_catalog_entry(entry.id, entry.kind), &entry) << entry.id << " is listed twice";
    EXPECT_THAT(nearest_ids(entry.id), HasSubstr(std::string(entry.id)));
  }
}

}  // namespace
}  // namespace rooftile::test
