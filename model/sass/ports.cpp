#include "model/sass/ports.hpp"

#include <algorithm>

namespace rooftile::sass {

namespace {

using Slots = std::array<int, 3>;  ///< register held in each slot, -1: none

/// Reads by bank of the sources that `held` does not hold.
std::array<std::uint8_t, most_banks> bank_reads(const Instruction& i, const Slots& held,
                                                int banks) {
  std::array<std::uint8_t, most_banks> reads{};
  std::array<int, 12> seen{};
  std::size_t count = 0;
  for (const Registers& source : i.reads) {
    if (source.slot < 0 || held[static_cast<std::size_t>(source.slot)] == source.first) continue;
    for (int r = source.first; r < source.first + source.count && count < seen.size(); ++r) {
      const auto end = seen.begin() + static_cast<std::ptrdiff_t>(count);
      if (std::find(seen.begin(), end, r) != end) continue;
      seen[count++] = r;
      ++reads[static_cast<std::size_t>(r % banks)];
    }
  }
  return reads;
}

Slots kept_by(const Instruction& i) {
  Slots kept{-1, -1, -1};
  for (const Registers& source : i.reads) {
    if (source.slot >= 0 && source.reuse)
      kept[static_cast<std::size_t>(source.slot)] = source.first;
  }
  return kept;
}

}  // namespace

std::vector<PortReads> port_reads(const Kernel& kernel, const std::vector<std::size_t>& path,
                                  int banks, bool cyclic) {
  constexpr Slots nothing{-1, -1, -1};
  std::vector<PortReads> result;
  result.reserve(path.size());
  Slots held = cyclic && !path.empty() ? kept_by(kernel.instructions[path.back()]) : nothing;
  for (const std::size_t at : path) {
    const Instruction& i = kernel.instructions[at];
    result.push_back({bank_reads(i, held, banks), bank_reads(i, nothing, banks)});
    held = kept_by(i);
  }
  return result;
}

double Ports::stall(const std::array<std::uint8_t, most_banks>& reads, double now) {
  double stall = 0;
  for (std::size_t bank = 0; bank < static_cast<std::size_t>(banks_); ++bank) {
    if (reads[bank] == 0) continue;  // a bank that is not read does not lag
    free_[bank] = std::max(free_[bank], now) + reads[bank];
    stall = std::max(stall, free_[bank] - (now + 1) - window_);
  }
  return stall;
}

double port_ratio(const std::vector<PortReads>& reads, int banks, double window_cycles) {
  if (reads.empty()) return 1;
  Ports ports(banks, window_cycles);
  double now = 0, start = 0;
  for (int trip = 0; trip < 2; ++trip) {
    start = now;
    for (const PortReads& r : reads) now += 1 + ports.stall(r.after_own, now);
  }
  return static_cast<double>(reads.size()) / (now - start);
}

}  // namespace rooftile::sass
