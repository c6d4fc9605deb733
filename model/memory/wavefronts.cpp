#include "model/memory/wavefronts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "model/error.hpp"
#include "model/kernel/architecture.hpp"

namespace rooftile {
namespace {

constexpr int banks = 32;
constexpr int word_bytes = 4;

void check(const LaneAddresses& lanes, int width_bytes) {
  if (width_bytes != 4 && width_bytes != 8 && width_bytes != 16)
    throw InputError(fmt::format("access width {} bytes: must be 4, 8 or 16", width_bytes));
  // Sign and remainder of all lanes at once, active or not: this runs for every access of every
  // tile of a search.
  const std::int32_t forbidden = std::numeric_limits<std::int32_t>::min() | (width_bytes - 1);
  std::int32_t found = 0;
  for (const std::int32_t offset : lanes.byte_offset) found |= offset;
  if ((found & forbidden) == 0) return;
  for (std::size_t i = 0; i < lanes_per_warp; ++i)
    if (lanes.active[i] && (lanes.byte_offset[i] < 0 || lanes.byte_offset[i] % width_bytes != 0))
      throw InputError(fmt::format("lane {} at byte {}: must be a multiple of the width {} from 0",
                                   i, lanes.byte_offset[i], width_bytes));
}

/// Whether the active lanes of [first, first + count) lie in one row of banks, as those of a
/// contiguous access do; there no two words meet in a bank.
bool in_one_row(const LaneAddresses& lanes, int first, int count) {
  constexpr std::int32_t inside = banks * word_bytes - 1;
  const std::int32_t row = lanes.byte_offset[static_cast<std::size_t>(first)];
  std::int32_t apart = 0;
  for (int i = first; i < first + count; ++i) {
    const auto lane = static_cast<std::size_t>(i);
    apart |= (lanes.byte_offset[lane] ^ row) & -std::int32_t{lanes.active[lane]};
  }
  return (apart & ~inside) == 0;
}

bool any_active(const LaneAddresses& lanes, int first, int count) {
  const auto begin = lanes.active.begin() + first;
  return std::find(begin, begin + count, true) != begin + count;
}

/// How the addresses of consecutive lanes compare, in pieces of 2^`shift` bytes.
struct Order {
  bool rising = true;  ///< no lane is before its predecessor
  int steps = 0;       ///< lanes that are in another piece than their predecessor
};

/// Of all lanes, whether active or not. Without a branch: most accesses of a search end here.
Order order_of(const LaneAddresses& lanes, int shift) {
  std::array<std::int32_t, lanes_per_warp + 1> pieces;
  for (std::size_t i = 0; i < lanes_per_warp; ++i) pieces[i + 1] = lanes.byte_offset[i] >> shift;
  pieces[0] = pieces[1];
  std::int32_t falls = 0, steps = 0;
  for (std::size_t i = 0; i < lanes_per_warp; ++i) {
    falls |= pieces[i] > pieces[i + 1] ? 1 : 0;
    steps += pieces[i] != pieces[i + 1] ? 1 : 0;
  }
  return {falls == 0, steps};
}

bool all_active(const LaneAddresses& lanes) {
  bool all = true;
  for (const bool on : lanes.active) all &= on;
  return all;
}

/// Fullest bank of the lanes [first, first + count), in distinct words. Aligned accesses of w words
/// fill w banks alike, so the units counted are accesses: 32 / w columns of banks, each with the
/// distinct addresses it has met.
int fullest_bank(const LaneAddresses& lanes, int width_bytes, int first, int count) {
  if (in_one_row(lanes, first, count)) return any_active(lanes, first, count) ? 1 : 0;
  const int shift = std::countr_zero(static_cast<unsigned>(width_bytes));
  const auto columns = static_cast<std::size_t>(banks * word_bytes) >> shift;
  std::array<std::int32_t, lanes_per_warp> met, next;  // chains of addresses, newest first
  std::array<std::int8_t, banks> head, load{};
  std::fill_n(head.begin(), columns, std::int8_t{-1});
  std::int8_t most = 0, n = 0;
  std::int32_t previous = -1;  // runs of equal addresses are the common case
  for (int i = first; i < first + count; ++i) {
    const auto lane = static_cast<std::size_t>(i);
    if (!lanes.active[lane] || lanes.byte_offset[lane] == previous) continue;
    previous = lanes.byte_offset[lane];
    const auto column = static_cast<std::size_t>(previous >> shift) & (columns - 1);
    std::int32_t at = head[column];
    while (at >= 0 && met[static_cast<std::size_t>(at)] != previous)
      at = next[static_cast<std::size_t>(at)];
    if (at >= 0) continue;
    met[static_cast<std::size_t>(n)] = previous;
    next[static_cast<std::size_t>(n)] = head[column];
    head[column] = n++;
    most = std::max(most, ++load[column]);
  }
  return most;
}

/// Distinct aligned pieces of `piece_bytes` that the active lanes touch.
template <int piece_bytes>
int distinct_pieces(const LaneAddresses& lanes) {
  constexpr int shift = std::countr_zero(static_cast<unsigned>(piece_bytes));
  if (const Order order = order_of(lanes, shift); order.rising && all_active(lanes))
    return 1 + order.steps;
  std::array<std::int32_t, lanes_per_warp> pieces;
  std::size_t n = 0;
  for (std::size_t i = 0; i < lanes_per_warp; ++i)
    if (lanes.active[i]) pieces[n++] = lanes.byte_offset[i] >> shift;
  const auto end = pieces.begin() + static_cast<std::ptrdiff_t>(n);
  std::sort(pieces.begin(), end);
  return static_cast<int>(std::unique(pieces.begin(), end) - pieces.begin());
}

/// Whether every active lane of [first, first + count) has the address of lane ^ mask.
bool pairs_equal(const LaneAddresses& lanes, int mask, int first, int count,
                 bool inactive_matches) {
  for (int i = first; i < first + count; ++i) {
    const auto lane = static_cast<std::size_t>(i);
    const auto other = static_cast<std::size_t>(i ^ mask);
    if (!lanes.active[lane]) continue;
    if (!lanes.active[other]) {
      if (!inactive_matches) return false;
    } else if (lanes.byte_offset[lane] != lanes.byte_offset[other]) {
      return false;
    }
  }
  return true;
}

bool mergeable(const LaneAddresses& lanes, int first, int count, const MergeRules& rules) {
  return (rules.merge_a && pairs_equal(lanes, 1, first, count, rules.inactive_matches)) ||
         (rules.merge_b && pairs_equal(lanes, 2, first, count, rules.inactive_matches));
}

}  // namespace

MergeRules merge_rules(const DeviceProfile& profile) {
  MergeRules rules;
  const auto take = [&](std::string_view id, bool& member) {
    if (const auto value = profile.find(id)) member = *value != 0;
  };
  take("smem.merge_a", rules.merge_a);
  take("smem.merge_b", rules.merge_b);
  take("smem.merge_per_half", rules.per_half);
  take("smem.merge_inactive", rules.inactive_matches);
  take("smem.merge_store", rules.store_merge);
  return rules;
}

int shared_wavefronts(const LaneAddresses& lanes, int width_bytes, Direction direction,
                      const MergeRules& rules) {
  check(lanes, width_bytes);
  constexpr int half = lanes_per_warp / 2;
  if (width_bytes == word_bytes) return fullest_bank(lanes, width_bytes, 0, lanes_per_warp);
  std::array<bool, 2> merges = {false, false};  // of the two half-warps
  if (direction == Direction::load || rules.store_merge) {
    if (rules.per_half)
      merges = {mergeable(lanes, 0, half, rules), mergeable(lanes, half, half, rules)};
    else
      merges[0] = merges[1] = mergeable(lanes, 0, lanes_per_warp, rules);
  }
  if (std::none_of(lanes.active.begin(), lanes.active.end(), [](bool on) { return on; })) return 0;
  // A group takes its turn even when none of its lanes is active.
  const auto passes = [&](int first, int count) {
    return std::max(1, fullest_bank(lanes, width_bytes, first, count));
  };
  if (width_bytes == 8)
    return merges[0] && merges[1] ? passes(0, lanes_per_warp)
                                  : passes(0, half) + passes(half, half);
  int total = 0;
  for (int h = 0; h < 2; ++h) {
    const int first = h * half;
    total += merges[static_cast<std::size_t>(h)]
                 ? passes(first, half)
                 : passes(first, half / 2) + passes(first + half / 2, half / 2);
  }
  return total;
}

int plain_wavefronts(int width_bytes) { return width_bytes / word_bytes; }

int least_shared_wavefronts(int width_bytes, Direction direction, const MergeRules& rules) {
  const bool can_merge =
      (rules.merge_a || rules.merge_b) && (direction == Direction::load || rules.store_merge);
  const int groups = plain_wavefronts(width_bytes);
  return groups == 1 || !can_merge ? groups : groups / 2;
}

int l1_wavefronts(const LaneAddresses& lanes, int width_bytes) {
  constexpr MergeRules none{.merge_a = false, .merge_b = false};
  constexpr int lines_per_pass = 4;
  const int conflicts = shared_wavefronts(lanes, width_bytes, Direction::load, none);
  return std::max(conflicts, (lines(lanes) + lines_per_pass - 1) / lines_per_pass);
}

int lines(const LaneAddresses& lanes) { return distinct_pieces<line_bytes>(lanes); }

int sectors(const LaneAddresses& lanes, int width_bytes) {
  check(lanes, width_bytes);
  return distinct_pieces<sector_bytes>(lanes);
}

StoreShape store_shape(const LaneAddresses& at, int width_bytes) {
  return {width_bytes, static_cast<double>(lines(at)),
          static_cast<double>(sectors(at, width_bytes))};
}

}  // namespace rooftile
