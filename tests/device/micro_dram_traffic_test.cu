// Whether the DRAM streams move what they claim: the memory chips' own byte counters beside the
// bytes of the kernel. A write that L2 absorbed, merged or compressed would show here, and so would
// a write that had to read first. Skipped without a GPU or without permission for counters.
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "gpu/cuda/counters.hpp"
#include "gpu/cuda/device.hpp"
#include "micro/stream_access.cuh"
#include "model/error.hpp"

namespace rooftile::micro {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{2} << 30;
constexpr unsigned chunks = buffer_bytes / chunk_bytes;

class DramTraffic : public ::testing::Test {
 protected:
  struct Bytes {
    double read = 0, written = 0;
  };

  void SetUp() override {
    try {
      device.emplace("");
    } catch (const NoDeviceError& error) {
      GTEST_SKIP() << error.what();
    }
    counters = make_counters(device->index());
    first.emplace(buffer_bytes);
    second.emplace(buffer_bytes);
    sink.emplace(1);
    first->fill_bytes(0x35);
  }

  /// Bytes at the DRAM over those of one pass over a buffer; nothing where there are no counters.
  std::optional<Bytes> relative(const std::function<void()>& launch) {
    const CounterSet set = counters->collect(launch);
    reason = set.reason;
    if (set.values.empty()) return std::nullopt;
    Bytes bytes;
    for (const auto& [name, value] : set.values) {
      if (name == "dram.read_bytes") bytes.read = value / buffer_bytes;
      if (name == "dram.write_bytes") bytes.written = value / buffer_bytes;
    }
    RecordProperty("read_over_buffer", std::to_string(bytes.read));
    RecordProperty("written_over_buffer", std::to_string(bytes.written));
    return bytes;
  }

  std::string reason;
  std::optional<Device> device;
  std::unique_ptr<Counters> counters;
  std::optional<DeviceBuffer<unsigned char>> first, second;
  std::optional<DeviceBuffer<unsigned>> sink;
};

TEST_F(DramTraffic, EveryWrittenByteReachesTheDramAndNoneIsRead) {
  unsigned seed = 0;
  const auto bytes = relative([&] {
    stream_write_kernel<<<chunks, stream_threads, 0, device->stream()>>>(second->data(), chunks,
                                                                         ++seed);
    check_launch("stream_write_kernel");
  });
  if (!bytes) GTEST_SKIP() << reason;
  EXPECT_NEAR(bytes->written, 1, 0.01) << "of which up to 3 % may stay in L2";
  EXPECT_LT(bytes->read, 0.01);
}

TEST_F(DramTraffic, EveryReadByteComesFromTheDram) {
  const auto bytes = relative([&] {
    stream_read_kernel<<<chunks, stream_threads, 0, device->stream()>>>(first->data(), 0u, chunks,
                                                                        sink->data());
    check_launch("stream_read_kernel");
  });
  if (!bytes) GTEST_SKIP() << reason;
  EXPECT_NEAR(bytes->read, 1, 0.01);
}

TEST_F(DramTraffic, ACopyReadsAndWritesOnce) {
  const auto bytes = relative([&] {
    stream_copy_kernel<<<chunks, stream_threads, 0, device->stream()>>>(first->data(),
                                                                        second->data(), chunks);
    check_launch("stream_copy_kernel");
  });
  if (!bytes) GTEST_SKIP() << reason;
  EXPECT_NEAR(bytes->read, 1, 0.01);
  EXPECT_NEAR(bytes->written, 1, 0.01);
}

}  // namespace
}  // namespace rooftile::micro
