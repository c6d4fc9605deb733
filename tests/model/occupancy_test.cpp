// Occupancy: hand-made cases, and NVIDIA's cuda_occupancy.h over the whole domain where it is
// installed (ROOFTILE_CUDA_OCCUPANCY_HEADER set by CMake).
#include "model/kernel/occupancy.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <climits>

#include "model/error.hpp"
#include "tests/model/h200_fixture.hpp"

#ifdef ROOFTILE_CUDA_OCCUPANCY_HEADER
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wcast-qual"
#include <cuda_occupancy.h>
#pragma GCC diagnostic pop
#endif

namespace rooftile {
namespace {

int blocks(int major, int minor, const BlockResources& block) {
  return occupancy(occupancy_limits(major, minor), block).blocks_per_sm;
}

TEST(Occupancy, PublishedRegisterExample) {
  // 128 registers a thread on 65,536: 512 threads; half of Turing's 1024, a quarter of Volta's
  // 2048.
  const BlockResources block{.threads = 256, .registers_per_thread = 128};
  EXPECT_EQ(blocks(7, 5, block), 2);
  EXPECT_DOUBLE_EQ(occupancy(occupancy_limits(7, 5), block).fraction, 0.5);
  EXPECT_DOUBLE_EQ(occupancy(occupancy_limits(7, 0), block).fraction, 0.25);
  EXPECT_EQ(occupancy(occupancy_limits(7, 0), block).limiter, OccupancyLimiter::registers);
}

TEST(Occupancy, SharedMemoryReserve) {
  // 228 KiB an SM on 9.0, 1 KiB of it taken from each block: 4 blocks of 56 KiB, not of 56.1.
  BlockResources block{.threads = 128, .registers_per_thread = 32, .shared_bytes = 56 * 1024};
  EXPECT_EQ(blocks(9, 0, block), 4);
  block.shared_bytes += 128;
  EXPECT_EQ(blocks(9, 0, block), 3);
  block.shared_bytes = 227 * 1024;
  EXPECT_EQ(blocks(9, 0, block), 1);
  block.shared_bytes += 1;
  EXPECT_EQ(blocks(9, 0, block), 0);
}

TEST(Occupancy, SubCoresHoldWholeWarps) {
  // 104 registers: 3328 a warp, 4 warps a sub-core (not 4.92), 16 warps an SM.
  EXPECT_EQ(blocks(9, 0, {.threads = 96, .registers_per_thread = 104}), 16 / 3);
  EXPECT_EQ(blocks(9, 0, {.threads = 288, .registers_per_thread = 255}), 0);
}

TEST(Occupancy, UnknownArchitectureAndBadBlock) {
  EXPECT_THROW(occupancy_limits(6, 1), InputError);
  EXPECT_THROW(occupancy_limits(9, 1), InputError);
  EXPECT_THROW(occupancy(occupancy_limits(9, 0), BlockResources{}), InputError);
}

TEST(Occupancy, ProfileOverridesTheTable) {
  DeviceProfile profile = test::h200();
  EXPECT_EQ(occupancy_limits(profile).registers_per_sm, 65536);
  test::set(profile, "device.registers_per_sm", 32768);
  EXPECT_EQ(occupancy_limits(profile).registers_per_sm, 32768);
}

TEST(OccupancyProperties, MoreResourcesNeverMeanMoreBlocks) {
  EXPECT_TRUE(rc::check("monotone", [] {
    const OccupancyLimits limits = occupancy_limits(9, 0);
    const BlockResources block{.threads = *rc::gen::inRange(1, 1025),
                               .registers_per_thread = *rc::gen::inRange(0, 256),
                               .shared_bytes = *rc::gen::inRange(0, 240 * 1024)};
    const int n = occupancy(limits, block).blocks_per_sm;
    BlockResources more = block;
    ++more.registers_per_thread;
    RC_ASSERT(occupancy(limits, more).blocks_per_sm <= n);
    more = block;
    more.shared_bytes += 512;
    RC_ASSERT(occupancy(limits, more).blocks_per_sm <= n);
    RC_ASSERT(n * block.threads <= limits.max_threads_per_sm);
  }));
}

#ifdef ROOFTILE_CUDA_OCCUPANCY_HEADER

cudaOccDeviceProp properties_of(const OccupancyLimits& limits) {
  cudaOccDeviceProp p;
  p.computeMajor = limits.major;
  p.computeMinor = limits.minor;
  p.maxThreadsPerBlock = limits.max_threads_per_block;
  p.maxThreadsPerMultiprocessor = limits.max_threads_per_sm;
  p.regsPerBlock = static_cast<int>(limits.registers_per_block);
  p.regsPerMultiprocessor = static_cast<int>(limits.registers_per_sm);
  p.warpSize = 32;
  p.sharedMemPerBlock = static_cast<std::size_t>(limits.shared_per_block);
  p.sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.shared_per_sm);
  p.numSms = 1;
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(limits.shared_per_block_optin);
  p.reservedSharedMemPerBlock = static_cast<std::size_t>(limits.shared_reserved);
  return p;
}

int nvidia_blocks(const cudaOccDeviceProp& properties, const BlockResources& block) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = INT_MAX;
  attributes.numRegs = block.registers_per_thread;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = static_cast<std::size_t>(block.shared_bytes);
  attributes.numBlockBarriers = block.barriers;
  cudaOccDeviceState state;
  state.carveoutConfig = block.carveout_percent;
  cudaOccResult result;
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, block.threads,
      static_cast<std::size_t>(block.shared_bytes));
  return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

class ToolkitOccupancy : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(ToolkitOccupancy, EqualOverTheDomain) {
  const auto [major, minor] = GetParam();
  const OccupancyLimits limits = occupancy_limits(major, minor);
  const cudaOccDeviceProp properties = properties_of(limits);
  std::vector<std::int64_t> shared = {0, 1, 127, 128, 129, 255, 256, 1024, 49151, 49152, 49153};
  for (std::int64_t bytes = 2048; bytes <= limits.shared_per_sm + 2048; bytes += 3411)
    shared.push_back(bytes);
  shared.push_back(limits.shared_per_block_optin);
  shared.push_back(limits.shared_per_block_optin + 1);
  for (int threads = 1; threads <= 1056; threads = threads < 32 ? threads + 31 : threads + 16)
    for (int registers = 0; registers <= 257; ++registers)
      for (const std::int64_t bytes : shared) {
        const BlockResources block{
            .threads = threads, .registers_per_thread = registers, .shared_bytes = bytes};
        ASSERT_EQ(occupancy(limits, block).blocks_per_sm, nvidia_blocks(properties, block))
            << threads << " threads, " << registers << " registers, " << bytes << " bytes";
      }
}

TEST_P(ToolkitOccupancy, EqualWithCarveOutsAndBarriers) {
  const auto [major, minor] = GetParam();
  const OccupancyLimits limits = occupancy_limits(major, minor);
  const cudaOccDeviceProp properties = properties_of(limits);
  for (int percent = -1; percent <= 100; ++percent)
    for (const std::int64_t bytes : {0, 1000, 8192, 20000, 48000, 64000})
      for (const int barriers : {1, 4, 16}) {
        const BlockResources block{.threads = 64,
                                   .registers_per_thread = 24,
                                   .shared_bytes = bytes,
                                   .barriers = barriers,
                                   .carveout_percent = percent};
        ASSERT_EQ(occupancy(limits, block).blocks_per_sm, nvidia_blocks(properties, block))
            << percent << " %, " << bytes << " bytes, " << barriers << " barriers";
      }
}

INSTANTIATE_TEST_SUITE_P(ComputeCapability, ToolkitOccupancy,
                         testing::Values(std::pair{7, 0}, std::pair{7, 2}, std::pair{7, 5},
                                         std::pair{8, 0}, std::pair{8, 6}, std::pair{8, 7},
                                         std::pair{8, 9}, std::pair{9, 0}, std::pair{10, 0},
                                         std::pair{10, 1}, std::pair{10, 3}, std::pair{11, 0},
                                         std::pair{12, 0}, std::pair{12, 1}));

#else

TEST(ToolkitOccupancy, EqualOverTheDomain) {
  GTEST_SKIP() << "cuda_occupancy.h was not found at configure time; install a CUDA toolkit";
}

#endif

}  // namespace
}  // namespace rooftile
