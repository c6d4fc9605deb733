// The registry of microbenchmarks: filled by static Register objects, sorted at first use.
#include <algorithm>

#include "micro/microbenchmark.hpp"

namespace rooftile::micro {
namespace {

std::vector<Microbenchmark>& storage() {
  static std::vector<Microbenchmark> all;
  return all;
}

/// Limits and clock first: the others' numbers are read beside them. What disturbs comes last.
int rank(const Microbenchmark& benchmark) {
  if (benchmark.name == "device_limits") return 0;
  if (benchmark.name == "clock") return 1;
  return benchmark.once ? 3 : 2;
}

bool before(const Microbenchmark& a, const Microbenchmark& b) {
  return rank(a) != rank(b) ? rank(a) < rank(b) : a.name < b.name;
}

}  // namespace

Register::Register(Microbenchmark benchmark) {
  auto& all = storage();
  all.insert(std::upper_bound(all.begin(), all.end(), benchmark, before), std::move(benchmark));
}

std::span<const Microbenchmark> microbenchmarks() { return storage(); }

}  // namespace rooftile::micro
