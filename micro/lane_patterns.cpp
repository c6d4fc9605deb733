// Lane patterns and the search for the merge rules.
//
// The published part is the table of conditions A (lane i shares its address with lane i^1) and B
// (with i^2) for compute capability 7.x; the mixtures of half-warps tell whether a condition is
// judged for the warp or for each half, the patterns with inactive lanes whether an inactive
// partner breaks it, and the stores whether they merge at all.
#include "micro/lane_patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

namespace rooftile::micro {
namespace {

using FloatOffset = std::function<int(int)>;  // of lane i; negative = inactive

LaneAddresses addresses(const FloatOffset& offset) {
  LaneAddresses lanes;
  for (int i = 0; i < 32; ++i) {
    const int floats = offset(i);
    lanes.active[static_cast<std::size_t>(i)] = floats >= 0;
    lanes.byte_offset[static_cast<std::size_t>(i)] = floats >= 0 ? 4 * floats : 0;
  }
  return lanes;
}

/// Number of the address that lane i shares with lane i ^ `bit` alone: without gaps, so that the
/// merged groups have no bank conflict and merging shows.
int shared_by(int bit, int i) { return i % bit + bit * (i / (2 * bit)); }

class PatternList {
 public:
  void load(int width_bytes, const std::string& name, const FloatOffset& offset) {
    add(width_bytes, Direction::load, name, offset);
  }
  void store(int width_bytes, const std::string& name, const FloatOffset& offset) {
    add(width_bytes, Direction::store, name, offset);
  }
  std::vector<LanePattern> take() { return std::move(all_); }

 private:
  void add(int width_bytes, Direction direction, const std::string& name,
           const FloatOffset& offset) {
    all_.push_back({fmt::format("{}{} {}", direction == Direction::load ? "lds" : "sts",
                                8 * width_bytes, name),
                    width_bytes, direction, addresses(offset)});
  }
  std::vector<LanePattern> all_;
};

void published(PatternList& list) {
  list.load(16, "4i", [](int i) { return 4 * i; });
  list.load(16, "0", [](int) { return 0; });
  list.load(16, "4(i/2)", [](int i) { return 4 * (i / 2); });
  list.load(16, "4(i%16)", [](int i) { return 4 * (i % 16); });
  list.load(16, "4(i%8)", [](int i) { return 4 * (i % 8); });
  list.load(16, "8(i%4)", [](int i) { return 8 * (i % 4); });
  list.load(16, "4(i/8)", [](int i) { return 4 * (i / 8); });
  list.load(16, "8(i/8)", [](int i) { return 8 * (i / 8); });
  list.load(16, "4(i/4)", [](int i) { return 4 * (i / 4); });
  list.load(16, "8(i/4)", [](int i) { return 8 * (i / 4); });
  list.load(16, "8(i%8)", [](int i) { return 8 * (i % 8); });
  list.load(16, "8i", [](int i) { return 8 * i; });
  list.load(16, "32i", [](int i) { return 32 * i; });
  list.load(16, "4(i%2+2(i/16))", [](int i) { return 4 * (i % 2 + 2 * (i / 16)); });
  list.load(16, "4((i%16)/2)", [](int i) { return 4 * ((i % 16) / 2); });
  list.load(4, "i", [](int i) { return i; });
  list.load(4, "0", [](int) { return 0; });
  list.load(4, "33i", [](int i) { return 33 * i; });
  for (const int stride : {2, 4, 8, 16, 32})
    list.load(4, fmt::format("{}i", stride), [=](int i) { return stride * i; });
  list.load(8, "2i", [](int i) { return 2 * i; });
  list.load(8, "0", [](int) { return 0; });
  list.load(8, "2(i/2)", [](int i) { return 2 * (i / 2); });
  list.load(8, "2(i%16)", [](int i) { return 2 * (i % 16); });
  list.load(8, "4i", [](int i) { return 4 * i; });
}

/// Lane i shares its address with lane i^bit, all else distinct.
void pairings(PatternList& list) {
  for (const int width : {8, 16}) {
    const int floats = width / 4;
    for (const int bit : {1, 2, 4, 8, 16})
      list.load(width, fmt::format("pairs i^{}", bit),
                [=](int i) { return floats * shared_by(bit, i); });
    list.load(width, "pairs i^3",
              [=](int i) { return floats * (i / 4 * 2 + std::min(i % 4, 3 - i % 4)); });
    list.load(width, "quads i^1 i^2", [=](int i) { return floats * (i / 4); });
    list.load(width, "pairs i^1, 32 banks apart", [=](int i) { return 32 * (i / 2); });
    list.load(width, "pairs i^2, 2-way", [=](int i) { return 2 * floats * shared_by(2, i); });
  }
}

void half_mixtures(PatternList& list) {
  for (const int width : {8, 16}) {
    const int floats = width / 4;
    const auto a = [=](int i) { return floats * shared_by(1, i); };
    const auto b = [=](int i) { return floats * shared_by(2, i); };
    const auto none = [=](int i) { return floats * i; };
    list.load(width, "low A, high B", [=](int i) { return i < 16 ? a(i) : b(i); });
    list.load(width, "low B, high A", [=](int i) { return i < 16 ? b(i) : a(i); });
    list.load(width, "low A, high none", [=](int i) { return i < 16 ? a(i) : none(i); });
    list.load(width, "low none, high B", [=](int i) { return i < 16 ? none(i) : b(i); });
    list.load(width, "A but for one pair", [=](int i) { return i == 31 ? none(i) : a(i); });
  }
}

void inactive_lanes(PatternList& list) {
  for (const int width : {8, 16}) {
    const int floats = width / 4;
    list.load(width, "A, even lanes",
              [=](int i) { return i % 2 == 0 ? floats * shared_by(1, i) : -1; });
    list.load(width, "B, lanes with bit 1 clear",
              [=](int i) { return (i & 2) == 0 ? floats * shared_by(2, i) : -1; });
    list.load(width, "i, low half", [=](int i) { return i < 16 ? floats * i : -1; });
    list.load(width, "i, lane 31 off", [=](int i) { return i < 31 ? floats * i : -1; });
    list.load(width, "A, lane 31 off",
              [=](int i) { return i < 31 ? floats * shared_by(1, i) : -1; });
    list.load(width, "A, low half", [=](int i) { return i < 16 ? floats * shared_by(1, i) : -1; });
    list.load(width, "lane 0 alone", [](int i) { return i == 0 ? 0 : -1; });
    list.load(width, "B, lane 0 off", [=](int i) { return i > 0 ? floats * shared_by(2, i) : -1; });
  }
  list.load(4, "2i, even lanes", [](int i) { return i % 2 == 0 ? 2 * i : -1; });
}

void random_orders(PatternList& list) {
  std::mt19937 engine(20261129);
  for (const int width : {4, 8, 16}) {
    for (const int slots : {32, 128}) {
      std::vector<int> order(static_cast<std::size_t>(slots));
      std::iota(order.begin(), order.end(), 0);
      for (std::size_t i = order.size() - 1; i > 0; --i)
        std::swap(order[i], order[engine() % (i + 1)]);
      list.load(width, fmt::format("random 32 of {}", slots),
                [=](int i) { return width / 4 * order[static_cast<std::size_t>(i)]; });
    }
  }
}

void stores(PatternList& list) {
  for (const int width : {4, 8, 16}) {
    const int floats = width / 4;
    list.store(width, fmt::format("{}i", floats), [=](int i) { return floats * i; });
    list.store(width, fmt::format("{}i", 2 * floats), [=](int i) { return 2 * floats * i; });
    list.store(width, fmt::format("{}i", 8 * floats), [=](int i) { return 8 * floats * i; });
    list.store(width, "0", [](int) { return 0; });
    list.store(width, "pairs i^1", [=](int i) { return floats * shared_by(1, i); });
    list.store(width, "pairs i^2", [=](int i) { return floats * shared_by(2, i); });
  }
  list.store(4, "32i", [](int i) { return 32 * i; });
  list.store(4, "33i", [](int i) { return 33 * i; });
  list.store(4, "132(i%8)+i/8", [](int i) { return 132 * (i % 8) + i / 8; });
}

std::vector<MergeRules> candidates() {
  std::vector<MergeRules> all;
  for (int bits = 0; bits < 32; ++bits)
    all.push_back(
        {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0});
  // Nearest the defaults first, so that a tie falls to them.
  const auto distance = [](const MergeRules& rules) {
    const MergeRules usual;
    return (rules.merge_a != usual.merge_a) + (rules.merge_b != usual.merge_b) +
           (rules.per_half != usual.per_half) + (rules.inactive_matches != usual.inactive_matches) +
           (rules.store_merge != usual.store_merge);
  };
  std::stable_sort(all.begin(), all.end(), [&](const MergeRules& x, const MergeRules& y) {
    return distance(x) < distance(y);
  });
  return all;
}

int unexplained(std::span<const MeasuredPattern> measured, const MergeRules& rules) {
  return static_cast<int>(
      std::count_if(measured.begin(), measured.end(), [&](const MeasuredPattern& m) {
        const int modelled =
            shared_wavefronts(m.pattern.lanes, m.pattern.width_bytes, m.pattern.direction, rules);
        return std::abs(m.cycles - modelled) > std::max(0.25, 0.02 * modelled);
      }));
}

}  // namespace

std::vector<LanePattern> lane_patterns() {
  PatternList list;
  published(list);
  pairings(list);
  half_mixtures(list);
  inactive_lanes(list);
  random_orders(list);
  stores(list);
  return list.take();
}

RuleVerdict infer_rules(std::span<const MeasuredPattern> measured) {
  RuleVerdict verdict;
  bool first = true;
  for (const MergeRules& rules : candidates()) {
    const int misses = unexplained(measured, rules);
    if (first || misses < verdict.unexplained) {
      verdict = {rules, misses, {true, true, true, true, true}};
      first = false;
    } else if (misses == verdict.unexplained) {
      verdict.agreed.merge_a &= rules.merge_a == verdict.rules.merge_a;
      verdict.agreed.merge_b &= rules.merge_b == verdict.rules.merge_b;
      verdict.agreed.per_half &= rules.per_half == verdict.rules.per_half;
      verdict.agreed.inactive_matches &= rules.inactive_matches == verdict.rules.inactive_matches;
      verdict.agreed.store_merge &= rules.store_merge == verdict.rules.store_merge;
    }
  }
  return verdict;
}

}  // namespace rooftile::micro
