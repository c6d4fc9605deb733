// Which GPU a text means, and what CUDA_VISIBLE_DEVICES leaves of it.
#include "gpu/device_choice.hpp"

#include <gmock/gmock.h>

#include "gpu/environment.hpp"
#include "tests/support/record_samples.hpp"

namespace rooftile::test {
namespace {

using Kind = DeviceChoice::Kind;
using ::testing::HasSubstr;

const std::string slice = "MIG-a65afc88-50b5-5ccf-b0a8-f93b3247ae9e";
const std::string old_slice = "MIG-GPU-41255406-c9af-f94b-4ebf-9d57ad1853da/3/0";
const std::string parent = "GPU-41255406-c9af-f94b-4ebf-9d57ad1853da";

TEST(DeviceChoice, EveryFormOfNvidiaSmi) {
  EXPECT_EQ(parse_device_choice("").kind, Kind::first);
  EXPECT_EQ(parse_device_choice("0").kind, Kind::index);
  EXPECT_EQ(parse_device_choice("17").index, 17);
  EXPECT_EQ(parse_device_choice("GPU-41255406").kind, Kind::gpu);
  for (const std::string& name : {slice, old_slice}) {
    EXPECT_EQ(parse_device_choice(name).kind, Kind::mig);
    EXPECT_EQ(parse_device_choice(name).uuid, name);
  }
}

TEST(DeviceChoice, AnythingElseIsNamed) {
  for (const char* text : {"-1", "0x1", "1 ", " 1", "gpu-1", "MIG-", "MIG", "all", "99999999999",
                           "1,2", "MIG-1,MIG-2", "0.5"})
    EXPECT_THAT(input_error([&] { parse_device_choice(text); }),
                ::testing::AllOf(HasSubstr("'" + std::string(text) + "'"), HasSubstr("MIG-")))
        << text;
}

TEST(DeviceChoice, ASliceMustBeLeftVisible) {
  EXPECT_TRUE(leaves_visible(nullptr, slice));
  EXPECT_TRUE(leaves_visible(slice.c_str(), slice));
  EXPECT_TRUE(leaves_visible(("MIG-other," + slice).c_str(), slice));
  EXPECT_TRUE(leaves_visible(("0," + parent).c_str(), old_slice));
  for (const char* visible : {"", "0", "MIG-other", "MIG-a65afc88"}) {
    EXPECT_FALSE(leaves_visible(visible, slice)) << visible;
    EXPECT_FALSE(leaves_visible(visible, old_slice)) << visible;
  }
  EXPECT_FALSE(leaves_visible(parent.c_str(), slice)) << "nothing says whose slice it is";
}

TEST(DeviceChoice, TheSliceThatCudaShows) {
  EXPECT_EQ(visible_mig(nullptr), "");
  EXPECT_EQ(visible_mig("0,1"), "");
  EXPECT_EQ(visible_mig(parent.c_str()), "");
  EXPECT_EQ(visible_mig((slice + ",0").c_str()), slice);
  EXPECT_EQ(visible_mig(old_slice.c_str()), old_slice);
}

TEST(Environment, OfACellIsThatOfItsMoment) {
  const Environment before = sample_environment();
  DeviceCondition hot;
  hot.available = true;
  hot.temperature_c = 83;
  hot.throttle_reasons = {"hw_thermal_slowdown"};
  const Environment now = as_of_now(before, hot);
  EXPECT_EQ(now.start.temperature_c, 83);
  EXPECT_EQ(now.start.throttle_reasons, hot.throttle_reasons);
  EXPECT_FALSE(now.end.available);
  EXPECT_EQ(now.utc_time.substr(0, 17), utc_now().substr(0, 17)) << "within the same minute";
  EXPECT_EQ(now.gpu_uuid, before.gpu_uuid);
  EXPECT_EQ(now.command_line, before.command_line);
}

}  // namespace
}  // namespace rooftile::test
