// What the device layer says on a machine without a GPU, and what needs none: names of metrics.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>

#include "gpu/cuda/counter_catalog.hpp"
#include "gpu/cuda/counters.hpp"
#include "gpu/cuda/device.hpp"
#include "gpu/cuda/metric_names.hpp"
#include "gpu/doctor.hpp"
#include "model/error.hpp"

namespace rooftile {
namespace {

bool has_gpu() {
  int count = 0;
  const bool found = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  static_cast<void>(cudaGetLastError());
  return found;
}

TEST(WithoutGpu, DeviceSaysWhatToDo) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  try {
    Device device("");
    FAIL() << "a device without a GPU";
  } catch (const NoDeviceError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no usable GPU (cudaError"));
    EXPECT_THAT(error.what(),
                testing::AnyOf(testing::HasSubstr("nvidia-smi"), testing::HasSubstr("driver")));
  }
  const auto checks = device_checks("");
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].state, CheckState::problem);
  EXPECT_NE(checks[0].advice, "");
}

TEST(WithoutGpu, CountersGiveAReasonAndDoNotLaunch) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  bool launched = false;
  const auto set = make_counters(0)->collect([&] { launched = true; });
  EXPECT_FALSE(launched);
  EXPECT_TRUE(set.values.empty());
  EXPECT_NE(set.reason, "");
}

TEST(CounterCatalog, NamesAreUniqueAndMetricsListedOnce) {
  std::set<std::string> names;
  for (const auto& counter : counter_catalog()) {
    EXPECT_TRUE(names.insert(counter.name).second) << counter.name;
  }
  const auto metrics = counter_metrics();
  EXPECT_EQ(std::set<std::string>(metrics.begin(), metrics.end()).size(), metrics.size());
}

TEST(CounterCatalog, EveryMetricExistsOnHopperAndAmpere) {
  for (const char* chip : {"GH100", "GA100"}) {
    std::string reason;
    const auto absent = absent_metrics(chip, counter_metrics(), reason);
    if (!reason.empty()) GTEST_SKIP() << reason;
    EXPECT_THAT(absent, testing::IsEmpty()) << chip;
    // One that a chip lacks does not take the others with it.
    EXPECT_THAT(absent_metrics(chip, {"lts__no_such_metric.sum", "dram__bytes_read.sum"}, reason),
                testing::ElementsAre("lts__no_such_metric.sum"));
  }
}

TEST(CounterCatalog, AnUnknownChipIsAReason) {
  std::string reason;
  EXPECT_THAT(absent_metrics("XX999", counter_metrics(), reason), testing::IsEmpty());
  EXPECT_NE(reason, "");
}

TEST(CounterCatalog, ScalesAndDivides) {
  const auto list = counter_values({{"lts__t_sectors_srcunit_tex_op_read.sum", 1000},
                                    {"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", 900},
                                    {"l1tex__t_sector_hit_rate.pct", 25}});
  const std::map<std::string, double> values(list.begin(), list.end());
  EXPECT_EQ(values.size(), 3u);
  EXPECT_DOUBLE_EQ(values.at("l2.read_hit_rate"), 0.9);
  EXPECT_DOUBLE_EQ(values.at("l2.read_bytes"), 32000);
  EXPECT_DOUBLE_EQ(values.at("l1.hit_rate"), 0.25);
}

TEST(CounterCatalog, LeavesOutWhatIsNotFinite) {
  const auto values =
      counter_values({{"lts__t_sectors_srcunit_tex_op_read.sum", 0},
                      {"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", 0},
                      {"l1tex__t_sector_hit_rate.pct", std::numeric_limits<double>::quiet_NaN()}});
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].first, "l2.read_bytes");
}

TEST(GpuErrors, NameTheCallTheCodeAndThePlace) {
  try {
    check(cudaErrorInvalidValue, "cudaMemcpy of C");
    FAIL() << "an error did not throw";
  } catch (const GpuError& error) {
    EXPECT_EQ(error.code(), cudaErrorInvalidValue);
    EXPECT_EQ(error.name(), "cudaErrorInvalidValue");
    EXPECT_THAT(error.what(),
                testing::HasSubstr("cudaMemcpy of C failed: cudaErrorInvalidValue (1)"));
    EXPECT_THAT(error.what(), testing::HasSubstr("gpu_without_gpu.cpp:"));
  }
  EXPECT_NO_THROW(check(cudaSuccess, "nothing"));
  EXPECT_THROW(check(CUBLAS_STATUS_ALLOC_FAILED, "cublasCreate"), GpuError);
}

}  // namespace
}  // namespace rooftile
