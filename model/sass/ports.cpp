#include "model/sass/ports.hpp"

#include <algorithm>

namespace rooftile::sass {

PortReads port_reads(const Instruction& instruction) {
  PortReads result;
  for (const Registers& source : instruction.reads) {
    if (source.slot < 0) continue;
    for (int r = source.first; r < source.first + std::min(source.count, 2); ++r) {
      if (result.count == result.reads.size()) return result;
      result.reads[result.count++] = {r, static_cast<std::size_t>(source.slot), source.reuse};
    }
  }
  return result;
}

Ports::Ports(int banks, double window_cycles)
    : banks_(static_cast<std::size_t>(std::clamp(banks, 1, static_cast<int>(most_banks)))),
      window_(window_cycles) {}

double Ports::lag(std::size_t bank, double now) const { return std::max(0.0, free_[bank] - now); }

double Ports::stall(const PortReads& reads, std::size_t warp, double now) {
  std::array<int, most_banks> needed{};
  for (std::size_t at = 0; at < reads.count; ++at) {
    const PortRead& read = reads.reads[at];
    const auto bank = static_cast<std::size_t>(read.reg) % banks_;
    const Held& held = held_[read.slot][bank];
    bool found = held.reg == read.reg && held.warp == warp;
    for (std::size_t before = 0; before < at; ++before)
      found |= reads.reads[before].reg == read.reg;
    needed[bank] += found ? 0 : 1;
  }
  for (std::size_t at = 0; at < reads.count; ++at) {
    const PortRead& read = reads.reads[at];
    held_[read.slot][static_cast<std::size_t>(read.reg) % banks_] = {warp,
                                                                     read.keep ? read.reg : -1};
  }
  double stall = 0;
  for (std::size_t bank = 0; bank < banks_; ++bank) {
    if (needed[bank] == 0) continue;  // it lags no more than before
    free_[bank] = std::max(free_[bank], now) + needed[bank];
    stall = std::max(stall, free_[bank] - (now + 1) - window_);
  }
  return stall;
}

double port_ratio(const Kernel& kernel, const std::vector<std::size_t>& path, int banks,
                  double window_cycles) {
  if (path.empty()) return 1;
  Ports ports(banks, window_cycles);
  double now = 0, start = 0;
  for (int trip = 0; trip < 2; ++trip) {
    start = now;
    for (const std::size_t at : path) {
      now += 1 + ports.stall(port_reads(kernel.instructions[at]), 0, now);
    }
  }
  return static_cast<double>(path.size()) / (now - start);
}

}  // namespace rooftile::sass
