// The rules of the L1 and shared-memory paths against the recorded H200's own microbenchmarks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "model/memory/wavefronts.hpp"
#include "model/profile/device_profile.hpp"
#include "model/record/data_path.hpp"

namespace rooftile {
namespace {

DeviceProfile recorded() { return DeviceProfile::load(data_path("h200/profile.json")); }

struct Recorded {
  double measured = 0, modelled = 0;
};

/// Rows of the table of lane patterns, by name.
std::map<std::string, Recorded> patterns(const DeviceProfile& profile) {
  const Table& table = profile.tables.at("smem.patterns");
  const auto column = [&](const char* name) {
    const auto at = std::find(table.columns.begin(), table.columns.end(), name);
    EXPECT_NE(at, table.columns.end()) << name;
    return static_cast<std::size_t>(at - table.columns.begin()) - 1;  // after "name"
  };
  const std::size_t measured = column("measured"), modelled = column("modelled");
  std::map<std::string, Recorded> rows;
  for (const Table::Row& row : table.rows)
    rows[row.name] = {row.values.at(measured), row.values.at(modelled)};
  return rows;
}

/// Strided lanes, only the first `count` of them active.
LaneAddresses first_lanes(int count, std::int32_t stride) {
  LaneAddresses lanes = strided_lanes(stride);
  for (int i = count; i < 32; ++i) lanes.active[static_cast<std::size_t>(i)] = false;
  return lanes;
}

TEST(RecordedProfile, EveryLanePatternTakesTheModelledWavefronts) {
  const DeviceProfile profile = recorded();
  std::map<std::string, Recorded> rows = patterns(profile);
  ASSERT_GE(rows.size(), 30u);
  // Groups without an active lane: modelled here, not as the recording build did.
  const MergeRules rules = merge_rules(profile);
  const auto model = [&](const char* name, int width, const LaneAddresses& lanes) {
    ASSERT_EQ(rows.count(name), 1u) << name;
    rows[name].modelled = shared_wavefronts(lanes, width, Direction::load, rules);
  };
  LaneAddresses pairs = first_lanes(16, 0);
  for (int i = 0; i < 16; ++i) pairs.byte_offset[static_cast<std::size_t>(i)] = 16 * (i / 2);
  model("lds64 i, low half", 8, first_lanes(16, 8));
  model("lds128 i, low half", 16, first_lanes(16, 16));
  model("lds128 A, low half", 16, pairs);
  model("lds64 lane 0 alone", 8, first_lanes(1, 0));
  model("lds128 lane 0 alone", 16, first_lanes(1, 0));
  for (const auto& [name, row] : rows)
    EXPECT_EQ(std::lround(row.measured), std::lround(row.modelled))
        << name << ": " << row.measured << " cycles";
}

TEST(RecordedProfile, StridedSharedLoadsTakeTheModelledWavefronts) {
  const DeviceProfile profile = recorded();
  const MergeRules rules = merge_rules(profile);
  for (const int width : {4, 8, 16}) {
    const Curve& curve = profile.curve("smem.conflict.lds" + std::to_string(8 * width));
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      // Strides count accesses of this width.
      const auto stride = static_cast<std::int32_t>(width * std::lround(curve.x[i]));
      EXPECT_EQ(std::lround(curve.y[i]),
                shared_wavefronts(strided_lanes(stride), width, Direction::load, rules))
          << "width " << width << ", stride " << curve.x[i];
    }
  }
}

TEST(RecordedProfile, StridedGlobalLoadsThatHitL1) {
  // The rule is whole; strides of 3 and 7 words are measured an eighth above it (wavefronts.hpp).
  const DeviceProfile profile = recorded();
  const Curve& curve = profile.curve("l1.stride");
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const auto stride = static_cast<std::int32_t>(std::lround(curve.x[i]));
    const double ratio = curve.y[i] / l1_wavefronts(strided_lanes(4 * stride), 4);
    const bool above = stride == 3 || stride == 7;
    EXPECT_NEAR(ratio, above ? 1.125 : 1, 0.01) << "stride " << stride;
  }
}

}  // namespace
}  // namespace rooftile
