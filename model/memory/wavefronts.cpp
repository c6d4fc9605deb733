#include "model/memory/wavefronts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "model/error.hpp"

namespace rooftile {
namespace {

constexpr int lanes_per_warp = 32;
constexpr int banks = 32;
constexpr int word_bytes = 4;
constexpr int max_words = 128;  // 32 lanes of 16 bytes

void check(const LaneAddresses& lanes, int width_bytes) {
  if (width_bytes != 4 && width_bytes != 8 && width_bytes != 16)
    throw InputError(fmt::format("access width {} bytes: must be 4, 8 or 16", width_bytes));
  for (std::size_t i = 0; i < lanes_per_warp; ++i)
    if (lanes.active[i] && (lanes.byte_offset[i] < 0 || lanes.byte_offset[i] % width_bytes != 0))
      throw InputError(fmt::format("lane {} at byte {}: must be a multiple of the width {} from 0",
                                   i, lanes.byte_offset[i], width_bytes));
}

/// Fullest bank of the lanes [first, first + count), in distinct words.
int fullest_bank(const LaneAddresses& lanes, int width_bytes, int first, int count) {
  std::array<std::int32_t, max_words> words;
  std::size_t n = 0;
  std::int32_t previous = -1;  // runs of equal addresses are the common case
  for (int i = first; i < first + count; ++i) {
    const auto lane = static_cast<std::size_t>(i);
    if (!lanes.active[lane] || lanes.byte_offset[lane] == previous) continue;
    previous = lanes.byte_offset[lane];
    for (int w = 0; w < width_bytes / word_bytes; ++w) words[n++] = previous / word_bytes + w;
  }
  std::sort(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n));
  const auto end = std::unique(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(n));
  std::array<int, banks> load{};
  for (auto word = words.begin(); word != end; ++word)
    ++load[static_cast<std::size_t>(*word % banks)];
  return *std::max_element(load.begin(), load.end());
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
  if (width_bytes == 8) {
    if (merges[0] && merges[1]) return fullest_bank(lanes, 8, 0, lanes_per_warp);
    return fullest_bank(lanes, 8, 0, half) + fullest_bank(lanes, 8, half, half);
  }
  int total = 0;
  for (int h = 0; h < 2; ++h) {
    if (merges[static_cast<std::size_t>(h)])
      total += fullest_bank(lanes, 16, h * half, half);
    else
      total += fullest_bank(lanes, 16, h * half, half / 2) +
               fullest_bank(lanes, 16, h * half + half / 2, half / 2);
  }
  return total;
}

int least_shared_wavefronts(int width_bytes, Direction direction, const MergeRules& rules) {
  const bool can_merge =
      (rules.merge_a || rules.merge_b) && (direction == Direction::load || rules.store_merge);
  const int groups = width_bytes / word_bytes;
  return groups == 1 || !can_merge ? groups : groups / 2;
}

int l1_wavefronts(const LaneAddresses& lanes, int width_bytes) {
  constexpr MergeRules none{.merge_a = false, .merge_b = false};
  constexpr int line_bytes = 128, lines_per_pass = 4;
  const int conflicts = shared_wavefronts(lanes, width_bytes, Direction::load, none);
  std::array<std::int32_t, lanes_per_warp> line;
  std::size_t n = 0;
  for (std::size_t i = 0; i < lanes_per_warp; ++i)
    if (lanes.active[i]) line[n++] = lanes.byte_offset[i] / line_bytes;
  const auto end = line.begin() + static_cast<std::ptrdiff_t>(n);
  std::sort(line.begin(), end);
  const auto distinct = static_cast<int>(std::unique(line.begin(), end) - line.begin());
  return std::max(conflicts, (distinct + lines_per_pass - 1) / lines_per_pass);
}

int sectors(const LaneAddresses& lanes, int width_bytes) {
  check(lanes, width_bytes);
  constexpr int sector_bytes = 32;  // a naturally aligned access of up to 16 bytes is in one sector
  std::array<std::int32_t, lanes_per_warp> sector;
  std::size_t n = 0;
  for (std::size_t i = 0; i < lanes_per_warp; ++i)
    if (lanes.active[i]) sector[n++] = lanes.byte_offset[i] / sector_bytes;
  const auto end = sector.begin() + static_cast<std::ptrdiff_t>(n);
  std::sort(sector.begin(), end);
  return static_cast<int>(std::unique(sector.begin(), end) - sector.begin());
}

}  // namespace rooftile
