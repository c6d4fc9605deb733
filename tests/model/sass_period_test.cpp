// How far the few trips that are simulated of a loop stand for many: every recorded kernel against
// ten times as many trips.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "model/profile/device_profile.hpp"
#include "model/record/json_reader.hpp"
#include "model/sass/timing.hpp"

namespace rooftile::sass {
namespace {

/// Trips of ten rounds each.
Program ten_rounds(const Program& body) {
  Program longer = body;
  for (int round = 1; round < 10; ++round)
    longer.steps.insert(longer.steps.end(), body.steps.begin(), body.steps.end());
  return longer;
}

TEST(SassPeriod, FewTripsStandForMany) {
  const std::filesystem::path recorded = std::filesystem::path(ROOFTILE_SOURCE_DIR) / "data/h200";
  const Machine machine = machine_of(DeviceProfile::load((recorded / "profile.json").string()));
  double sum = 0, worst = 0;
  int loops = 0;
  for (const auto& entry : std::filesystem::directory_iterator(recorded / "kernels")) {
    if (entry.path().extension() != ".gz") continue;
    const Kernel kernel = parse(read_text_file(entry.path().string())).front();
    const Program body = decode(kernel, find_main_loop(kernel).body, true, machine);
    for (const int blocks : {1, 2}) {
      Load load{.warps_per_block = 8, .blocks_per_sm = blocks};
      load.global_latency_cycles = 700;
      load.global_bytes_per_cycle = 60;
      const double few = steady_state(body, machine, load).cycles();
      const double many = steady_state(ten_rounds(body), machine, load).cycles() / 10;
      sum += std::abs(few / many - 1);
      worst = std::max(worst, std::abs(few / many - 1));
      ++loops;
    }
  }
  EXPECT_GE(loops, 80);
  EXPECT_LT(sum / loops, 0.004) << "docs/sass.md says what they cost";
  EXPECT_LT(worst, 0.07);
}

}  // namespace
}  // namespace rooftile::sass
