// The random cycle of the latency chains: a permutation for any size, hence one cycle through all
// lines. No GPU needed.
#include <gtest/gtest.h>

#include <vector>

#include "micro/random_cycle.cuh"

namespace rooftile::micro {
namespace {

TEST(RandomCycle, PermutesAnySize) {
  for (const std::uint32_t size : {1U, 2U, 3U, 7U, 128U, 129U, 1000U, 4096U, 65537U}) {
    for (const std::uint32_t seed : {1U, 2U, 99U}) {
      const Permutation permutation = Permutation::of(size, seed);
      std::vector<bool> seen(size);
      for (std::uint32_t k = 0; k < size; ++k) {
        const std::uint32_t at = permutation(k);
        ASSERT_LT(at, size);
        ASSERT_FALSE(seen[at]) << "size " << size << " seed " << seed << " k " << k;
        seen[at] = true;
      }
    }
  }
}

/// Successive lines must not be neighbours: a prefetcher would follow them.
TEST(RandomCycle, JumpsFar) {
  constexpr std::uint32_t size = 100000;
  const Permutation permutation = Permutation::of(size, 5);
  int near = 0;
  double distance = 0;
  for (std::uint32_t k = 0; k + 1 < size; ++k) {
    const double step = std::abs(static_cast<double>(permutation(k)) - permutation(k + 1));
    near += step <= 8;
    distance += step / size;
  }
  EXPECT_LT(near, 60);  // expected 16
  EXPECT_NEAR(distance / size, 1.0 / 3, 0.02);
}

TEST(RandomCycle, DependsOnTheSeed) {
  const Permutation one = Permutation::of(1024, 1), two = Permutation::of(1024, 2);
  int same = 0;
  for (std::uint32_t k = 0; k < 1024; ++k) same += one(k) == two(k);
  EXPECT_LT(same, 20);
}

}  // namespace
}  // namespace rooftile::micro
