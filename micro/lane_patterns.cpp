// The lane patterns, by family.
//
// The published part is the table of conditions A (lane i shares its address with lane i^1) and B
// (with i^2) for compute capability 7.x; the mixtures of half-warps and quarter-warps tell whether
// a condition is judged for the warp or for a part of it, the patterns with inactive lanes whether
// an inactive partner breaks it, those with conflicts what a merged group costs, and the stores
// whether they merge at all.
//
// Addresses are numbered without gaps wherever lanes share them, so that a merged group is free of
// conflicts and the merge shows.
#include "micro/lane_patterns.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <numeric>
#include <random>

#include "micro/lane_pattern_list.hpp"

namespace rooftile::micro {

void PatternList::add(int width_bytes, Direction direction, const std::string& name,
                      const FloatOffset& offset) {
  LaneAddresses lanes;
  std::vector<int> key;
  for (int i = 0; i < 32; ++i) {
    const int floats = offset(i);
    lanes.active[static_cast<std::size_t>(i)] = floats >= 0;
    lanes.byte_offset[static_cast<std::size_t>(i)] = floats >= 0 ? 4 * floats : 0;
    key.push_back(std::max(floats, -1));
  }
  if (!seen_.insert({width_bytes, direction, std::move(key)}).second) return;
  all_.push_back(
      {fmt::format("{}{} {}", direction == Direction::load ? "lds" : "sts", 8 * width_bytes, name),
       width_bytes, direction, lanes});
}

namespace {

constexpr std::array both_directions = {Direction::load, Direction::store};

/// Bits of i where `mask` has none, closed up.
int compress(int i, int mask) {
  int result = 0, to = 0;
  for (int bit = 0; bit < 5; ++bit)
    if ((mask >> bit & 1) == 0) result |= (i >> bit & 1) << to++;
  return result;
}

/// Number of the address that lane i shares with lane i ^ mask alone.
int pair_of(int mask, int i) {
  const int lowest = mask & -mask;
  return compress((i & lowest) != 0 ? i ^ mask : i, lowest);
}

/// Number of the address that lane i shares with all lanes that differ from it in bits of `mask`.
int block_of(int mask, int i) { return compress(i, mask); }

/// A way for lanes to share addresses: the number of lane i's, in any part of the warp without
/// gaps.
struct Sharing {
  char letter;
  const char* name;
  int (*number)(int i);
};
constexpr Sharing sharings[] = {
    {'n', "none", [](int i) { return i; }},
    {'A', "A", [](int i) { return pair_of(1, i); }},
    {'B', "B", [](int i) { return pair_of(2, i); }},
    {'Q', "A and B", [](int i) { return block_of(3, i); }},
    {'C', "i^4", [](int i) { return pair_of(4, i); }},
    {'1', "one word", [](int) { return 0; }},
};
const Sharing& sharing(char letter) {
  for (const Sharing& s : sharings)
    if (s.letter == letter) return s;
  return sharings[0];
}

void published(PatternList& list) {
  list.load(16, "4i", [](int i) { return 4 * i; });
  list.load(16, "0", [](int) { return 0; });
  list.load(16, "4(i/2)", [](int i) { return 4 * (i / 2); });
  list.load(16, "pairs i^2", [](int i) { return 4 * pair_of(2, i); });
  list.load(16, "pairs i^4", [](int i) { return 4 * pair_of(4, i); });
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

/// Every XOR pairing, and every set of bits in which lanes may differ and still share.
void pairings(PatternList& list) {
  for (const int width : {4, 8, 16})
    for (int mask = 1; mask < 32; ++mask) {
      const int floats = width / 4;
      const auto pair = [=](int i) { return floats * pair_of(mask, i); };
      const auto block = [=](int i) { return floats * block_of(mask, i); };
      list.load(width, fmt::format("pairs i^{}", mask), pair);
      list.load(width, fmt::format("blocks i^{{{}}}", mask), block);
      if (std::has_single_bit(static_cast<unsigned>(mask)))
        list.store(width, fmt::format("pairs i^{}", mask), pair);
      else if (mask == 3 || mask == 7 || mask == 24 || mask == 31)
        list.store(width, fmt::format("blocks i^{{{}}}", mask), block);
    }
}

/// Conflicts between the addresses of a merged group.
void conflicts_after_a_merge(PatternList& list) {
  for (const int width : {8, 16}) {
    for (const char letter : {'A', 'B', 'Q', 'C'})
      for (const int apart : {2, 3, 4, 8, 16}) {
        const int floats = apart * width / 4;
        list.load(width, fmt::format("{}, {} apart", sharing(letter).name, apart),
                  [=](int i) { return floats * sharing(letter).number(i); });
      }
    list.load(width, "pairs i^1, 32 banks apart", [](int i) { return 32 * (i / 2); });
    // The two groups that a merge joins lie in the same banks, or in the other half of them.
    list.load(width, "A, groups in the same banks",
              [=](int i) { return width / 4 * (i % (64 / width) / 2) + 32 * (i * width / 128); });
    list.load(width, "B, halves swapped",
              [=](int i) { return width / 4 * pair_of(2, i ^ (i < 16 ? 8 : 0)); });
  }
}

void half_mixtures(PatternList& list) {
  for (const int width : {8, 16})
    for (const Sharing& low : sharings)
      for (const Sharing& high : sharings) {
        if (low.letter == high.letter) continue;
        list.load(width, fmt::format("low {}, high {}", low.name, high.name), [=](int i) {
          return width / 4 * (i < 16 ? low.number(i) : 16 + high.number(i - 16));
        });
      }
}

/// A letter for each quarter-warp; and conditions broken in one place only.
void quarter_mixtures(PatternList& list) {
  for (const int width : {8, 16}) {
    const int floats = width / 4;
    for (const std::string quarters :
         {"ABAB", "ABBA", "BAAB", "AAAB", "BAAA", "BBBA", "ABBB", "AAAn", "nAAA", "AnAn", "BBBn",
          "nBnB", "QAQA", "QABQ", "QBQB", "QQQA", "QQQn", "nnQQ", "AQBQ", "CACA", "QCQC"})
      list.load(width, fmt::format("quarters {}", quarters), [=](int i) {
        const Sharing& s = sharing(quarters[static_cast<std::size_t>(i / 8)]);
        return floats * (8 * (i / 8) + s.number(i % 8));
      });
    list.load(width, "A and B by fours", [=](int i) {
      return floats * (4 * (i / 4) + sharing(i % 8 < 4 ? 'A' : 'B').number(i % 4));
    });
    for (const char letter : {'A', 'B'})
      for (const int odd : {0, 1, 7, 8, 15, 16, 24, 31})
        list.load(width, fmt::format("{} but for lane {}", letter, odd), [=](int i) {
          return floats * (i == odd ? 16 + odd % 8 : sharing(letter).number(i));
        });
  }
}

struct ActiveLanes {
  const char* name;
  unsigned lanes;
};
constexpr ActiveLanes active_lanes[] = {
    {"even lanes", 0x55555555},
    {"odd lanes", 0xaaaaaaaa},
    {"lanes with bit 1 clear", 0x33333333},
    {"lanes with bit 2 clear", 0x0f0f0f0f},
    {"lanes with bits 0 and 1 clear", 0x11111111},
    {"every eighth lane", 0x01010101},
    {"low half", 0x0000ffff},
    {"high half", 0xffff0000},
    {"quarter 0", 0x000000ff},
    {"quarter 3", 0xff000000},
    {"quarters 0 and 2", 0x00ff00ff},
    {"quarters 1 and 2", 0x00ffff00},
    {"quarters 0 to 2", 0x00ffffff},
    {"lane 31 off", 0x7fffffff},
    {"lane 0 off", 0xfffffffe},
    {"lanes 15 and 16 off", 0xfffe7fff},
    {"lane 0 alone", 0x00000001},
    {"lane 31 alone", 0x80000000},
    {"lanes 0 and 31", 0x80000001},
    {"lanes of a random mask", 0x9e3779b9},
};

void inactive_lanes(PatternList& list) {
  for (const ActiveLanes& on : active_lanes) {
    const auto masked = [lanes = on.lanes](const FloatOffset& offset) -> FloatOffset {
      return [=](int i) { return (lanes >> i & 1) != 0 ? offset(i) : -1; };
    };
    // A lane alone has nothing to share.
    const bool lone = std::has_single_bit(on.lanes);
    const auto named = [&](const std::string& what) {
      return lone ? std::string(on.name) : fmt::format("{}, {}", what, on.name);
    };
    for (const int width : {8, 16}) {
      const int floats = width / 4;
      list.load(width, named("i"), masked([=](int i) { return floats * i; }));
      if (lone) continue;
      list.load(width, named("A"), masked([=](int i) { return floats * pair_of(1, i); }));
      list.load(width, named("B"), masked([=](int i) { return floats * pair_of(2, i); }));
    }
    list.load(4, named("2i"), masked([](int i) { return 2 * i; }));
    for (const int width : {4, 8, 16})
      list.store(width, named("i"), masked([=](int i) { return width / 4 * i; }));
    if (!lone) list.store(16, named("A"), masked([](int i) { return 4 * (i / 2); }));
  }
}

/// Permutations of 32 addresses, 32 of 128 without repetition, 32 drawn from 24 (some alike), and
/// the first of these with random lanes off.
void random_orders(PatternList& list) {
  std::mt19937 engine(20261129);
  const auto draw = [&](int below) { return static_cast<int>(engine() % below); };
  for (const int width : {4, 8, 16})
    for (const Direction direction : both_directions)
      for (int n = 0; n < 4; ++n) {
        for (const int slots : {32, 128}) {
          std::vector<int> order(static_cast<std::size_t>(slots));
          std::iota(order.begin(), order.end(), 0);
          for (std::size_t i = order.size() - 1; i > 0; --i)
            std::swap(order[i], order[static_cast<std::size_t>(draw(static_cast<int>(i) + 1))]);
          const auto pick = [=](int i) { return width / 4 * order[static_cast<std::size_t>(i)]; };
          list.add(width, direction, fmt::format("random 32 of {}, {}", slots, n), pick);
          const unsigned lanes = static_cast<unsigned>(engine()) | 1u << draw(32);
          if (slots == 32)
            list.add(width, direction, fmt::format("random 32 of 32 with lanes off, {}", n),
                     [=](int i) { return (lanes >> i & 1) != 0 ? pick(i) : -1; });
        }
        std::array<int, 32> offsets{};
        for (int& offset : offsets) offset = draw(24);
        list.add(width, direction, fmt::format("random draws of 24, {}", n),
                 [=](int i) { return width / 4 * offsets[static_cast<std::size_t>(i)]; });
      }
}

void stores(PatternList& list) {
  for (const int width : {4, 8, 16}) {
    const int floats = width / 4;
    for (const int apart : {1, 2, 3, 4, 8})
      list.store(width, fmt::format("{}i", apart * floats),
                 [=](int i) { return apart * floats * i; });
    list.store(width, "0", [](int) { return 0; });
    list.store(width, "low A, high B",
               [=](int i) { return floats * (i < 16 ? pair_of(1, i) : pair_of(2, i)); });
  }
  for (const int stride : {16, 32, 33})
    list.store(4, fmt::format("{}i", stride), [=](int i) { return stride * i; });
}

}  // namespace

std::vector<LanePattern> lane_patterns() {
  PatternList list;
  published(list);
  pairings(list);
  conflicts_after_a_merge(list);
  half_mixtures(list);
  quarter_mixtures(list);
  inactive_lanes(list);
  stores(list);
  add_tile_patterns(list);
  random_orders(list);
  return list.take();
}

}  // namespace rooftile::micro
