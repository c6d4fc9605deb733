// A random cycle over n lines, built in parallel: line p(k) names line p(k + 1 mod n), where p is a
// pseudo-random permutation of [0, n). Any permutation gives a single cycle through all lines.
//
// p is a balanced Feistel network on the next even number of bits, walked until it lands inside [0,
// n) (Black and Rogaway, Ciphers with Arbitrary Finite Domains, CT-RSA 2002): bijective for any n,
// at most 4 steps expected, and computable at any k, so that a kernel can also touch the lines in
// the order in which the chain will visit them.
#pragma once

#include <cstdint>

#include "micro/timing.cuh"

namespace rooftile::micro {

struct Permutation {
  std::uint32_t size = 1;
  std::uint32_t half_bits = 1;
  std::uint32_t seed = 0;

  /// `size` from 1 to 2^30.
  static Permutation of(std::uint32_t size, std::uint32_t seed) {
    Permutation permutation{size, 1, seed};
    while ((std::uint64_t{1} << (2 * permutation.half_bits)) < size) ++permutation.half_bits;
    return permutation;
  }

  __host__ __device__ std::uint32_t operator()(std::uint32_t k) const {
    const std::uint32_t mask = (1u << half_bits) - 1;
    do {
      std::uint32_t left = k >> half_bits, right = k & mask;
      for (std::uint32_t round = 0; round < 4; ++round) {
        const std::uint32_t mixed = left ^ (hash32(right + seed * 4 + round) & mask);
        left = right;
        right = mixed;
      }
      k = (left << half_bits) | right;
    } while (k >= size);
    return k;
  }
};

}  // namespace rooftile::micro
